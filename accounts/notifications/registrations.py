"""The registrations of notifications."""

from __future__ import annotations

from datetime import timedelta

from accounts.notifications.services import purge_notifications
from accounts.notifications.views import NotificationViewSet, PreferencesViewSet
from core.api.routes import private
from core.jobs import PeriodicTask, register

private.register("notification", NotificationViewSet)
private.register("notification/preferences", PreferencesViewSet)
register(PeriodicTask("notifications", purge_notifications, every=timedelta(hours=1)))
