"""The reports of the CRM; each domain declares its own, and a further domain is a word here."""

from __future__ import annotations

from core.reports import register_report
from crm.activities import reports as activities
from crm.contacts import reports as contacts
from crm.imports import reports as imports
from crm.leads import reports as leads


def register_reports() -> None:
    """Register the reports; called when the app is ready."""
    for domain in (leads, contacts, activities, imports):
        for report in domain.REPORTS:
            register_report(report)
