"""Addresses of plans and the company's subscription."""

from __future__ import annotations

from billing.entitlements.views import PlanViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("plans", PlanViewSet)
