"""The registrations of the login log."""

from __future__ import annotations

from datetime import timedelta

from accounts.login_log.retention import purge_login_log
from accounts.login_log.views import LoginLogViewSet
from core.api.routes import protected
from core.jobs import PeriodicTask, register

protected.register("logs/login", LoginLogViewSet)
register(PeriodicTask("login-log", purge_login_log, every=timedelta(hours=1)))
