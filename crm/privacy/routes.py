"""Addresses of access requests and erasure."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.privacy.views import ContactPrivacyViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact", ContactPrivacyViewSet)
