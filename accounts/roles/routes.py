"""Addresses of roles."""

from __future__ import annotations

from accounts.roles.views import RoleViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("role", RoleViewSet)
