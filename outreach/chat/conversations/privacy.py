"""Personal data in conversations, in the chat vendor's events, and in opt-outs."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from core.jobs import notify_workers
from core.models import Event
from core.types import JsonObject
from crm.files.models import File
from crm.privacy.registry import DataSubject, referring_rows, register_last_errors, register_personal_data
from crm.privacy.tables import clear_event_payloads
from crm.webhooks.models import WebhookDelivery
from outreach.chat.conversations.channels import ERASED
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.connections.chat_apps.models import ChatApp, ChatOptOut

MODULE = "chatapp"


def _conversations(subject: DataSubject) -> Q:
    return referring_rows(Conversation, subject)


def _messages(subject: DataSubject) -> Q:
    return Q(conversation__in=Conversation.objects.filter(_conversations(subject)))


def _events(subject: DataSubject) -> Q:
    return Q(object_id__in=Conversation.objects.filter(_conversations(subject)).values("pk"))


def number_condition(subject: DataSubject, column: str) -> Q:
    """Match the rows whose number is one of the person's; a number is the end of its E.164."""
    condition = Q(pk__in=[])
    for number in subject.numbers:
        condition |= Q(**{f"{column}__endswith": number})
    return condition


def blank_messages(subject: DataSubject, rows: QuerySet[ConversationMessage]) -> int:
    """Blank the messages; received mail is deleted with its own table.

    The vendor's id stays, so that a repeated message is not stored. The person's files are deleted; files of the
    company stay.
    """
    now = timezone.now()
    sent = rows.filter(direction=ConversationMessage.Direction.IN, file__isnull=False)
    files = File.objects.filter(pk__in=list(sent.values_list("file_id", flat=True)), is_deleted=False)
    if files.update(name="", hashes={}, is_deleted=True, trashed_at=now, updated_at=now):
        notify_workers("files")
    return rows.update(text="", media=None, inbound=None, file=None, file_due_at=None, file_error="")


NOBODY: JsonObject = {
    "lead": None,
    "name": "",
    "last_text": "",
    "subject": "",
    "bot": {},
    "bot_due_at": None,
    "state": Conversation.State.CLOSED,
    "snoozed_until": None,
    "waiting_since": None,
    "answer_due_at": None,
}
"""Values of a conversation after the erasure of its person's data."""


def blank_conversations(subject: DataSubject, rows: QuerySet[Conversation]) -> int:
    """Blank who it was. Nobody answers there any more: a new message begins another conversation."""
    count = 0
    for row in rows:
        Conversation.objects.filter(pk=row.pk).update(address=f"{ERASED}{row.pk}", **NOBODY)
        count += 1
    return count


def register_tables() -> None:
    """Register the tables; events and messages come first, as long as it is known whose they are."""
    register_personal_data("conversationEvents", Event, _events, clear_event_payloads, module=MODULE, exported=False)
    register_personal_data("conversationDeliveries", WebhookDelivery, _events, module=MODULE, exported=False)
    register_personal_data("conversationMessages", ConversationMessage, _messages, blank_messages, module=MODULE)
    register_personal_data(
        "conversations", Conversation, _conversations, blank_conversations, module=MODULE, hides=frozenset({"bot"})
    )
    # An opt-out stays: erasing it would let messages go to somebody who wants none.
    register_personal_data(
        "chatOptOuts",
        ChatOptOut,
        lambda subject: number_condition(subject, "phone"),
        lambda subject, rows: 0,
        module=MODULE,
    )
    register_last_errors("chatAppErrors", ChatApp)
