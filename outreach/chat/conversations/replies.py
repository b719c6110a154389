"""Replies by chat: they stop the automatic messages to their contact."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Max, Q, Value
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from crm.models import Contact
from outreach.chat.conversations.channels import CHANNELS
from outreach.chat.conversations.models import Conversation
from outreach.messaging.delivery.outcomes import REPLIES
from outreach.messaging.inbox.models import InboundMessage

PROVEN = tuple(key for key, channel in CHANNELS.items() if channel.proves_writer and key != Conversation.Channel.MAIL)
"""Channels on which an incoming message counts as a reply. An email counts only if it answers a sent one."""


def stop_outreach(conversation: Conversation, at: datetime) -> None:
    """Record that the contact has replied, so that it gets no more automatic messages."""
    now = timezone.now()
    at = min(at, now)
    Contact.objects.filter(pk=conversation.contact_id).update(
        replied_at=Greatest(Coalesce(F("replied_at"), at), at), updated_at=now
    )


def confirm(conversation: Conversation) -> None:
    """Count the last message as the contact's reply: a member says that the contact wrote it. The caller saves it."""
    conversation.contact_confirmed = True
    if conversation.last_inbound_at is not None:
        stop_outreach(conversation, conversation.last_inbound_at)


def take_reply_back(contact_id: str, conversation: Conversation) -> None:
    """Set the contact's time of reply to that of its other messages, if the conversation's was the last.

    Call it once the conversation is saved with another contact.
    """
    contact = Contact.objects.select_for_update().only("replied_at").filter(pk=contact_id).first()
    last = conversation.last_inbound_at
    # A later reply came from elsewhere.
    if contact is None or contact.replied_at is None or last is None or contact.replied_at > last:
        return
    Contact.objects.filter(pk=contact_id).update(replied_at=_last_reply(contact_id), updated_at=timezone.now())


def _last_reply(contact_id: str) -> datetime | None:
    """Return when the contact last replied by mail, or wrote in a conversation that is certainly theirs."""
    mails = InboundMessage.objects.filter(
        contact_id=contact_id, kind__in=REPLIES, send_job__contact_id=contact_id
    ).aggregate(
        # As when the mail came: no reply is before the message that it replies to.
        last=Max(Greatest("received_at", F("send_job__sent_at") + Value(timedelta(milliseconds=1))))
    )
    theirs = Q(channel__in=PROVEN) | Q(contact_confirmed=True)
    chats = Conversation.objects.filter(theirs, contact_id=contact_id).aggregate(last=Max("last_inbound_at"))
    times = [answer["last"] for answer in (mails, chats) if answer["last"] is not None]
    return min(max(times), timezone.now()) if times else None
