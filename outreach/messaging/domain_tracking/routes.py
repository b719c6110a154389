"""Addresses of tracking hosts."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.domain_tracking.views import DomainTrackingViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("domain-tracking", DomainTrackingViewSet)
