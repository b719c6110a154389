"""Reads of received mail that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from outreach.inbox.models import InboundMessage


def unread_replies() -> QuerySet[InboundMessage]:
    """Return the replies that nobody has read."""
    return InboundMessage.objects.filter(kind=InboundMessage.Kind.REPLY, read_at=None)
