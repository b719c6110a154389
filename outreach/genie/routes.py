"""Addresses of outreach runs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.genie.views import RunViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("genie", RunViewSet)
