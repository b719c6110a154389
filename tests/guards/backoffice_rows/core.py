"""Makers of rows of core."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from core.events import emit
from core.ids import new_id
from core.models import Announcement, Event, EventDelivery, IdempotencyKey, ResponseMessage, TaskSchedule
from tests.guards.backoffice_rows.shared import SECRET, Makers


def make_event(n: int) -> Event:
    event_id = new_id()
    emit("contact.created", [event_id])
    return Event.objects.get(object_id=event_id)


ROWS: Makers = {
    Announcement: lambda n: Announcement.objects.create(
        text=f"Maintenance {n}", starts_at=timezone.now(), ends_at=timezone.now() + timedelta(days=n + 1)
    ),
    ResponseMessage: lambda n: ResponseMessage.objects.create(name=f"Made{n}_400", status=400, text=f"Made {n}"),
    TaskSchedule: lambda n: TaskSchedule.objects.create(name=f"task-{n}", error="It broke"),
    Event: make_event,
    EventDelivery: lambda n: EventDelivery.objects.create(
        consumer="nobody", event=make_event(n), due_at=timezone.now(), status="parked", error="It broke"
    ),
    IdempotencyKey: lambda n: IdempotencyKey.objects.create(
        caller=new_id(), key=f"order-{n}", request=f"{n:064x}", operation=f"POST /tag/{n}", status=201, answer=SECRET
    ),
}
