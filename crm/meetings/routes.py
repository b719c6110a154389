"""Addresses of meetings."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.meetings.views import MeetingViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("meeting", MeetingViewSet)
