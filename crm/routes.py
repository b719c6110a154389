"""Addresses of the CRM: each domain registers its own."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.activities import routes as activities
from crm.bulk_jobs import routes as bulk_jobs
from crm.contacts import routes as contacts
from crm.custom_fields import routes as custom_fields
from crm.exports import routes as exports
from crm.files import routes as files
from crm.files.downloads import web
from crm.imports import routes as imports
from crm.leads import routes as leads
from crm.meetings import routes as meetings
from crm.merging import routes as merging
from crm.organizations import routes as organizations
from crm.pipelines import routes as pipelines
from crm.privacy import routes as privacy
from crm.products import routes as products
from crm.saved_views import routes as saved_views
from crm.segments import routes as segments
from crm.tags import routes as tags
from crm.teams import routes as teams
from crm.timeline import routes as timeline
from crm.webhooks import routes as webhooks

DOMAINS = (
    activities,
    bulk_jobs,
    contacts,
    custom_fields,
    exports,
    files,
    imports,
    leads,
    meetings,
    merging,
    organizations,
    pipelines,
    privacy,
    products,
    saved_views,
    segments,
    tags,
    teams,
    timeline,
    webhooks,
)


def register_protected(router: ResourceRouter) -> None:
    for domain in DOMAINS:
        domain.register_protected(router)


__all__ = ["register_protected", "web"]
