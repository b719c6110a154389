"""Back office pages of checks of senders' domains, and of DKIM keys."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.messaging.deliverability.models import DkimKey, SenderCheck


@admin.register(DkimKey)
class DkimKeyAdmin(CompanyRecordAdmin):
    """Keys by which messages are signed. Only their company makes and deletes them."""

    icon = "key"
    hides = ("private_key",)
    list_display = ("__str__", "company", "algorithm", "status", "created_at")
    list_filter = (BY_COMPANY, "status", "algorithm")
    search_fields = ("=id", "domain", "selector")


@admin.register(SenderCheck)
class SenderCheckAdmin(CompanyRecordAdmin):
    """The last checks of senders' domains."""

    icon = "traffic"
    hides = ("worker", "lease")
    list_display = ("__str__", "company", "light", "status", "checked_at", "due_at")
    list_filter = (BY_COMPANY, "light", "status")
    search_fields = ("=id", "domain")
