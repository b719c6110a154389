"""Personal data in events of calendars."""

from __future__ import annotations

from django.db.models import Q

from crm.privacy.registry import DataSubject, dangling, register_personal_data
from outreach.connections.calendars.models import CalendarEvent


def _of_erased_meetings(subject: DataSubject) -> Q:
    return dangling(CalendarEvent, "meeting")


def register_tables() -> None:
    """Register the events of erased meetings, which are deleted with them. The calendar itself keeps its events."""
    register_personal_data("calendarEvents", CalendarEvent, _of_erased_meetings, module="meeting", exported=False)
