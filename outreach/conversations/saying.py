"""What the company says in a conversation: a message of the ledger, which goes as all others do, and its place here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from core.errors import NamedError, ValidationFailed
from core.ids import new_id
from core.jobs import notify_workers
from core.tenancy import company_id
from outreach.chat_apps.models import ChatTemplate
from outreach.chat_apps.selectors import is_phone, opted_out
from outreach.conversations.channels import CHANNELS, ConversationChannel, Words, channel_of
from outreach.conversations.models import Conversation, ConversationMessage
from outreach.delivery import ledger
from outreach.delivery.chats import SESSION
from outreach.delivery.models import SendJob

Author = ConversationMessage.Author
Direction = ConversationMessage.Direction
TEXT_LENGTH = 4096
CLOSED = "NoMessagesSent_400"


def check_open(conversation: Conversation) -> None:
    """Raise NoMessagesSent_400 for a conversation in which no free words may be said now."""
    channel = channel_of(conversation)
    if not channel.is_open(conversation):
        raise NamedError(CLOSED, f"text: {channel.closed}")


def check_reachable(conversation: Conversation, *, template: bool) -> None:
    """Raise NoMessagesSent_400 for whom nothing may go to."""
    channel_of(conversation).check_reachable(conversation, template=template)


class ChatAppChannel(ConversationChannel):
    """Chats at the vendor: each message is one of the ledger, which goes as all others do."""

    key = Conversation.Channel.CHATAPP
    window = SESSION
    closed = "more than 24 hours have passed since the person's last message; send an approved template"

    def check_reachable(self, conversation: Conversation, *, template: bool) -> None:
        app, contact = conversation.chat_app, conversation.contact
        if app is None or not app.is_active:
            raise NamedError(CLOSED, "id: the chat app of the conversation is switched off")
        if contact.is_deleted or contact.contact_number != conversation.address or not is_phone(conversation.address):
            raise NamedError(CLOSED, "id: the contact was deleted, or has another number now")
        if template and opted_out([conversation.address]):
            raise NamedError(CLOSED, "template: the person has asked for no such messages")

    def plan(self, conversation: Conversation, words: Words) -> SendJob:
        job = SendJob(
            id=new_id(),
            chat_app_id=conversation.chat_app_id,
            chat_template=words.template,
            conversation=conversation,
            chat=dict(words.content),
            contact_id=conversation.contact_id,
            channel=SendJob.Channel.CHATAPP,
            occurrence=next_numbers([conversation.contact_id])[conversation.contact_id],
            recipient=conversation.address,
            text=words.text,
            status=SendJob.Status.APPROVED,
            approved_at=timezone.now(),
            approved_by_id=words.member_id,
            created_by_id=words.member_id,
            updated_by_id=words.member_id,
        )
        job.save(force_insert=True)
        ledger.record_planned([job.pk], actor_id=words.member_id)
        transaction.on_commit(lambda: notify_workers("send"))
        return job


CHANNELS[ChatAppChannel.key] = ChatAppChannel()


def text_content(text: str) -> dict[str, Any]:
    """Return free words as the vendor takes them. Raises ValidationFailed."""
    if not text.strip() or len(text) > TEXT_LENGTH:
        raise ValidationFailed("text is missing or too long", f"text: 1 to {TEXT_LENGTH:,} characters")
    return {"type": "text", "text": {"body": text, "preview_url": False}}


def say(
    conversation: Conversation,
    *,
    content: Mapping[str, Any],
    text: str,
    author: str,
    member_id: str | None = None,
    template: ChatTemplate | None = None,
) -> ConversationMessage:
    """Say something in a conversation whose row the caller has locked, in the caller's transaction."""
    job = channel_of(conversation).plan(conversation, Words(content, text, author, member_id, template))
    now = timezone.now()
    message = ConversationMessage.objects.create(
        conversation=conversation,
        direction=Direction.OUT,
        author=author,
        member_id=member_id,
        kind=str(content["type"]),
        text=text,
        send_job=job,
        happened_at=now,
    )
    conversation.last_text, conversation.last_message_at = " ".join(text.split())[:200], now
    return message


def next_numbers(contact_ids: Iterable[str]) -> dict[str, int]:
    """Return contact -> the number of its next message of no run. Whoever asks holds a lock on each until the
    transaction ends."""
    ids = sorted(set(contact_ids))
    keys = sorted(
        int.from_bytes(hashlib.sha256(f"chat:{company_id()}:{id}".encode()).digest()[:8], signed=True) for id in ids
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])
    rows = SendJob.objects.filter(contact_id__in=ids, run=None, channel=SendJob.Channel.CHATAPP).order_by()
    last = dict(rows.values_list("contact_id").annotate(last=Max("occurrence")))
    return {id: (last.get(id) or 0) + 1 for id in ids}


def take_back(conversation: Conversation, member_id: str | None) -> int:
    """Cancel what a chatbot has said and has not gone yet. Returns how many messages."""
    jobs: Sequence[str] = list(
        ConversationMessage.objects.filter(
            conversation=conversation, author=Author.BOT, send_job__status__in=SendJob.TO_SEND
        ).values_list("send_job_id", flat=True)
    )
    rows = SendJob.objects.filter(pk__in=jobs, status__in=SendJob.TO_SEND)
    gone: dict[str, Any] = {"lease": None, "worker": None}
    return (
        ledger.transition_all(rows, to=SendJob.Status.CANCELLED, reason="taken_over", actor_id=member_id, **gone)
        if jobs
        else 0
    )
