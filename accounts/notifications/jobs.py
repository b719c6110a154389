"""Deletion of old notifications."""

from __future__ import annotations

from datetime import timedelta

from accounts.notifications.models import Notification
from accounts.request_log.retention import purge
from core.jobs import PeriodicTask, register

NOTIFICATION_DAYS = 90


def purge_notifications() -> bool:
    """Delete notifications older than NOTIFICATION_DAYS. Returns whether there may be more."""
    return purge(Notification, NOTIFICATION_DAYS)


register(PeriodicTask("notifications", purge_notifications, every=timedelta(hours=1)))
