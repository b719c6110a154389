"""Addresses of organizations."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.organizations.views import OrganizationViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("organization", OrganizationViewSet)
