"""The CRM's registrations whose order counts; each domain has the others."""

from __future__ import annotations

from core.reports import register_report
from crm.activities import reports as activities
from crm.contacts import reports as contacts
from crm.contacts.tags import clear_categories, untag_contacts
from crm.imports import reports as imports
from crm.imports.rows.lookups import clear_import_categories, untag_imports
from crm.leads import forecast
from crm.leads import reports as leads
from crm.leads.tags import untag_leads
from crm.organizations import reports as organizations
from crm.organizations.tags import untag_organizations
from crm.tags.services import before_categories_deleted, before_tags_deleted

# A worker that imports leads locks them before its import, so the deletion of a tag does the same.
for untag in (untag_contacts, untag_leads, untag_organizations, untag_imports):
    before_tags_deleted.connect(untag)
for clear in (clear_categories, clear_import_categories):
    before_categories_deleted.connect(clear)
# As the schema and errors of the API list them.
for domain in (leads, forecast, contacts, organizations, activities, imports):
    for report in domain.REPORTS:
        register_report(report)
