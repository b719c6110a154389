"""Addresses of the usage of AI apps. The apps' own addresses are built from their specs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.ai.views import AiCapsViewSet, AiUsageViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("ai-usage/caps", AiCapsViewSet)
    router.register("ai-usage", AiUsageViewSet)
