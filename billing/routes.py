"""Addresses of billing."""

from __future__ import annotations

from billing.plans import views as plan_views
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("plans", plan_views.PlanViewSet)


def register_private(router: ResourceRouter) -> None:
    router.register("currencies", plan_views.CurrencyViewSet)
