"""Personal data in events of mail vendors."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, referring_rows, register_personal_data
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.mail_events.models import MailEvent


def _events(subject: DataSubject) -> Q:
    # Vendors repeat addresses in any case.
    addresses = Q(pk__in=[])
    for email in subject.emails:
        addresses |= Q(recipient__iexact=email)
    return addresses | Q(send_job__in=SendJob.objects.filter(referring_rows(SendJob, subject)))


def blank_events(subject: DataSubject, rows: QuerySet[MailEvent]) -> int:
    """Blank the addresses and the vendor's texts. The applied state stays, so that it is not applied again."""
    return rows.update(recipient="", detail="", raw={})


def register_tables() -> None:
    """Register the personal data in events."""
    register_personal_data("mailEvents", MailEvent, _events, blank_events, module="genie")
