"""Messages that the owner of an unsubscribe link gets from the company, and the reversal of unsubscribing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from core.events import emit
from core.tenancy import company_scope
from crm.models import Contact
from outreach.messaging.delivery.limits.sending_hours import company_language
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber
from outreach.messaging.suppression.models import Suppression


@dataclass(frozen=True)
class Preferences:
    """A recipient's state: ask (they get messages), done (unsubscribed) or listed (blocked otherwise), with their
    messages."""

    state: str
    address: str
    """The one that the message went to, of which only a part is shown: links are passed on."""
    language: str
    count: int
    last_at: datetime | None


def preferences(who: Unsubscriber) -> Preferences:
    """Return the recipient's state and messages. Changes nothing."""
    with company_scope(who.company_id):
        contact = Contact.objects.filter(pk=who.contact_id).first()
        recipient = _recipient(who)
        listed = _suppression_reasons(recipient, contact)
        unsubscribed = contact is not None and contact.unsubscribed_at is not None
        # A bounce or a complaint outweighs: such an address cannot be taken off with the link alone.
        if listed - {Suppression.Reason.UNSUBSCRIBED}:
            state = "listed"
        else:
            state = "done" if listed or unsubscribed else "ask"
        sent = SendJob.objects.filter(contact_id=who.contact_id, status=SendJob.Status.SENT)
        totals = sent.aggregate(count=Count("pk"), last=Max("sent_at"))
        return Preferences(state, mask_address(recipient), company_language(), totals["count"], totals["last"])


def resubscribe(who: Unsubscriber) -> None:
    """Take back that the recipient has unsubscribed; an address that is listed for another reason stays listed."""
    with company_scope(who.company_id), transaction.atomic():
        # As in unsubscribe(): the contact first, then the list, so that both never wait for each other.
        contact = Contact.objects.select_for_update(no_key=True, of=("self",)).filter(pk=who.contact_id).first()
        # The address that the message went to may differ from the contact's present one; both were listed.
        addresses = _addresses(_recipient(who), contact)
        Suppression.objects.filter(email__in=addresses, reason=Suppression.Reason.UNSUBSCRIBED).delete()
        if contact is not None and contact.unsubscribed_at is not None:
            Contact.objects.filter(pk=contact.pk).update(unsubscribed_at=None, updated_at=timezone.now())
            emit("contact.resubscribed", [contact.pk], payloads={contact.pk: {"sendJob": who.message_id}})


def mask_address(address: str) -> str:
    """Return the address with most of its local part hidden; "" for none."""
    local, at, domain = address.rpartition("@")
    return f"{local[:1]}{'•' * 3}{at}{domain}" if at else ""


def _recipient(who: Unsubscriber) -> str:
    return SendJob.objects.filter(pk=who.message_id).values_list("recipient", flat=True).first() or ""


def _addresses(recipient: str, contact: Contact | None) -> set[str]:
    return {address.lower() for address in (recipient, contact.email if contact else "") if address}


def _suppression_reasons(recipient: str, contact: Contact | None) -> set[str]:
    rows = Suppression.objects.filter(email__in=_addresses(recipient, contact))
    return set(rows.values_list("reason", flat=True))
