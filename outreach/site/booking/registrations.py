"""The registrations of booking."""

from __future__ import annotations

from accounts.members.services import members_removed
from core.api.routes import protected, public
from core.events import EventConsumer
from core.jobs import register
from crm.activities.reminders import register_reminder
from crm.meetings.mails import meeting_mails_prepared
from outreach.site.booking.mails import REMINDER, visitors_of
from outreach.site.booking.models import Booking
from outreach.site.booking.privacy import register_tables
from outreach.site.booking.services import forget_members
from outreach.site.booking.tasks import end_follow_ups, note_moved
from outreach.site.booking.views import BookingPageViewSet, BookingViewSet, HoursViewSet, PublicBookingViewSet

protected.register("booking-page", BookingPageViewSet)
protected.register("booking", BookingViewSet)
protected.register("my-calendar/hours", HoursViewSet)
public.register("book/<str:token>", PublicBookingViewSet)
WANTED = "EXISTS (SELECT FROM outreach_booking b WHERE b.company_id = %(company)s)"
"""A company in which nobody has booked pays nothing for it."""

register(EventConsumer("booking-reminders", note_moved, kinds=("meeting.updated",), where=WANTED))
register(EventConsumer("booking-follow-ups", end_follow_ups, kinds=("meeting.cancelled",), where=WANTED))
members_removed.connect(forget_members)
meeting_mails_prepared.connect(visitors_of)
register_reminder(Booking, REMINDER)
register_tables()
