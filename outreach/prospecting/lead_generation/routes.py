"""Addresses of lead generation."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.prospecting.lead_generation.views import LeadGenerationViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("lead/lead-gen-ai", LeadGenerationViewSet)
