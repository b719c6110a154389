"""Reads of custom fields that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.records.models import CustomField


def own_fields() -> QuerySet[CustomField]:
    """The fields that the active company has made itself."""
    return CustomField.objects.filter(is_system=False)
