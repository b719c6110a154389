"""Back office pages of booking."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.site.booking.models import Booking, BookingPage, BookingSlug, MemberHours


@admin.register(BookingPage)
class BookingPageAdmin(CompanyRecordAdmin):
    """Companies' booking pages."""

    icon = "calendar_add_on"
    list_display = ("name", "company", "member", "team", "is_active", "kind", "created_at")
    list_filter = (BY_COMPANY, "is_active", "kind")
    search_fields = ("=id", "name", "=token", "=slug")


@admin.register(BookingSlug)
class BookingSlugAdmin(CompanyRecordAdmin):
    """Chosen addresses of booking pages, former ones included."""

    icon = "link"
    list_display = ("slug", "company", "page", "created_at")
    search_fields = ("=id", "=slug")


@admin.register(Booking)
class BookingAdmin(CompanyRecordAdmin):
    """Visitors' bookings."""

    icon = "event_seat"
    hides = ("token", "answers")
    list_display = ("name", "company", "page", "member", "cancelled_at", "reminded_at", "created_at")
    search_fields = ("=id", "email", "=meeting__id")


@admin.register(MemberHours)
class MemberHoursAdmin(CompanyRecordAdmin):
    """Hours when members can be booked."""

    icon = "schedule"
    list_display = ("member", "company", "timezone", "updated_at")
    search_fields = ("=id", "member__email")
