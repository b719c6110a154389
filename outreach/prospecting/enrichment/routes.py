"""Addresses of proposals."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.prospecting.enrichment.views import ProposalViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("enrichment-proposal", ProposalViewSet)
