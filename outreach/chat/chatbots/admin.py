"""Back office pages of chatbots."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.chat.chatbots.models import ManualChatbot


@admin.register(ManualChatbot)
class ManualChatbotAdmin(CompanyRecordAdmin):
    """Chatbots that companies have written."""

    icon = "smart_toy"
    list_display = ("__str__", "company", "kind", "status", "published_version", "latest_version", "created_at")
    list_filter = (BY_COMPANY, "status", "kind")
    search_fields = ("=id", "name")
