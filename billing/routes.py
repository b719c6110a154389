"""Addresses of billing, domain by domain."""

from __future__ import annotations

from billing.checkout import routes as checkout
from billing.entitlements import routes as entitlements
from billing.methods import routes as methods
from billing.plans import routes as plans
from billing.usage import routes as usage
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    entitlements.register_protected(router)
    checkout.register_protected(router)
    methods.register_protected(router)
    usage.register_protected(router)


def register_private(router: ResourceRouter) -> None:
    plans.register_private(router)
