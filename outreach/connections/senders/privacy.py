"""Personal data in the last errors of senders."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.privacy.registry import DataSubject, mentioning, register_personal_data
from outreach.connections.senders.models import Smtp


def blank_errors(subject: DataSubject, rows: QuerySet[Smtp]) -> int:
    """Blank the last errors, which may name the recipient."""
    return rows.update(last_error="")


def register_tables() -> None:
    """Register the personal data in senders' last errors."""
    register_personal_data(
        "senderErrors", Smtp, lambda subject: mentioning(subject, "last_error"), blank_errors, exported=False
    )
