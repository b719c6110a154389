"""Reads of received mail that are more than a filter."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet
from django.db.models.functions import Left

from core.types import Values
from outreach.connections.senders.selectors import FAILING
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage

TIMELINE_LENGTH = 10_000
"""Characters of a mail that a timeline shows."""


def unread_replies() -> QuerySet[InboundMessage]:
    """Return the replies that nobody has read."""
    return InboundMessage.objects.filter(kind=InboundMessage.Kind.REPLY, read_at=None)


def failing_mailboxes() -> QuerySet[ImapMailbox]:
    """Return the mailboxes in use that cannot be read."""
    return ImapMailbox.objects.filter(FAILING, is_active=True, smtp__is_active=True)


def words_of(events: Mapping[str, str]) -> Mapping[str, Values]:
    """Return the words of sent messages and of replies, by their ids; longer ones are cut."""
    sent = SendJob.objects.filter(pk__in=[id for id, event in events.items() if event == "sent"])
    received = InboundMessage.objects.filter(pk__in=[id for id, event in events.items() if event == "replied"])
    text, quoted = Left("text", TIMELINE_LENGTH), Left("quoted", TIMELINE_LENGTH)
    words: dict[str, Values] = {id: {"text": text} for id, text in sent.values_list("pk", text)}
    for id, said, before in received.values_list("pk", text, quoted):
        words[id] = {"text": said, "quoted": before}
    return words
