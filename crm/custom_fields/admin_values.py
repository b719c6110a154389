"""What the back office shows of records of any kind."""

from __future__ import annotations

from typing import Any

from crm.records.models import CustomField
from crm.records.types import RECORD_TYPES


def custom_values(record: Any) -> list[tuple[str, Any]]:
    """The record's custom values with the names of their fields."""
    panel = next(panel for panel, record_type in RECORD_TYPES.items() if isinstance(record, record_type.kind.model))
    fields = CustomField.objects.filter(company=record.company_id, panel=panel, is_system=False)
    names = dict(fields.values_list("unique_field_id", "name"))
    return [
        (names.get(key, key), value if isinstance(value, str | int | float) else repr(value))
        for key, value in record.custom.items()
    ]
