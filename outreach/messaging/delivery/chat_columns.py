"""Additional columns of messages by chat."""

from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField


class ChatColumns(models.Model):
    """The columns of messages by chat; a message by mail leaves them empty."""

    chat_app = CompanyForeignKey(
        "outreach.ChatApp", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    chat_template = CompanyForeignKey(
        "outreach.ChatTemplate",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The approved words that it is made of; empty: free words, which go within 24 hours of a message.",
    )
    conversation = CompanyForeignKey(
        "outreach.Conversation",
        on_delete=models.SET_NULL,
        null=True,
        related_name="send_jobs",
        db_index=False,
        help_text="What it is said in, by a person or a chatbot; empty: it is of a run.",
    )
    chat = JSONField(null=True, help_text="Its type, and what the type has, as the chat vendor takes it.")

    class Meta:
        abstract = True


CHAT_INDEXES = [
    models.Index(
        # Each index is partial: most messages are mails and would only make these larger.
        fields=("chat_app", "due_at", "id"),
        condition=models.Q(status="approved", chat_app__isnull=False),
        name="sendjob_chat_due",
    ),
    models.Index(
        fields=("chat_app", "sending_at"),
        condition=models.Q(sending_at__isnull=False, chat_app__isnull=False),
        name="sendjob_chat_sender",
    ),
    models.Index(
        fields=("chat_app", "provider_message_id"),
        condition=models.Q(chat_app__isnull=False) & ~models.Q(provider_message_id=""),
        name="sendjob_chat_id",
    ),
    models.Index(
        fields=("company", "created_at", "id"),
        condition=models.Q(channel="chatapp", status__in=("sending", "sent", "failed", "unknown")),
        name="sendjob_chat_log",
    ),
    models.Index(
        fields=("conversation", "status"),
        condition=models.Q(conversation__isnull=False),
        name="sendjob_conversation",
    ),
    models.Index(
        fields=("chat_template",), condition=models.Q(chat_template__isnull=False), name="sendjob_chat_template"
    ),
]
