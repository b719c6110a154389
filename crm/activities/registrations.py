"""The registrations of activities."""

from __future__ import annotations

from crm.activities.follow_ups import REMINDER
from crm.activities.models import FollowUp
from crm.activities.reminders import register_reminder

register_reminder(FollowUp, REMINDER)
