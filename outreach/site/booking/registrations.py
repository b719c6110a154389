"""The registrations of booking."""

from __future__ import annotations

from accounts.members.services import members_removed
from crm.activities.reminders import register_reminder
from crm.meetings.mails import meeting_mails_prepared
from outreach.site.booking.mails import REMINDER, visitors_of
from outreach.site.booking.models import Booking
from outreach.site.booking.services import forget_members

members_removed.connect(forget_members)
meeting_mails_prepared.connect(visitors_of)
register_reminder(Booking, REMINDER)
