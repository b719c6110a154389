"""Repairs of a database that was restored from a dump."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from core.events.feed import restart_feed
from core.hold.services import begin_hold
from core.jobs.sweeper import sweep


@dataclass(frozen=True, slots=True)
class MadeRight:
    """Number of events that the feed shows again, and of rows of work released from the original's workers."""

    events: int
    freed: int


def repair_after_restore(reason: str) -> MadeRight:
    """Hold the copy, repair its feed of events, and release the work of the original's workers.

    Those workers do not belong to this database, so a message that one was sending becomes `unknown`: its outcome
    cannot be determined here. Safe to repeat.
    """
    # Hold first, so that released work cannot start.
    begin_hold(reason)
    with transaction.atomic():
        events = restart_feed()
    freed = 0
    # The sweeper frees a batch at a time.
    while some := sweep():
        freed += some
    return MadeRight(events, freed)
