"""The times of recurring runs: the n-th occurrence begins n - 1 intervals after the run was made."""

from __future__ import annotations

import datetime as dt

from outreach.runs.genie.models import GenieScheduler


def slot_after(began_at: dt.datetime, interval_ms: int, moment: dt.datetime) -> dt.datetime:
    """Return the first time of the schedule after this one. The schedule is `began_at` and each interval later."""
    interval = dt.timedelta(milliseconds=interval_ms)
    # Multiples of the interval since the beginning, and not of the last firing: delays do not add up.
    return began_at + interval * max(1, (moment - began_at) // interval + 1)


def schedule_next(run: GenieScheduler) -> None:
    """Give a new run that recurs the time of its second occurrence."""
    if run.recurring and run.interval_ms is not None:
        run.next_occurrence_at = slot_after(run.created_at, run.interval_ms, run.created_at)
        GenieScheduler.objects.filter(pk=run.pk).update(next_occurrence_at=run.next_occurrence_at)
