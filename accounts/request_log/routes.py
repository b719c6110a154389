"""Addresses of the logs."""

from __future__ import annotations

from accounts.request_log.views import LoginLogViewSet, ServerLogViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("logs", ServerLogViewSet)
    router.register("logs/login", LoginLogViewSet)
