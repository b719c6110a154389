"""Addresses of the suppression list."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.suppression.views import SuppressionImportViewSet, SuppressionViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("suppression", SuppressionViewSet)
    router.register("suppression/import", SuppressionImportViewSet)
