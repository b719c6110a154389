"""Back office pages of tracking hosts."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.messaging.domain_tracking.models import DomainTracking


@admin.register(DomainTracking)
class DomainTrackingAdmin(CompanyRecordAdmin):
    """Companies' own hosts for the links of their mails."""

    icon = "link"
    hides = ("worker", "lease", "proof")
    list_display = ("name", "company", "state", "checked_at", "verified_at", "created_at")
    list_filter = (BY_COMPANY, "state")
    search_fields = ("=id", "name")
