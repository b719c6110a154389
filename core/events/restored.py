"""Repairs of a database that was restored from a dump."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from core.events.feed import begin_anew
from core.hold.services import begin_hold
from core.jobs.sweeper import sweep


@dataclass(frozen=True, slots=True)
class MadeRight:
    """Number of events that the feed shows again, and of rows of work released from the original's workers."""

    events: int
    freed: int


def make_right(reason: str) -> MadeRight:
    """Hold the copy, make its feed of events right, and free what workers of the original held when it was dumped.

    Those workers are none of this database's, so a message that one was sending becomes `unknown`: nobody knows here
    whether it went out. Safe to repeat.
    """
    begin_hold(reason)
    with transaction.atomic():
        events = begin_anew()
    freed = 0
    while some := sweep():
        freed += some
    return MadeRight(events, freed)
