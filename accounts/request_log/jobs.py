"""Periodic work on the server log."""

from __future__ import annotations

from datetime import timedelta

from accounts.request_log.retention import purge_server_log
from core.jobs import PeriodicTask, register

register(PeriodicTask("server-log", purge_server_log, every=timedelta(hours=1)))
