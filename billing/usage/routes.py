"""Addresses of a company's usage."""

from __future__ import annotations

from billing.usage.views import UsageViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("subscription/usage", UsageViewSet)
