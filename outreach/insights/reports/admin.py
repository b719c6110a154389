"""Back office pages of dashboards."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.insights.reports.models import Dashboard


@admin.register(Dashboard)
class DashboardAdmin(CompanyRecordAdmin):
    """Dashboards, read-only: the API checks their tiles against the existing reports."""

    icon = "dashboard"
    list_display = ("name", "company", "shared", "created_by", "created_at")
    list_filter = (BY_COMPANY, "shared")
    search_fields = ("=id", "name")
