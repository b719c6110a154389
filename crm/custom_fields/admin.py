"""Back office pages of custom fields."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from crm.records.models import CustomField
from crm.records.types import RECORD_TYPES


@admin.register(CustomField)
class CustomFieldAdmin(CompanyRecordAdmin):
    """Fields, read-only: they decide how the values of all records are stored."""

    icon = "format_list_bulleted"
    list_display = ("name", "company", "panel", "field_type", "value_type", "required", "is_system", "unique_field_id")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), ("field_type", ChoicesDropdownFilter), "is_system")
    search_fields = ("=id", "name", "unique_field_id")


def custom_values(record: Any) -> list[tuple[str, Any]]:
    """Return the custom values of a record of any kind, with the names of their fields."""
    panel = next(panel for panel, record_type in RECORD_TYPES.items() if isinstance(record, record_type.kind.model))
    fields = CustomField.objects.filter(company=record.company_id, panel=panel, is_system=False)
    names = dict(fields.values_list("unique_field_id", "name"))
    return [
        (names.get(key, key), value if isinstance(value, str | int | float) else repr(value))
        for key, value in record.custom.items()
    ]
