"""Back office pages of the CRM; each domain has its own."""

from crm import company_panels
from crm.activities import admin as activities
from crm.bulk_jobs import admin as bulk_jobs
from crm.contacts import admin as contacts
from crm.custom_fields import admin as custom_fields
from crm.custom_fields import section_admin
from crm.exports import admin as exports
from crm.files import admin as files
from crm.imports import admin as imports
from crm.leads import admin as leads
from crm.meetings import admin as meetings
from crm.merging import admin as merging
from crm.organizations import admin as organizations
from crm.pipelines import admin as pipelines
from crm.products import admin as products
from crm.saved_views import admin as saved_views
from crm.segments import admin as segments
from crm.tags import admin as tags
from crm.teams import admin as teams
from crm.webhooks import admin as webhooks

__all__ = [
    "activities",
    "bulk_jobs",
    "company_panels",
    "contacts",
    "custom_fields",
    "exports",
    "files",
    "imports",
    "leads",
    "meetings",
    "merging",
    "organizations",
    "pipelines",
    "products",
    "saved_views",
    "section_admin",
    "segments",
    "tags",
    "teams",
    "webhooks",
]
