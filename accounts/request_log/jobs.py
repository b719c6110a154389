"""The work of the logs."""

from __future__ import annotations

from datetime import timedelta

from accounts.request_log.retention import purge_login_log, purge_server_log
from core.jobs import PeriodicTask, register

register(PeriodicTask("server-log", purge_server_log, every=timedelta(hours=1)))
register(PeriodicTask("login-log", purge_login_log, every=timedelta(hours=1)))
