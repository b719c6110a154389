"""Addresses of currencies."""

from __future__ import annotations

from billing.plans.views import CurrencyViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("currencies", CurrencyViewSet)
