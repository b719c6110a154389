"""Back office pages of connected calendars."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent


@admin.register(CalendarConnection)
class CalendarConnectionAdmin(CompanyRecordAdmin):
    """Members' calendars at Google."""

    icon = "calendar_month"
    hides = ("worker", "lease", "api_key", "access_token", "state_hash", "busy")
    list_display = ("email", "company", "member", "is_active", "needs_login", "busy_at", "error", "created_at")
    list_filter = (BY_COMPANY, "is_active", "needs_login")
    search_fields = ("=id", "email")


@admin.register(CalendarEvent)
class CalendarEventAdmin(CompanyRecordAdmin):
    """Meetings that are written to calendars."""

    icon = "event_available"
    hides = ("worker", "lease", "written")
    list_display = ("__str__", "company", "connection", "status", "written_at", "attempts", "error", "created_at")
    list_filter = (BY_COMPANY, "status")
    search_fields = ("=id", "=meeting__id")
