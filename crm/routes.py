"""Addresses of the CRM: each domain registers its own."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.activities.routes import ACTIVITY_ROUTES
from crm.bulk_jobs.routes import BULK_JOB_ROUTES
from crm.contacts import routes as contacts
from crm.custom_fields import routes as custom_fields
from crm.exports.routes import EXPORT_ROUTES
from crm.files.downloads import web
from crm.files.routes import FILE_ROUTES
from crm.imports.routes import IMPORT_ROUTES
from crm.leads import routes as leads
from crm.meetings.routes import MEETING_ROUTES
from crm.merging.routes import MERGE_ROUTES
from crm.privacy.routes import PRIVACY_ROUTES
from crm.products import routes as products
from crm.segments import routes as segments
from crm.tags import routes as tags
from crm.teams import routes as teams


def register_protected(router: ResourceRouter) -> None:
    for domain in (contacts, custom_fields, leads, products, segments, tags, teams):
        domain.register_protected(router)
    router.add(*EXPORT_ROUTES)
    router.add(*IMPORT_ROUTES)
    router.add(*MERGE_ROUTES)
    router.add(*MEETING_ROUTES)
    router.add(*ACTIVITY_ROUTES)
    router.add(*FILE_ROUTES)
    router.add(*BULK_JOB_ROUTES)
    router.add(*PRIVACY_ROUTES)


__all__ = ["register_protected", "web"]
