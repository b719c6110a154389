"""Addresses of companies."""

from __future__ import annotations

from accounts.companies.views import CompanyViewSet, NewCompanyViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("company", CompanyViewSet)


def register_private(router: ResourceRouter) -> None:
    router.register("company", NewCompanyViewSet)
