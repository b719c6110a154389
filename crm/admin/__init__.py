"""Back office pages of the CRM, a file for each group of models."""

from crm.admin import activities, companies, contacts, exports, fields, files, leads, meetings, organising

__all__ = ["activities", "companies", "contacts", "exports", "fields", "files", "leads", "meetings", "organising"]
