"""Back office pages of the assistant: its performance, without the text of any question or answer."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread


@admin.register(CrmChatThread)
class CrmChatThreadAdmin(CompanyRecordAdmin):
    """Conversations of members with the assistant; they are theirs alone."""

    icon = "forum"
    list_display = ("__str__", "company", "owner", "last_message_at")
    search_fields = ("=id",)
    exclude = ("title",)


@admin.register(CrmChatMessage)
class CrmChatMessageAdmin(CompanyRecordAdmin):
    """Questions to the assistant: status, tokens and errors. What was asked and answered is the member's alone."""

    icon = "quiz"
    list_display = ("__str__", "company", "status", "ai_type", "tokens_in", "tokens_out", "error_name", "created_at")
    list_filter = (BY_COMPANY, "status", "ai_type")
    search_fields = ("=id",)
    exclude = ("question", "answer", "evidence", "rounds", "unproved")
