"""Addresses of the CRM, composed of each resource's own."""

from __future__ import annotations

from core.api.router import Route
from core.api.routers import ResourceRouter
from crm.activities.routes import ACTIVITY_ROUTES
from crm.bulk_jobs.routes import BULK_JOB_ROUTES
from crm.contacts.routes import CONTACT_ROUTES
from crm.custom_fields.routes import FIELD_ROUTES
from crm.exports.routes import EXPORT_ROUTES
from crm.files.downloads import web
from crm.files.routes import FILE_ROUTES
from crm.imports.routes import IMPORT_ROUTES
from crm.leads.routes import LEAD_ROUTES
from crm.meetings.routes import MEETING_ROUTES
from crm.merging.routes import MERGE_ROUTES
from crm.organising_routes import ORGANISING_ROUTES
from crm.privacy.routes import PRIVACY_ROUTES
from crm.tags import views as label_views

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
