"""Back office pages of conversations."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import register_event_kind
from outreach.chat.conversations.models import AnswerTime, CannedAnswer, Conversation, ConversationMessage


@admin.register(Conversation)
class ConversationAdmin(CompanyRecordAdmin):
    """Conversations between companies and people, by chat and by mail."""

    icon = "forum"
    hides = ("bot",)
    list_display = (
        "__str__",
        "company",
        "channel",
        "state",
        "assignee",
        "unread",
        "last_message_at",
        "answer_due_at",
        "overdue_at",
    )
    list_filter = (BY_COMPANY, "channel", "state")
    search_fields = ("=id", "name", "=address")


@admin.register(ConversationMessage)
class ConversationMessageAdmin(CompanyRecordAdmin):
    """Messages of conversations, and notes."""

    icon = "chat_bubble"
    list_display = ("__str__", "company", "direction", "author", "happened_at")
    list_filter = (BY_COMPANY, "direction", "author")
    search_fields = ("=id", "=conversation__id", "=external_id")


@admin.register(CannedAnswer)
class CannedAnswerAdmin(CompanyRecordAdmin):
    """Words that members often answer with."""

    icon = "quickreply"
    list_display = ("__str__", "company", "created_at")
    search_fields = ("=id", "name")


@admin.register(AnswerTime)
class AnswerTimeAdmin(CompanyRecordAdmin):
    """Response targets of teams."""

    icon = "timer"
    list_display = ("__str__", "company", "team", "created_at")
    search_fields = ("=id",)


register_event_kind(Conversation, "conversation")
