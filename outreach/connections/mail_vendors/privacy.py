"""Personal data in the last errors of mail vendor apps."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.privacy.registry import DataSubject, mentioning, register_personal_data
from outreach.connections.mail_vendors.models import MailApp


def blank_errors(subject: DataSubject, rows: QuerySet[MailApp]) -> int:
    """Blank the last errors, which may name the recipient."""
    return rows.update(last_error="")


def register_tables() -> None:
    """Register the personal data in the last errors of apps."""
    register_personal_data(
        "mailVendorErrors", MailApp, lambda subject: mentioning(subject, "last_error"), blank_errors, exported=False
    )
