"""Periodic work on the login log."""

from __future__ import annotations

from datetime import timedelta

from accounts.login_log.retention import purge_login_log
from core.jobs import PeriodicTask, register

register(PeriodicTask("login-log", purge_login_log, every=timedelta(hours=1)))
