"""Personal data in what is written to calendars."""

from __future__ import annotations

from django.db.models import Q

from crm.privacy.registry import DataSubject, dangling, register_personal_data
from outreach.calendars.models import CalendarEvent


def _of_erased_meetings(subject: DataSubject) -> Q:
    return dangling(CalendarEvent, "meeting")


def register_tables() -> None:
    """Register the events of erased meetings, which go with them. What stands in the calendar itself stays there."""
    register_personal_data("calendarEvents", CalendarEvent, _of_erased_meetings, module="meeting", exported=False)
