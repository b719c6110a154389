"""The registrations of the server log."""

from __future__ import annotations

from datetime import timedelta

from accounts.request_log.retention import purge_server_log
from accounts.request_log.views import ServerLogViewSet
from core.api.routes import protected
from core.jobs import PeriodicTask, register

protected.register("logs", ServerLogViewSet)
register(PeriodicTask("server-log", purge_server_log, every=timedelta(hours=1)))
