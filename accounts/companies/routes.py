"""Addresses of a company's profile."""

from __future__ import annotations

from accounts.companies.views import CompanyViewSet, FirstStepsViewSet, OverviewViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("company", CompanyViewSet)
    router.register("company/first-steps", FirstStepsViewSet)
    router.register("company/overview", OverviewViewSet)
