"""Back office pages of custom fields."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from crm.records.models import CustomField


@admin.register(CustomField)
class CustomFieldAdmin(CompanyRecordAdmin):
    """Fields, shown only: what they are decides how the values of all contacts are stored."""

    icon = "format_list_bulleted"
    list_display = ("name", "company", "panel", "field_type", "value_type", "required", "is_system", "unique_field_id")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), ("field_type", ChoicesDropdownFilter), "is_system")
    search_fields = ("=id", "name", "unique_field_id")
