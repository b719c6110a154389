"""Periodic tasks. Each is due by its row, so that one worker runs it each time, however many there are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from functools import reduce
from operator import or_
from time import monotonic
from typing import ClassVar

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.jobs.models import TaskSchedule
from core.jobs.registry import CeleryWork, work_by_name
from core.tenancy import unscoped

log = logging.getLogger(__name__)

MAX_SKEW = timedelta(minutes=1)
"""The difference between the clocks of machines that is no error."""


@dataclass(frozen=True)
class PeriodicTask(CeleryWork):
    """A task for all companies that a worker runs at least every `every`.

    `run()` does a bounded part and returns whether there is more, which then runs at once. It must be idempotent.
    """

    run: Callable[[], bool]
    _: KW_ONLY
    every: timedelta

    part_of: ClassVar[str] = "periodic"
    queue = "bulk"
    while_held = False
    frees_claims = False

    @property
    def task(self) -> str:  # type: ignore[override]
        return f"{self.part_of}.{self.name.replace(' ', '_')}"

    def drain(self, deadline: float) -> None:
        """Run it while it is due, until monotonic() passes the deadline."""
        TaskSchedule.objects.get_or_create(name=self.name)
        while monotonic() < deadline and _run_one({self.name: self}):
            pass


def due_tasks() -> list[PeriodicTask]:
    """Return the periodic tasks that are due, or have never run here."""
    schedule = dict(TaskSchedule.objects.values_list("name", "due_at"))
    now = timezone.now()
    tasks = work_by_name(PeriodicTask).values()
    return [task for task in tasks if not now < schedule.get(task.name, now) <= now + task.every + MAX_SKEW]


def _is_due(tasks: Mapping[str, PeriodicTask]) -> Q:
    """Return the condition of schedules that are due, or too far off: those were written while the clock was ahead."""
    now = timezone.now()
    too_far = [Q(name=name, due_at__gt=now + task.every + MAX_SKEW) for name, task in tasks.items()]
    return Q(name__in=list(tasks), due_at__lte=now) | reduce(or_, too_far, Q(pk__in=[]))


def run_due_tasks(deadline: float = float("inf")) -> None:
    """Run due periodic tasks in this process until none is left or monotonic() passes the deadline."""
    tasks = work_by_name(PeriodicTask)
    for name in tasks.keys() - set(TaskSchedule.objects.values_list("name", flat=True)):
        TaskSchedule.objects.get_or_create(name=name)
    while monotonic() < deadline and _run_one(tasks):
        pass


def _run_one(tasks: Mapping[str, PeriodicTask]) -> bool:
    """Run the task among these that has been due longest. Returns whether one was due."""
    with transaction.atomic():
        rows = TaskSchedule.objects.select_for_update(skip_locked=True).filter(_is_due(tasks))
        schedule = rows.order_by("due_at").first()
        if schedule is None:
            return False
        task = tasks[schedule.name]
        more = False
        error = ""
        try:
            with transaction.atomic(), unscoped(reason="periodic task: works for all companies"):
                more = task.run()
        except Exception as failure:  # noqa: BLE001  the edge of one task: it runs again next time, the others continue
            log.exception("periodic task %s failed", schedule.name)
            error = f"{type(failure).__name__}: {failure}"[:2000]
        schedule.error = error
        schedule.done_at = timezone.now()
        schedule.due_at = timezone.now() + (timedelta() if more else task.every)
        schedule.save()
        return True
