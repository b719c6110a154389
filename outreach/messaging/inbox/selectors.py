"""Reads of received mail that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from outreach.connections.senders.selectors import FAILING
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage


def unread_replies() -> QuerySet[InboundMessage]:
    """Return the replies that nobody has read."""
    return InboundMessage.objects.filter(kind=InboundMessage.Kind.REPLY, read_at=None)


def failing_mailboxes() -> QuerySet[ImapMailbox]:
    """Return the mailboxes in use that cannot be read."""
    return ImapMailbox.objects.filter(FAILING, is_active=True, smtp__is_active=True)
