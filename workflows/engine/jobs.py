"""The work of the engine."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic

from core.jobs import PeriodicTask, QueueWork, register
from workflows.engine import counting, settling, slices
from workflows.engine.starts import WORK


def work(deadline: float = float("inf")) -> None:
    """Move runs and settle workflows until nothing is left or monotonic() passes the deadline."""
    while monotonic() < deadline and settling.settle_some():
        pass
    slices.work(deadline)


def has_due() -> bool:
    """Tell whether there is a run to move or a workflow to settle."""
    return slices.has_due() or settling.has_unsettled()


register(QueueWork(WORK, work, has_due=has_due, queue="workflows"))
register(PeriodicTask("workflow-counts", counting.compact, every=timedelta(minutes=1)))
