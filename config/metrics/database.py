"""Figures from PostgreSQL: work, workers, sends. Each is one short query by an index."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Count
from django.utils import timezone

from config.backup.last import last_backup
from config.data_dir import disk_space
from core.hold.services import current_hold
from core.ids import min_id_at
from core.jobs import heartbeat
from core.jobs.backlog import MAX_COUNT, Backlog, read_backlogs
from core.jobs.liveness import ALIVE, NAMESPACE
from core.jobs.periodic import PeriodicTask, due_tasks
from core.jobs.registry import queue_work_by_name
from core.models import EventDelivery
from core.tenancy import unscoped
from outreach.models import SendJobTransition

LATELY = timedelta(minutes=5)
SECONDS = 5
WORK_DUE = "Whether a kind of work has anything due"
Figure = tuple[str, str, dict[str, str], float]
"""Name, help, labels and value."""


def read_figures() -> Iterator[Figure]:
    """Yield the figures. Raises the errors of the database, also when it takes more than SECONDS."""
    with unscoped(reason="metrics: work of all companies"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{SECONDS}s'")
        now = timezone.now()
        for name, work in sorted(queue_work_by_name().items()):
            yield "leadwright_work_due", WORK_DUE, {"work": name, "queue": work.queue}, float(work.due())
        for backlog in read_backlogs():
            yield from _backlog(backlog, now)
        periodic = {"work": PeriodicTask.part_of, "queue": PeriodicTask.queue}
        yield "leadwright_work_due", WORK_DUE, periodic, float(bool(due_tasks()))
        yield from _processes(now)
        yield from _machine(now)
        for status in (EventDelivery.Status.PENDING, EventDelivery.Status.PARKED):
            number = EventDelivery.objects.filter(status=status)[:MAX_COUNT].count()
            yield (
                "leadwright_event_deliveries",
                f"Events for consumers, {MAX_COUNT} at most",
                {"status": status},
                number,
            )
        transitions = SendJobTransition.objects.filter(pk__gte=min_id_at(now - LATELY)).order_by()
        for status, number in transitions.values_list("to_status").annotate(Count("pk")):
            yield "leadwright_messages_5m", "Changes of messages in 5 minutes, by status", {"status": status}, number


def _backlog(backlog: Backlog, now: datetime) -> Iterator[Figure]:
    labels = {"work": backlog.name, "queue": backlog.queue}
    yield "leadwright_work_waiting", f"Rows that are due, {MAX_COUNT} at most", labels, backlog.waiting
    seconds = max(0.0, (now - backlog.oldest).total_seconds()) if backlog.oldest else 0.0
    yield "leadwright_work_oldest_seconds", "How long the oldest due row has waited", labels, seconds
    yield "leadwright_work_running", f"Rows that workers hold, {MAX_COUNT} at most", labels, backlog.running


def _machine(now: datetime) -> Iterator[Figure]:
    """Yield the figures of the data folder, of the machine that answers."""
    yield "leadwright_disk_free_bytes", "Free space where LEADWRIGHT_DATA is", {}, disk_space()[1]
    if (backup := last_backup()) is not None:
        age = (now - backup.made_at).total_seconds()
        yield "leadwright_backup_age_seconds", "Since the last whole backup in LEADWRIGHT_DATA/backups", {}, age


def _processes(now: datetime) -> Iterator[Figure]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({ALIVE}) AS alive", [NAMESPACE])  # noqa: S608  constant SQL
        workers = cursor.fetchone()[0]
    yield "leadwright_workers", "Worker processes that have done work and live", {}, workers
    beat = heartbeat()
    if beat.ticked_at:
        yield "leadwright_tick_age_seconds", "Since the last tick", {}, (now - beat.ticked_at).total_seconds()
    late = (now - beat.due_since).total_seconds() if beat.due_since else 0.0
    yield "leadwright_periodic_late_seconds", "Of the periodic task that waits longest", {}, max(0.0, late)
    yield "leadwright_held", "Whether nothing may go out (manage.py release)", {}, float(current_hold() is not None)
