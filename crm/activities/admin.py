"""Back office pages of lead activities and call logs."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import register_event_kind
from core.text.translation import gettext_lazy as _
from crm.activities.models import CallLog, LeadActivity


@admin.register(LeadActivity)
class LeadActivityAdmin(CompanyRecordAdmin):
    """Activities, read-only: a record of past events."""

    icon = "history"
    list_display = ("kind", "lead", "contact", "member", "company", "happened_at")
    list_filter = (BY_COMPANY, ("kind", ChoicesDropdownFilter))
    search_fields = ("=id", "=lead__id", "=contact__id")
    search_help_text = _("Id of the activity, lead or contact")


@admin.register(CallLog)
class CallLogAdmin(CompanyRecordAdmin):
    """Call logs, read-only: the API changes them together with their activities and events."""

    icon = "call"
    list_display = ("number", "direction", "outcome", "contact", "member", "company", "started_at", "duration_seconds")
    list_filter = (BY_COMPANY, ("direction", ChoicesDropdownFilter), ("outcome", ChoicesDropdownFilter))
    search_fields = ("=id", "=lead__id", "=contact__id", "=number")
    search_help_text = _("Number, such as +49…, or id of the call, lead or contact")


register_event_kind(CallLog, "calllog")
