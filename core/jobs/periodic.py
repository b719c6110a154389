"""Periodic tasks. Each is due by its row, so that one worker runs it each time, however many there are."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from time import monotonic
from typing import ClassVar

from django.db import transaction
from django.utils import timezone

from core.jobs.models import TaskSchedule
from core.jobs.registry import QueueWork, Work, register, registered
from core.tenancy import unscoped

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PeriodicTask(Work):
    """A task for all companies that a worker runs at least every `every`.

    `run()` does a bounded part and returns whether there is more, which then runs at once. It must be idempotent.
    """

    run: Callable[[], bool]
    _: KW_ONLY
    every: timedelta

    part_of: ClassVar[str] = "periodic"


def has_due_tasks() -> bool:
    """Return whether a periodic task is due, or has never run here."""
    tasks = registered(PeriodicTask)
    rows = TaskSchedule.objects.filter(name__in=list(tasks))
    return rows.count() < len(tasks) or rows.filter(due_at__lte=timezone.now()).exists()


def run_due_tasks(deadline: float = float("inf")) -> None:
    """Run due periodic tasks until none is left or monotonic() passes the deadline."""
    for name in registered(PeriodicTask).keys() - set(TaskSchedule.objects.values_list("name", flat=True)):
        TaskSchedule.objects.get_or_create(name=name)
    while monotonic() < deadline and _run_one():
        pass


def _run_one() -> bool:
    tasks = registered(PeriodicTask)
    with transaction.atomic():
        rows = TaskSchedule.objects.select_for_update(skip_locked=True).filter(
            name__in=list(tasks), due_at__lte=timezone.now()
        )
        schedule = rows.order_by("due_at").first()
        if schedule is None:
            return False
        task, more, error = tasks[schedule.name], False, ""
        try:
            with transaction.atomic(), unscoped(reason="periodic task: works for all companies"):
                more = task.run()
        except Exception as trouble:  # noqa: BLE001  the edge of one task: it runs again next time, the others continue
            log.exception("periodic task %s failed", schedule.name)
            error = f"{type(trouble).__name__}: {trouble}"[:2000]
        schedule.error, schedule.done_at = error, timezone.now()
        schedule.due_at = timezone.now() + (timedelta() if more else task.every)
        schedule.save()
        return True


register(QueueWork(PeriodicTask.part_of, run_due_tasks, has_due=has_due_tasks, queue="bulk"))
