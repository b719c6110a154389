from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from crm.custom_fields.models import CustomSection


@admin.register(CustomSection)
class CustomSectionAdmin(CompanyRecordAdmin):
    """Sections of a panel's fields."""

    icon = "view_agenda"
    edits = ("name", "description", "order", "hide")
    list_display = ("name", "company", "panel", "order", "hide", "created_at")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), "hide")
    search_fields = ("=id", "name")
