"""The registrations of meetings."""

from __future__ import annotations

from core.access import count_usage
from crm.activities.reminders import register_reminder
from crm.meetings.mails import REMINDER
from crm.meetings.models import Meeting

count_usage("meeting", Meeting.objects.all)
register_reminder(Meeting, REMINDER)
