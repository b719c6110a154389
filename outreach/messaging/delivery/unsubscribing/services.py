"""Unsubscribing by the link of a message."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.events import emit
from core.tenancy import company_scope
from crm.models import Contact
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress


def unsubscribe(who: Unsubscriber) -> None:
    """Suppress the contact's address and the one that the message went to. Unsubscribing twice changes nothing."""
    with company_scope(who.company_id), transaction.atomic():
        contact = Contact.objects.select_for_update(no_key=True, of=("self",)).filter(pk=who.contact_id).first()
        recipient = SendJob.objects.filter(pk=who.message_id).values_list("recipient", flat=True).first()
        # The person meant the address that they were written to, and any later one of the contact too.
        addresses = (recipient, contact.email if contact is not None else None)
        suppress(addresses, reason=Suppression.Reason.UNSUBSCRIBED, source=who.message_id)
        # Scanners and people click several times; the first time and one event are kept.
        if contact is not None and contact.unsubscribed_at is None:
            now = timezone.now()
            Contact.objects.filter(pk=contact.pk).update(unsubscribed_at=now, updated_at=now)
            emit("contact.unsubscribed", [contact.pk], payloads={contact.pk: {"sendJob": who.message_id}})
