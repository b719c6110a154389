"""Addresses of lead activities, follow-ups and call logs."""

from __future__ import annotations

from core.api.router import Route
from crm.activities import call_views, follow_up_views
from crm.activities import views as activity_views

ACTIVITY_ROUTES = [
    Route("lead-activity/follow-up", follow_up_views.FollowUps),
    Route("lead-activity/follow-up/<str:id>", follow_up_views.FollowUpDetail),
    Route("lead-activity", activity_views.Activities),
    Route("lead-activity/<str:id>", activity_views.ActivityDetail),
    Route("lead-activity/<str:id>/notes", activity_views.ActivityNotes),
    Route("calllog", call_views.Calls),
    Route("calllog/bulk", call_views.CallBulk),
    Route("calllog/<str:id>", call_views.CallDetail),
]
