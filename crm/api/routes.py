"""Addresses of the CRM, composed of each resource's own."""

from __future__ import annotations

from core.api.router import Route
from core.api.routers import ResourceRouter
from crm.api import label_views
from crm.api.activity_routes import ACTIVITY_ROUTES
from crm.api.bulk_job_routes import BULK_JOB_ROUTES
from crm.api.contact_routes import CONTACT_ROUTES
from crm.api.export_routes import EXPORT_ROUTES
from crm.api.field_routes import FIELD_ROUTES
from crm.api.file_downloads import web
from crm.api.file_routes import FILE_ROUTES
from crm.api.import_routes import IMPORT_ROUTES
from crm.api.lead_routes import LEAD_ROUTES
from crm.api.meeting_routes import MEETING_ROUTES
from crm.api.merge_routes import MERGE_ROUTES
from crm.api.organising_routes import ORGANISING_ROUTES
from crm.api.privacy_routes import PRIVACY_ROUTES

PROTECTED_VIEWS: list[Route] = [
    *EXPORT_ROUTES,
    *IMPORT_ROUTES,
    *MERGE_ROUTES,
    *CONTACT_ROUTES,
    *LEAD_ROUTES,
    *ORGANISING_ROUTES,
    *MEETING_ROUTES,
    *ACTIVITY_ROUTES,
    *FIELD_ROUTES,
    *FILE_ROUTES,
    *BULK_JOB_ROUTES,
    *PRIVACY_ROUTES,
]


def register_protected(router: ResourceRouter) -> None:
    router.register("contact-category", label_views.ContactCategoryViewSet)
    router.register("tag", label_views.TagViewSet)
    router.add(*PROTECTED_VIEWS)


__all__ = ["register_protected", "web"]
