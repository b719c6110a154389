"""Addresses of custom fields and sections."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.custom_fields.section_views import CustomSectionViewSet
from crm.custom_fields.views import CustomFieldViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("custom-field", CustomFieldViewSet)
    router.register("custom-section", CustomSectionViewSet)
