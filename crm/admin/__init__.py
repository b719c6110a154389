"""Back office pages of the CRM, a file for each group of models."""

from crm.admin import activities, bulk_jobs, companies, contacts, exports, fields, files, imports, leads, meetings, merges, organising, tags

__all__ = [
    "activities",
    "bulk_jobs",
    "companies",
    "contacts",
    "exports",
    "fields",
    "files",
    "imports",
    "leads",
    "meetings",
    "merges",
    "organising",
    "tags",
]
