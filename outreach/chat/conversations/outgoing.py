"""Outgoing messages of a conversation: the message here, and a message of the ledger, which is sent as all others are.

Channels that the person polls need no message of the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError
from core.ids import new_id
from core.jobs import notify_workers
from core.types import JsonObject, Values
from outreach.chat.conversations.channels import channel_of, known_of
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.selectors import opted_out_numbers
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.numbers import next_occurrences

Author = ConversationMessage.Author
Direction = ConversationMessage.Direction
TEXT_LENGTH = 20_000
"""Maximum length, of the channel with the longest texts."""
CLOSED = "NoMessagesSent_400"


def check_open(conversation: Conversation) -> None:
    """Raise NoMessagesSent_400 for a conversation in which no free text is allowed now."""
    channel = channel_of(conversation)
    if not channel.is_open(conversation.last_inbound_at, timezone.now()):
        raise NamedError(CLOSED, channel.over, field="text")


def check_reachable(conversation: Conversation, *, template: bool) -> None:
    """Raise NoMessagesSent_400 for a person to whom nothing may be sent."""
    problem = channel_of(conversation).refusal(known_of(conversation))
    if problem:
        raise NamedError(CLOSED, problem, field="id")
    # Answers to what a person has asked are no marketing; templates are.
    if template and opted_out_numbers([conversation.address]):
        raise NamedError(CLOSED, "the person has asked for no such messages", field="template")


def send(
    conversation: Conversation,
    *,
    content: Values,
    text: str,
    author: str,
    member_id: str | None = None,
    template: ChatTemplate | None = None,
    files: Sequence[Values] = (),
) -> ConversationMessage:
    """Send a message in a conversation whose row the caller has locked, in the caller's transaction.

    `files` have the form of messages' files (outreach.messaging.delivery.attachments).
    """
    columns = channel_of(conversation).columns(conversation, content)
    if columns is not None and files:
        columns = {**columns, "attachments": list(files)}
    job = None if columns is None else _plan(conversation, columns, text, member_id, template)
    now = timezone.now()
    message = ConversationMessage.objects.create(
        conversation=conversation,
        direction=Direction.OUT,
        author=author,
        member_id=member_id,
        kind=str(content["type"]),
        text=text,
        file_id=files[0]["id"] if files else None,
        send_job=job,
        happened_at=now,
    )
    words = text or (files[0]["name"] if files else "")
    conversation.last_text = " ".join(words.split())[:200]
    conversation.last_message_at = now
    return message


def _plan(
    conversation: Conversation,
    columns: Values,
    text: str,
    member_id: str | None,
    template: ChatTemplate | None,
) -> SendJob:
    """Plan the message of the ledger for the content."""
    contact_id = conversation.contact_id
    if contact_id is None:
        raise RuntimeError("a conversation without contact was asked to send")
    job = SendJob(
        id=new_id(),
        chat_template=template,
        conversation=conversation,
        contact_id=contact_id,
        occurrence=next_occurrences([contact_id], columns["channel"])[contact_id],
        text=text,
        **columns,
        status=SendJob.Status.APPROVED,
        approved_at=timezone.now(),
        approved_by_id=member_id,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    job.save(force_insert=True)
    ledger.record_planned([job.pk], actor_id=member_id)
    # After the commit: a worker that wakes earlier would not see the row.
    transaction.on_commit(lambda: notify_workers("send"))
    return job


def cancel_unsent(conversation: Conversation, member_id: str | None) -> int:
    """Cancel the unsent messages of a chatbot. Return their number."""
    jobs: Sequence[str] = list(
        ConversationMessage.objects.filter(
            conversation=conversation, author=Author.BOT, send_job__status__in=SendJob.TO_SEND
        ).values_list("send_job_id", flat=True)
    )
    # Checked again, since a worker may have sent it in between.
    rows = SendJob.objects.filter(pk__in=jobs, status__in=SendJob.TO_SEND)
    gone: JsonObject = {"lease": None, "worker": None}
    return (
        ledger.transition_all(rows, to=SendJob.Status.CANCELLED, reason="taken_over", actor_id=member_id, **gone)
        if jobs
        else 0
    )
