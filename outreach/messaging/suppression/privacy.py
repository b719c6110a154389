"""Personal data on the suppression list, which erasure keeps."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, register_personal_data
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress

SOURCE = "erasure"


def keep_suppressed(subject: DataSubject, rows: QuerySet[Suppression]) -> int:
    """Suppress all addresses of the contact, so that nobody writes to them again. Only the details are removed."""
    rows.update(details={})
    suppress(subject.emails, source=SOURCE)
    return 0


def register_tables() -> None:
    """Register the personal data of the suppression list."""
    register_personal_data(
        "suppressions", Suppression, lambda subject: Q(email__in=subject.emails), keep_suppressed, module="genie"
    )
