"""Deletion of old logins."""

from __future__ import annotations

from django.conf import settings

from accounts.login_log.models import LoginLog
from accounts.request_log.retention import purge


def purge_login_log() -> bool:
    """Delete logins older than LOGIN_LOG_DAYS."""
    return purge(LoginLog, settings.LOGIN_LOG_DAYS)
