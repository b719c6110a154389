"""Back office pages of quotes."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import register_event_kind
from outreach.site.quotes.models import Quote, QuoteSettings


@admin.register(Quote)
class QuoteAdmin(CompanyRecordAdmin):
    """Quotes, read-only: the API changes them together with their sums and events."""

    icon = "request_quote"
    finds = True
    hides = ("lines",)
    list_display = ("__str__", "company", "title", "status", "total", "currency", "valid_until", "lead", "created_at")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "=number", "title", "=lead__id")


@admin.register(QuoteSettings)
class QuoteSettingsAdmin(CompanyRecordAdmin):
    """Companies' settings for quotes."""

    icon = "settings"
    search_fields = ("=id",)
    list_display = ("__str__", "company", "last_number", "valid_days", "moves_accepted", "updated_at")


register_event_kind(Quote, "quote")
