"""Addresses of the server log."""

from __future__ import annotations

from accounts.request_log.views import ServerLogViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("logs", ServerLogViewSet)
