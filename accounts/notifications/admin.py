"""Back office page of notifications, which are read only."""

from __future__ import annotations

from django.contrib import admin

from accounts.notifications.models import Notification
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _


@admin.register(Notification)
class NotificationAdmin(CompanyRecordAdmin):
    """Notifications of members in the product."""

    icon = "notifications"
    operators_only = True
    list_display = ("text", "kind", "member", "company", "read_at", "created_at")
    list_filter = (BY_COMPANY, "kind")
    search_fields = ("=id", "=record_id")
    search_help_text = _("Id of the notification or the record")
