"""Back office pages of widgets and their visitors."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.chat.widgets.models import ChatWidget, WidgetVisitor


@admin.register(ChatWidget)
class ChatWidgetAdmin(CompanyRecordAdmin):
    """Chats on the websites of companies."""

    icon = "chat"
    list_display = ("__str__", "company", "is_active", "chatbot", "created_at")
    list_filter = (BY_COMPANY, "is_active")
    search_fields = ("=id", "name", "=token")


@admin.register(WidgetVisitor)
class WidgetVisitorAdmin(CompanyRecordAdmin):
    """People who have written by a widget in the last 30 days."""

    icon = "person_pin"
    list_display = ("__str__", "company", "widget", "seen_at")
    search_fields = ("=id", "=email")
