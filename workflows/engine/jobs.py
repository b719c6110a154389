"""The work of the engine."""

from __future__ import annotations

from time import monotonic

from core.jobs import QueueWork, register
from workflows.engine import messages, settling, slices
from workflows.engine.starts import WORK


def work(deadline: float = float("inf")) -> None:
    """Settle workflows, tell runs of messages, and move runs until nothing is left or monotonic() passes `deadline`."""
    while monotonic() < deadline and settling.settle_some():
        pass
    messages.tell_ended(deadline)
    slices.work(deadline)


def has_due() -> bool:
    """Tell whether there is a run to move or to tell of a message, or a workflow to settle."""
    return slices.has_due() or settling.has_unsettled() or messages.has_ended()


register(QueueWork(WORK, work, has_due=has_due, queue="workflows"))
