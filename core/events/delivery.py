"""Delivery of events to their consumers, exactly once.

A consumer handles many events of one company at a time, in the transaction that deletes their deliveries. So a crash
neither loses nor repeats an event whose effects are in the database. If the consumer fails on many events, it gets them
again one by one: a bad event affects no other.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.events.consumers import EventConsumer
from core.events.feed import forget_old
from core.events.models import Event, EventDelivery
from core.jobs.periodic import PeriodicTask
from core.jobs.registry import Moment, QueueWork, register, work_by_name
from core.tenancy import company_scope, unscoped

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 10
# Their consumers' locks are held until the commit, so a batch is not endless.
BATCH = 500
"""The number of deliveries in one transaction."""


def deliver(deadline: float = float("inf")) -> int:
    """Handle due deliveries, oldest first, until none is left or monotonic() passes the deadline.

    One transaction handles up to BATCH. Returns the number handled or retried later.
    """
    count = 0
    while monotonic() < deadline:
        handled = _deliver_some(deadline)
        if not handled:
            break
        count += handled
    return count


def due_deliveries(now: Moment) -> list[QuerySet[EventDelivery]]:
    """Return the due deliveries."""
    return [EventDelivery.objects.filter(_due_condition(now))]


def _due_condition(now: Moment) -> Q:
    return Q(status=EventDelivery.Status.PENDING, due_at__lte=now, consumer__in=list(work_by_name(EventConsumer)))


def _deliver_some(deadline: float) -> int:
    """Lock the oldest due deliveries that no other worker holds, and deliver them by company and consumer."""
    with unscoped(reason="event dispatcher: deliveries of all companies"), transaction.atomic():
        due = list(
            # The lock is the claim: it ends with the transaction, and with the worker.
            EventDelivery.objects.select_for_update(skip_locked=True)
            .filter(_due_condition(timezone.now()))
            .order_by("due_at", "id")[:BATCH]
        )
        # One read of the events for all of their consumers.
        events = Event.objects.in_bulk([delivery.event_id for delivery in due])
        groups: dict[tuple[str, str], list[tuple[Event, EventDelivery]]] = {}
        for delivery in due:
            groups.setdefault((delivery.company_id, delivery.consumer), []).append(
                (events[delivery.event_id], delivery)
            )
        count = 0
        # In one order, since two of these transactions, or one and a slice of workflows, lock the same things.
        for _, group in sorted(groups.items(), key=lambda entry: _place(*entry[0])):
            if count and monotonic() >= deadline:
                break  # the rest stays for the next worker
            # Consumers rely on the order: a change must not be handled before the creation.
            group.sort(key=lambda pair: pair[0].sequence)
            _deliver_group(group)
            count += len(group)
        return count


def _place(company_id: str, consumer: str) -> tuple[str, int, str]:
    return company_id, work_by_name(EventConsumer)[consumer].place, consumer


def _deliver_group(group: list[tuple[Event, EventDelivery]]) -> None:
    """Deliver a consumer's events of a company: all at once or, if that fails, one by one."""
    error = _handle(group)
    if error is not None and len(group) > 1:
        log.warning(
            "consumer %s failed on %s events at once; it gets them one by one",
            group[0][1].consumer,
            len(group),
            exc_info=error,
        )
        # The savepoint has undone the batch, so each event starts afresh.
        for pair in group:
            _deliver_group([pair])
    elif error is not None:
        event, delivery = group[0]
        log.error("consumer %s failed on event %s", delivery.consumer, event.pk, exc_info=error)
        _retry_or_park(delivery, error)


def _handle(group: list[tuple[Event, EventDelivery]]) -> Exception | None:
    """Run the consumer and delete the deliveries. Return the consumer's exception, or None."""
    first = group[0][1]
    try:
        # Effects and deletion commit together, and a savepoint undoes them together.
        with transaction.atomic():
            with company_scope(first.company_id):
                work_by_name(EventConsumer)[first.consumer].run([event for event, _ in group])
            EventDelivery.objects.filter(pk__in=[delivery.pk for _, delivery in group]).delete()
    except Exception as error:  # noqa: BLE001  the edge of a delivery: it is parked in the end, the others continue
        return error
    return None


def _retry_or_park(delivery: EventDelivery, error: Exception) -> None:
    attempts = delivery.attempts + 1
    EventDelivery.objects.filter(pk=delivery.pk).update(
        attempts=F("attempts") + 1,
        error=f"{type(error).__name__}: {error}"[:2000],
        # A consumer that fails for an outage is tried again within the hour.
        due_at=timezone.now() + timedelta(seconds=min(2**attempts, 3600)),
        # Kept for people to see; it no longer holds up anything.
        status=EventDelivery.Status.PARKED if attempts >= MAX_ATTEMPTS else EventDelivery.Status.PENDING,
    )


register(
    QueueWork(
        EventConsumer.part_of,
        deliver,
        queue="tick",
        task="core.deliver_events",
        due_rows=due_deliveries,
        while_held=True,
    )
)
register(PeriodicTask("events", forget_old, every=timedelta(hours=1)))
