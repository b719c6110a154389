"""Reads of deliverability."""

from __future__ import annotations

from outreach.connections.senders.services import get_sender
from outreach.messaging.deliverability.keys import domain_of
from outreach.messaging.deliverability.models import SenderCheck


def last_check(id: str) -> tuple[str, SenderCheck | None]:
    """Return the sender's domain and its last check. Raises SmtpNotFound_404.

    A check of another domain, from before the From address changed, is ignored.
    """
    domain = domain_of(get_sender(id))
    return domain, SenderCheck.objects.filter(smtp_id=id, domain=domain).exclude(checked_at=None).first()
