"""Addresses of meetings."""

from __future__ import annotations

from core.api.router import Route
from crm.meetings import views as meeting_views

MEETING_ROUTES = [
    Route("meeting", meeting_views.Meetings),
    Route("meeting/<str:id>", meeting_views.MeetingDetail),
    Route("meeting/<str:id>/ics", meeting_views.MeetingCalendar),
]
