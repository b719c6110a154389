"""Addresses of meetings."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.meetings.agenda.views import CalendarViewSet, MyCalendarViewSet
from crm.meetings.offline.views import OfflineMeetingViewSet
from crm.meetings.video.views import MyVideoCallViewSet, VideoCallViewSet, VideoSettingsViewSet
from crm.meetings.views import MeetingViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("meeting", MeetingViewSet)
    router.register("videocall", VideoCallViewSet)
    router.register("videocall/settings", VideoSettingsViewSet)
    router.register("my-videocall", MyVideoCallViewSet)
    router.register("offline-meeting", OfflineMeetingViewSet)
    router.register("calendar", CalendarViewSet)
    router.register("my-calendar", MyCalendarViewSet)
