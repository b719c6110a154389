"""The address of saving a way to pay without paying."""

from __future__ import annotations

from billing.methods.views import MethodSetupViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("subscription/payment-methods/setup", MethodSetupViewSet)
