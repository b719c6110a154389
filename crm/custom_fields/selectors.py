"""Reads of custom fields that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.records.models import CustomField


def own_fields() -> QuerySet[CustomField]:
    """Return the custom fields of the active company, without its system fields."""
    return CustomField.objects.filter(is_system=False)
