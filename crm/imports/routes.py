"""Addresses of imports."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.imports.views import ContactImportViewSet, LeadImportViewSet, OrganizationImportViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact/import", ContactImportViewSet)
    router.register("lead/import", LeadImportViewSet)
    router.register("organization/import", OrganizationImportViewSet)
