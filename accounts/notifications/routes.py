"""Addresses of one's own notifications."""

from __future__ import annotations

from accounts.notifications.views import NotificationViewSet, PreferencesViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("notification", NotificationViewSet)
    router.register("notification/preferences", PreferencesViewSet)
