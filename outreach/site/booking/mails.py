"""Further data for visitors in mails about booked meetings: times in their zone, and the address to move or cancel
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from accounts.mails.recipients import suppressed_recipients
from accounts.mails.services import Letter
from core.tenancy import company_scope
from crm.activities.reminders import Reminder
from crm.meetings.mails import Invited, context_for
from crm.meetings.models import Meeting
from outreach.site.booking.models import Booking


def booking_address(token: str) -> str:
    """Return the address of a visitor's booking."""
    return f"{settings.BASE_URL.rstrip('/')}/booking/{token}"


def page_address(address: str) -> str:
    """Return the address of a page from its slug or token."""
    return f"{settings.BASE_URL.rstrip('/')}/book/{address}"


def visitors_of(meeting: Meeting) -> Mapping[str, Invited]:
    """Return the further data for the meeting's visitor, by their address."""
    booking = Booking.objects.filter(meeting=meeting).first()
    if booking is None or not booking.email:
        return {}
    return {booking.email: Invited(booking_address(booking.token), booking.timezone)}


def _with_reminders() -> QuerySet[Booking]:
    scheduled = Booking.objects.filter(meeting__status=Meeting.Status.SCHEDULED)
    return scheduled.select_related("meeting__organizer")


def _letters(booking: Booking) -> Sequence[Letter]:
    """Return the mail to the visitor, unless the meeting has begun or nobody may write to them."""
    meeting = booking.meeting
    with company_scope(booking.company_id):
        if meeting.starts_at <= timezone.now() or not booking.email or suppressed_recipients([booking.email]):
            return []
        invited = visitors_of(meeting).get(booking.email)
        return [Letter(booking.email, {**context_for(meeting, invited), "name": booking.name})]


REMINDER = Reminder(_with_reminders, "meeting_reminder", _letters)
