"""Addresses of teams."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.teams.views import TeamViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("team", TeamViewSet)
