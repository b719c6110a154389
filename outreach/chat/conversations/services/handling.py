"""Snoozing, closing, reopening and reading of conversations."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError, ValidationFailed
from outreach.chat.conversations.incoming import enter
from outreach.chat.conversations.outgoing import cancel_unsent
from outreach.chat.conversations.services.rows import emit_action, lock_conversation, mark_mail_read
from outreach.chat.conversations.states import CLOSED
from outreach.chat.conversations.targets import save_with_target


@transaction.atomic
def snooze(*, id: str, until: datetime | None) -> None:
    """Snooze the conversation until this time, or until the person writes. None: wake it.

    Raises NotFound_404, and ValidationFailed for a past time.
    """
    if until is not None and until <= timezone.now():
        raise ValidationFailed("until is over", "choose a time in the future", field="until")
    conversation = lock_conversation(id)
    if until is not None and conversation.state == CLOSED:
        raise NamedError("InvalidRequest_400", "the conversation is closed; it rests already", field="id")
    conversation.snoozed_until = until
    save_with_target(conversation)


@transaction.atomic
def close(*, id: str, member_id: str) -> None:
    """End the conversation until the person writes again. Raises NotFound_404 and InvalidRequest_400."""
    conversation = lock_conversation(id)
    cancel_unsent(conversation, member_id)
    enter(conversation, "close")
    conversation.snoozed_until = None
    conversation.unread = 0
    mark_mail_read(id)
    save_with_target(conversation)
    emit_action("closed", conversation, member_id)


@transaction.atomic
def reopen(*, id: str, member_id: str) -> None:
    """Reopen a closed conversation, which then waits for a member. Raises NotFound_404 and InvalidRequest_400."""
    conversation = lock_conversation(id)
    if conversation.state != CLOSED:
        raise NamedError("InvalidRequest_400", f"the conversation is {conversation.state}, and not closed", field="id")
    enter(conversation, "queue")
    save_with_target(conversation)
    emit_action("reopened", conversation, member_id)


@transaction.atomic
def mark_read(*, id: str, is_read: bool = True) -> None:
    """Mark the conversation as read, or as unread. Raises NotFound_404."""
    conversation = lock_conversation(id)
    conversation.unread = 0 if is_read else max(conversation.unread, 1)
    conversation.save(update_fields=("unread", "updated_at"))
    if is_read:
        mark_mail_read(id)
