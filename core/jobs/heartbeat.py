"""The heartbeat of background work: when the tick last ended, and how late the periodic tasks are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, Min, Q
from django.utils import timezone

from core.jobs.models import TaskSchedule
from core.jobs.periodic import PeriodicTask
from core.jobs.registry import work_by_name

TICK = "tick"
"""The name of the tick's row. It is no periodic task, so that no worker runs it."""
TICK_EVERY = timedelta(seconds=1)
RECORD_EVERY = timedelta(seconds=5)
STALE_AFTER = timedelta(seconds=60)
"""The tick runs every second, and waits for at most one slice of the work before it."""
LATE_AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class Heartbeat:
    """The time of the last tick, and of the periodic task that has waited longest."""

    ticked_at: datetime | None
    due_since: datetime | None

    @property
    def stale(self) -> bool:
        """No tick has ended for a minute: no worker takes `tick` or runs the tick, or each tick fails."""
        return self.ticked_at is None or abs(timezone.now() - self.ticked_at) > STALE_AFTER

    @property
    def late(self) -> bool:
        """Return whether a periodic task has waited for five minutes: no worker takes `bulk`, or each attempt fails."""
        return self.due_since is not None and timezone.now() - self.due_since > LATE_AFTER


def record_tick() -> None:
    """Record that a tick has ended, at most once in RECORD_EVERY. A later record was made while the clock was ahead."""
    now = timezone.now()
    if not TaskSchedule.objects.filter(name=TICK, done_at__range=(now - RECORD_EVERY, now)).exists():
        TaskSchedule.objects.update_or_create(name=TICK, defaults={"done_at": now, "due_at": now + TICK_EVERY})


def heartbeat() -> Heartbeat:
    """Read the heartbeat, in one query."""
    rows = TaskSchedule.objects.aggregate(
        ticked=Max("done_at", filter=Q(name=TICK)),
        due=Min("due_at", filter=Q(name__in=list(work_by_name(PeriodicTask)))),
    )
    return Heartbeat(rows["ticked"], rows["due"])
