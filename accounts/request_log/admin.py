"""Back office pages of the server log and the login log, which nobody edits."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeNumericFilter

from accounts.request_log.models import LoginLog, ServerLog
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin


@admin.register(ServerLog)
class ServerLogAdmin(CompanyRecordAdmin):
    """Requests to the API, those of nobody too."""

    icon = "dns"
    list_display = ("created_at", "company", "door", "method", "route", "status", "duration_ms", "user", "ip")
    list_filter = (BY_COMPANY, ("status", RangeNumericFilter), ("door", ChoicesDropdownFilter))
    list_select_related = ("company", "user")
    search_fields = ("=id", "path")
    search_help_text = "Id, or a part of the path; in a long log choose the company too"


@admin.register(LoginLog)
class LoginLogAdmin(CompanyRecordAdmin):
    """Attempts to log in, once for each company of the person; those of strangers belong to none."""

    icon = "login"
    list_display = ("created_at", "email", "status", "reason", "company", "ip", "user_agent")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "email")
    search_help_text = "Id, or a part of the address"
