"""Addresses of tags and contact categories."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.tags.views import ContactCategoryViewSet, TagViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact-category", ContactCategoryViewSet)
    router.register("tag", TagViewSet)
