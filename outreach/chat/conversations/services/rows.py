"""Locked rows of conversations, and the events of members' actions."""

from __future__ import annotations

from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from outreach.chat.conversations.incoming import event_payload
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.messaging.inbox.models import InboundMessage

MODULE = "chatapp"
NOT_FOUND = "NotFound_404"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no conversation of the company."""
    return NamedError(NOT_FOUND, "there is no such conversation in this company", field="id")


def lock_conversation(id: str) -> Conversation:
    """Return the conversation, locked until the transaction ends. Raises NotFound_404."""
    rows = Conversation.objects.select_for_update(of=("self",)).select_related("chat_app", "contact")
    conversation: Conversation | None = rows.filter(pk=id).first()
    if conversation is None:
        raise not_found()
    return conversation


def emit_action(action: str, conversation: Conversation, member_id: str, **values: str | None) -> None:
    """Emit the event of a member's action, with further values of its payload."""
    payload = {**event_payload(conversation), **values}
    emit(f"conversation.{action}", [conversation.pk], payloads={conversation.pk: payload}, actor_id=member_id)


def mark_mail_read(id: str) -> None:
    """Mark the received mails of the conversation as read."""
    mails = ConversationMessage.objects.filter(conversation_id=id, inbound__isnull=False).values("inbound")
    now = timezone.now()
    InboundMessage.objects.filter(pk__in=mails, read_at=None).update(read_at=now, updated_at=now)
