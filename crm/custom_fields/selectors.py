"""Reads of custom fields that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.records.models import CustomField


def own_fields() -> QuerySet[CustomField]:
    """Return the custom fields of the active company, without its system fields."""
    return CustomField.objects.filter(is_system=False)


def option_labels(panel: str, key: str) -> dict[str, str]:
    """Return option -> label of a system field."""
    field = CustomField.objects.filter(is_system=True, panel=panel, unique_field_id=key).only("options").first()
    return {option["value"]: option["label"] for option in field.options} if field else {}
