"""Addresses of the login log."""

from __future__ import annotations

from accounts.login_log.views import LoginLogViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("logs/login", LoginLogViewSet)
