"""Addresses of campaigns."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.runs.campaigns.views import CampaignViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("campaign", CampaignViewSet)
