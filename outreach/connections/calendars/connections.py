"""The state of a member's connected calendar, and a retry of meetings that it has not accepted."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from core.jobs import notify_workers
from core.types import JsonObject
from outreach.connections.calendars.google import NAME
from outreach.connections.calendars.logins import connection_of, is_set_up, not_found
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.calendars.queues import BUSY, EVENTS

Work = CalendarEvent.Work
LEFT = Q(status__in=(Work.WAITING, Work.RUNNING))


def describe(member_id: str) -> JsonObject:
    """Return how the member's connection is, whether there is one or not."""
    connection = connection_of(member_id)
    events = CalendarEvent.objects.filter(connection=connection) if connection else CalendarEvent.objects.none()
    counts = events.aggregate(waiting=Count("pk", filter=LEFT), failed=Count("pk", filter=Q(status=Work.FAILED)))
    return {
        "isAvailable": is_set_up(),
        "isConnected": connection is not None,
        "provider": NAME,
        "email": connection.email if connection else "",
        "needsLogin": bool(connection and connection.needs_login),
        "busyAt": connection.busy_at if connection else None,
        **{name: number or 0 for name, number in counts.items()},
        "lastError": connection.error if connection else "",
    }


@transaction.atomic
def sync(member_id: str) -> None:
    """Retry all events that the member's calendar has not accepted. Raises NotFound_404."""
    connection = connection_of(member_id)
    if connection is None:
        raise not_found()
    now = timezone.now()
    rows = CalendarEvent.objects.filter(connection=connection, status__in=(Work.WAITING, Work.FAILED))
    rows.update(status=Work.WAITING, due_at=now, attempts=0, deaths=0, lease=None, worker=None, updated_at=now)
    CalendarConnection.objects.filter(pk=connection.pk).update(due_at=now)
    notify_workers(EVENTS)
    notify_workers(BUSY)
