"""Addresses of merges and duplicates."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.merging.duplicate_views import (
    ContactDuplicateViewSet,
    LeadDuplicateViewSet,
    OrganizationDuplicateViewSet,
)
from crm.merging.views import ContactMergeViewSet, LeadMergeViewSet, OrganizationMergeViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact/merge", ContactMergeViewSet)
    router.register("contact/duplicate", ContactDuplicateViewSet)
    router.register("lead/merge", LeadMergeViewSet)
    router.register("lead/duplicate", LeadDuplicateViewSet)
    router.register("organization/merge", OrganizationMergeViewSet)
    router.register("organization/duplicate", OrganizationDuplicateViewSet)
