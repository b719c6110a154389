"""Back office pages of events of the chat vendor."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.chat.chat_events.models import ChatEvent


@admin.register(ChatEvent)
class ChatEventAdmin(CompanyRecordAdmin):
    """Events reported by the chat vendor."""

    icon = "webhook"
    operators_only = True
    hides = ("data", "dedupe_key")
    list_display = ("__str__", "app", "company", "happened_at", "applied_at", "error")
    list_filter = (BY_COMPANY, "kind")
    search_fields = ("=id", "=phone")
