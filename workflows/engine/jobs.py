"""The work of the engine."""

from __future__ import annotations

from time import monotonic

from core.jobs import QueueWork, register
from workflows.engine import calls, settling, slices
from workflows.engine.models import CALLS, WORK, RunCall


def work(deadline: float = float("inf")) -> None:
    """Move runs and settle workflows until nothing is left or monotonic() passes the deadline."""
    while monotonic() < deadline and settling.settle_some():
        pass
    slices.work(deadline)


def has_due() -> bool:
    """Tell whether there is a run to move or a workflow to settle."""
    return slices.has_due() or settling.has_unsettled()


register(QueueWork(WORK, work, has_due=has_due, queue="workflows"))
# By the workers that may wait for a company's server: the tick and the slices never do.
register(QueueWork(CALLS, calls.drain, has_due=calls.has_due, queue="ai", model=RunCall))
