"""Addresses of connected calendars."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.calendars.views import (
    CalendarAuthorizeViewSet,
    CalendarConnectionViewSet,
    CalendarSyncViewSet,
)


def register_protected(router: ResourceRouter) -> None:
    router.register("my-calendar/connection", CalendarConnectionViewSet)
    router.register("my-calendar/connection/authorize", CalendarAuthorizeViewSet)
    router.register("my-calendar/connection/sync", CalendarSyncViewSet)
