"""The lock of a run, which all that plans or changes its messages takes first."""

from __future__ import annotations

from outreach.runs.genie.models import GenieScheduler


def lock_run(run_id: str) -> GenieScheduler | None:
    """Return the run, locked against planning and other changes of its messages until the transaction ends."""
    return GenieScheduler.objects.select_for_update(no_key=True, of=("self",)).filter(pk=run_id).first()
