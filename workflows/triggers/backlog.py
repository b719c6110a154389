"""Events that wait before they start runs: those of companies with many queued runs, and those of many records at once.

They form the backlog instead of a million runs. Events of many records (priority 9) start only while the company's rate
has capacity, a fifth of a batch at a time. Others start as soon as few enough runs are queued.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.events.delivery import BATCH
from core.internals.django import raw_delete
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.models import Event
from core.tenancy import company_scope, unscoped
from workflows.engine.limits import limits
from workflows.engine.models import QueuedEvent

WORK = "workflow-backlog"
FRESH = 5
IN_BULK = 9
"""Priorities of events: those of many records at once come after the others."""
COMPANIES = """
WITH RECURSIVE due AS (
    (SELECT company_id FROM workflows_queuedevent ORDER BY company_id LIMIT 1)
    UNION ALL
    SELECT (SELECT company_id FROM workflows_queuedevent e WHERE e.company_id > due.company_id
            ORDER BY company_id LIMIT 1)
    FROM due WHERE due.company_id IS NOT NULL
) SELECT company_id FROM due WHERE company_id IS NOT NULL
"""


def add(events: Sequence[Event], priority: int) -> None:
    """Queue events of the active company."""
    QueuedEvent.objects.bulk_create(QueuedEvent(event_id=event.pk, priority=priority) for event in events)
    if events:
        notify_workers(WORK)


def has_non_bulk() -> bool:
    """Return whether non-bulk events of the active company are queued: later ones must follow them."""
    # Otherwise a later event could start its run before an earlier one.
    return bool(QueuedEvent.objects.filter(priority__lt=IN_BULK).exists())


def waiting_events(now: Moment) -> list[QuerySet[QueuedEvent]]:
    """Return the events that wait."""
    return [QueuedEvent.objects.all()]


def drain(start: Callable[..., None], deadline: float = float("inf")) -> None:
    """Start runs by waiting events, one batch of each company after the other.

    It ends when no more may start, or monotonic() passes the deadline.
    """
    with unscoped(reason="events that wait, of all companies"), connection.cursor() as cursor:
        # Walked by the index: DISTINCT would read each of a million waiting rows.
        cursor.execute(COMPANIES)
        companies = [id for (id,) in cursor.fetchall()]
    while companies and monotonic() < deadline:
        company_ids = []
        for id in companies:
            with company_scope(id):
                if monotonic() < deadline and _start_some(start):
                    company_ids.append(id)
        companies = company_ids


@transaction.atomic
def _start_some(start: Callable[..., None]) -> int:
    """Start the runs of the active company's next events. Returns the number of events."""
    # Checked in each turn, since the runs of the last one are queued by now.
    if limits.count_queued_runs() >= limits.MAX_QUEUED:
        return 0
    start_count = _start_queued(start, QueuedEvent.objects.filter(priority__lt=IN_BULK), BATCH, in_bulk=False)
    # Bulk starts take only what the rate has left over.
    if limits.can_start_now(timezone.now()):
        start_count += _start_queued(start, QueuedEvent.objects.filter(priority__gte=IN_BULK), BATCH // 5, in_bulk=True)
    return start_count


def _start_queued(start: Callable[..., None], waiting: object, most: int, *, in_bulk: bool) -> int:
    locked = waiting.order_by("priority", "pk").select_for_update(skip_locked=True)  # type: ignore[attr-defined]
    rows = dict(locked.values_list("pk", "event_id")[:most])
    if rows:
        events = Event.objects.in_bulk(rows.values())
        # In their order, as the events of a record depend on each other.
        start(sorted(events.values(), key=lambda event: event.sequence), in_bulk=in_bulk)
        raw_delete(QueuedEvent.objects.filter(pk__in=rows))
    return len(rows)
