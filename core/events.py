"""Domain events: rows written in the transaction of the change, one delivery per consumer, handled exactly once.

A consumer handles many events of one company at a time, in the transaction that deletes their deliveries, so that for work done in the
database a crash neither loses nor repeats an event. Where it fails on many it gets them again one by one: a bad event costs no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from core.ids import new_id
from core.jobs import Work, notify_workers, register
from core.models.events import Event, EventDelivery
from core.tenancy import company_id, company_scope, unscoped

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 10
BATCH = 500
"""How many deliveries one transaction takes."""
WRITE = 5000
"""How many events one statement writes."""

Handler = Callable[[Sequence[Event]], None]


@dataclass(frozen=True)
class Consumer:
    """A named handler of some kinds of events.

    `handle_many` gets up to BATCH events of one company in their order, inside that company and inside a transaction, which is rolled
    back when it raises; it may get them again, fewer at a time.
    """

    name: str
    kinds: frozenset[str]
    handle_many: Handler


CONSUMERS: dict[str, Consumer] = {}


def consume(name: str, *kinds: str) -> Callable[[Handler], Handler]:
    """Register a consumer of the kinds; one that handles events singly is wrapped in `each`."""

    def register(handle_many: Handler) -> Handler:
        CONSUMERS[name] = Consumer(name, frozenset(kinds), handle_many)
        return handle_many

    return register


def each(handle: Callable[[Event], None]) -> Handler:
    """A handler of one event as a handler of many."""

    def handle_many(events: Sequence[Event]) -> None:
        for event in events:
            handle(event)

    return handle_many


def emit(
    kind: str,
    object_ids: Sequence[str],
    *,
    payloads: Mapping[str, Any] | None = None,
    actor_id: str | None = None,
    automation: bool = True,
    notify: bool = True,
) -> None:
    """Write one event per object of the active company, and its deliveries, inside the caller's transaction.

    Without `notify` consumers get them at the next tick: for writers of many small transactions, which a Celery message each would slow.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("events are written in the transaction of the change that they tell of")
    consumers = [consumer.name for consumer in CONSUMERS.values() if kind in consumer.kinds]
    owner, now, told = company_id(), timezone.now(), payloads or {}
    for start in range(0, len(object_ids), WRITE):
        rows = [
            {"e": new_id(), "o": id, "p": told.get(id, {}), "d": [new_id() for _ in consumers]} for id in object_ids[start : start + WRITE]
        ]
        _write(rows, consumers, [owner, kind, actor_id, automation, now, now])
    if consumers and object_ids and notify:
        notify_workers("events")


_EVENTS = (
    "INSERT INTO core_event (id, object_id, payload, company_id, kind, actor_id, automation, created_at, updated_at)"
    " SELECT e, o, p, %s, %s, %s, %s, %s, %s FROM rows"
)
_DELIVERIES = (
    "INSERT INTO core_eventdelivery (id, consumer, event_id, status, due_at, attempts, error, company_id, created_at, updated_at)"
    " SELECT d ->> (place - 1)::int, consumer, e, 'pending', %s, 0, '', %s, %s, %s"
    " FROM rows, unnest(%s::text[]) WITH ORDINALITY AS consumers (consumer, place)"
)


def _write(rows: list[dict[str, Any]], consumers: list[str], values: list[Any]) -> None:
    """The events (e id, o object, p payload, d ids of the deliveries) and their deliveries in one statement."""
    # One JSON text instead of an array a column: psycopg writes arrays thirty times slower.
    text = orjson.dumps(rows, default=str).decode()
    source = "WITH rows AS (SELECT * FROM json_to_recordset(%s::json) AS found (e text, o text, p jsonb, d json))"
    with connection.cursor() as cursor:
        if not consumers:
            cursor.execute(f"{source} {_EVENTS}", [text, *values])
            return
        owner, now = values[0], values[-1]
        cursor.execute(f"{source}, events AS ({_EVENTS}) {_DELIVERIES}", [text, *values, now, owner, now, now, consumers])


def deliver(deadline: float = float("inf")) -> int:
    """Handle due deliveries, oldest first, up to BATCH in a transaction; returns how many were handled or put back.

    Ends when none is due or monotonic() passes the deadline.
    """
    taken = 0
    while monotonic() < deadline:
        found = _deliver_some(deadline)
        if not found:
            break
        taken += found
    return taken


def has_due_deliveries() -> bool:
    """Whether an event of any company waits for a consumer."""
    with unscoped(reason="tick: due deliveries of all companies"):
        return EventDelivery.objects.filter(_due()).exists()


def _due() -> Q:
    return Q(status=EventDelivery.Status.PENDING, due_at__lte=timezone.now(), consumer__in=list(CONSUMERS))


def _deliver_some(deadline: float) -> int:
    """Take the oldest due deliveries that nobody else holds, and hand them out by company and consumer."""
    with unscoped(reason="event dispatcher: deliveries of all companies"), transaction.atomic():
        due = list(EventDelivery.objects.select_for_update(skip_locked=True).filter(_due()).order_by("due_at", "id")[:BATCH])
        events = Event.objects.in_bulk([delivery.event_id for delivery in due])
        groups: dict[tuple[str, str], list[tuple[Event, EventDelivery]]] = {}
        for delivery in due:
            groups.setdefault((delivery.company_id, delivery.consumer), []).append((events[delivery.event_id], delivery))
        taken = 0
        for group in groups.values():
            if taken and monotonic() >= deadline:
                break  # what is left goes to the next worker, as it was
            group.sort(key=lambda pair: pair[0].sequence)
            _hand_out(group)
            taken += len(group)
        return taken


def _hand_out(group: list[tuple[Event, EventDelivery]]) -> None:
    """Give a consumer its events of a company, all at once or, when that fails, one by one."""
    error = _handle(group)
    if error is not None and len(group) > 1:
        log.warning("consumer %s failed on %s events at once; it gets them one by one", group[0][1].consumer, len(group), exc_info=error)
        for pair in group:
            _hand_out([pair])
    elif error is not None:
        event, delivery = group[0]
        log.error("consumer %s failed on event %s", delivery.consumer, event.pk, exc_info=error)
        _put_back(delivery, error)


def _handle(group: list[tuple[Event, EventDelivery]]) -> Exception | None:
    """What the consumer raised, or None; then the deliveries are gone."""
    first = group[0][1]
    try:
        with transaction.atomic():
            with company_scope(first.company_id):
                CONSUMERS[first.consumer].handle_many([event for event, _ in group])
            EventDelivery.objects.filter(pk__in=[delivery.pk for _, delivery in group]).delete()
    except Exception as error:  # noqa: BLE001  the edge of a delivery: it is parked in the end, and the others go on
        return error
    return None


def _put_back(delivery: EventDelivery, error: Exception) -> None:
    attempts = delivery.attempts + 1
    EventDelivery.objects.filter(pk=delivery.pk).update(
        attempts=F("attempts") + 1,
        error=f"{type(error).__name__}: {error}"[:2000],
        due_at=timezone.now() + timedelta(seconds=min(2**attempts, 3600)),
        status=EventDelivery.Status.PARKED if attempts >= MAX_ATTEMPTS else EventDelivery.Status.PENDING,
    )


register(Work("events", "tick", deliver, has_due_deliveries))
