"""The address of timelines."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.timeline.views import ContactTimelineViewSet, LeadTimelineViewSet, OrganizationTimelineViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact", ContactTimelineViewSet)
    router.register("lead", LeadTimelineViewSet)
    router.register("organization", OrganizationTimelineViewSet)
