"""Addresses of follow-ups and meetings."""

from __future__ import annotations

from core.api.router import Route
from crm.api import follow_up_views, meeting_views

MEETING_ROUTES = [
    Route("lead-activity/follow-up", follow_up_views.FollowUps),
    Route("lead-activity/follow-up/<str:id>", follow_up_views.FollowUpDetail),
    Route("meeting", meeting_views.Meetings),
    Route("meeting/<str:id>", meeting_views.MeetingDetail),
    Route("meeting/<str:id>/ics", meeting_views.MeetingCalendar),
]
