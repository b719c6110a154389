"""Addresses that are never written to, and the one click that puts one there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError, ValidationFailed
from core.events import emit
from core.tenancy import company_scope
from crm.models import Contact
from outreach.delivery.facts import is_address
from outreach.delivery.models import SendJob
from outreach.suppression.models import Suppression
from outreach.suppression.tokens import Unsubscriber


def suppress_address(
    *,
    email: str,
    reason: str = Suppression.Reason.MANUAL,
    source: str = "",
    details: dict[str, Any] | None = None,
    member_id: str | None = None,
) -> Suppression:
    """Never write to the address again, whatever its case; an address that is listed already keeps its first reason."""
    email = email.strip().lower()
    if not is_address(email) or len(email) > 254:
        raise ValidationFailed("email is no e-mail address", f"email: {email[:100]!r} is no e-mail address")
    found, _ = Suppression.objects.get_or_create(
        email=email, defaults={"reason": reason, "source": source, "details": details or {}, "created_by_id": member_id}
    )
    return found


@transaction.atomic
def delete_suppressions(*, ids: Sequence[str]) -> int:
    """Take addresses off the list; a contact that has unsubscribed stays unsubscribed. NotFound_404 when none of the ids is on it."""
    deleted, _ = Suppression.objects.filter(pk__in=ids).delete()
    if not deleted:
        raise NamedError("NotFound_404", "ids: none of them is on this company's list")
    return deleted


def unsubscribe(who: Unsubscriber) -> None:
    """The contact is not written to any more, at its own address and at the one that the message went to; asking again changes nothing."""
    with company_scope(who.company_id), transaction.atomic():
        contact = Contact.objects.select_for_update(no_key=True, of=("self",)).filter(pk=who.contact_id).first()
        recipient = SendJob.objects.filter(pk=who.message_id).values_list("recipient", flat=True).first()
        for email in {(address or "").lower() for address in (recipient, contact and contact.email)}:
            if is_address(email):
                suppress_address(email=email, reason=Suppression.Reason.UNSUBSCRIBED, source=who.message_id)
        if contact is not None and contact.unsubscribed_at is None:
            now = timezone.now()
            Contact.objects.filter(pk=contact.pk).update(unsubscribed_at=now, updated_at=now)
            emit("contact.unsubscribed", [contact.pk], payloads={contact.pk: {"sendJob": who.message_id}})
