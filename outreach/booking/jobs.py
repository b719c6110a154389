"""The work of booking: reminders of visitors follow the meetings that members move."""

from __future__ import annotations

from collections.abc import Sequence

from core.events import EventConsumer
from core.events.models import Event
from core.jobs import register
from crm.activities.reminders import schedule_reminder
from outreach.booking.models import Booking


def note_moved(events: Sequence[Event]) -> None:
    """Remind visitors before the new time of what members have moved."""
    moved = [event.object_id for event in events if "startsAt" in (event.payload.get("changes") or {})]
    rows = Booking.objects.select_for_update(of=("self",)).filter(meeting__in=moved)
    for booking in rows.select_related("meeting").order_by("pk"):
        schedule_reminder(booking, booking.meeting.starts_at)
        booking.save(update_fields=["remind_at", "reminded_at", "updated_at"])


WANTED = "EXISTS (SELECT FROM outreach_booking b WHERE b.company_id = %(company)s)"
"""A company in which nobody has booked pays nothing for it."""

register(EventConsumer("booking-reminders", note_moved, kinds=("meeting.updated",), where=WANTED))
