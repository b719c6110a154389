"""The work of booking: reminders of visitors follow the meetings that members move, and follow-ups end with those that
are cancelled."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from core.events.models import Event
from crm.activities.follow_ups import live_follow_ups, update_follow_up
from crm.activities.models import FollowUp
from crm.activities.reminders import schedule_reminder
from crm.meetings.models import Meeting
from outreach.site.booking.models import Booking


def note_moved(events: Sequence[Event]) -> None:
    """Reschedule the reminders of bookings that members have moved."""
    moved = [event.object_id for event in events if "startsAt" in (event.payload.get("changes") or {})]
    rows = Booking.objects.select_for_update(of=("self",)).filter(meeting__in=moved)
    for booking in rows.select_related("meeting").order_by("pk"):
        schedule_reminder(booking, booking.meeting.starts_at)
        booking.save(update_fields=["remind_at", "reminded_at", "updated_at"])


def end_follow_ups(events: Sequence[Event]) -> None:
    """Cancel the open follow-ups of cancelled bookings.

    These are follow-ups of their leads that were created after the booking, by a workflow or due before the end of the
    meeting. Follow-ups of a lead with another coming meeting stay, and so do those that members planned for later.
    """
    cancelled = {event.object_id: event for event in events}
    booked = Booking.objects.filter(meeting__in=cancelled.keys(), lead__isnull=False).select_related("meeting")
    bookings = {row.lead_id: row for row in booked.order_by("-created_at")}  # the earliest, where a lead has several
    coming = Meeting.objects.filter(status=Meeting.Status.SCHEDULED, ends_at__gt=timezone.now())
    for lead in coming.filter(lead__in=bookings.keys()).values_list("lead_id", flat=True):
        bookings.pop(lead, None)
    rows = live_follow_ups().filter(status=FollowUp.Status.OPEN, lead__in=bookings.keys()).order_by("pk")
    since = [row for row in rows if row.created_at >= bookings[row.lead_id].created_at]
    creations = Event.objects.filter(object_id__in=[row.pk for row in since], kind="follow-up.created")
    by_workflows = {id for id, cause in creations.values_list("object_id", "cause") if (cause or {}).get("workflow")}
    for row in since:
        meeting = bookings[row.lead_id].meeting
        if row.pk in by_workflows or row.due_at <= meeting.ends_at:
            event = cancelled[meeting.pk]
            values = {"status": FollowUp.Status.CANCELLED}
            update_follow_up(id=row.pk, actor_id=event.actor_id, values=values, automation=event.automation)
