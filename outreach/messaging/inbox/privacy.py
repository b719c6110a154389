"""Personal data in received mail."""

from __future__ import annotations

from django.db.models import Q

from core.models import Event
from crm.privacy.registry import DataSubject, referring_rows, register_last_errors, register_personal_data
from crm.privacy.tables import clear_event_payloads
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage


def _mails(subject: DataSubject) -> Q:
    """Match mail from the person, about them, or in answer to a message to them."""
    return referring_rows(InboundMessage, subject) | Q(from_email__in=subject.emails) | Q(recipient__in=subject.emails)


def _events(subject: DataSubject) -> Q:
    return Q(object_id__in=InboundMessage.objects.filter(_mails(subject)).values("pk"))


def register_tables() -> None:
    """Register the personal data in received mail, which erasure deletes, in its events, and in mailboxes' errors."""
    # The events come first, as long as it is known which mail they are about.
    register_personal_data("receivedMailEvents", Event, _events, clear_event_payloads, module="genie", exported=False)
    register_personal_data("receivedMail", InboundMessage, _mails, module="genie")
    register_last_errors("mailboxErrors", ImapMailbox)
