"""What lists of records are filtered, searched and sorted by beyond their system fields: the company's custom ones."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q

from core.lists import ListField, ValueTableField
from crm.models import CustomField
from crm.records import RecordKind
from crm.services.record_schema import spec_of


def custom_fields_of(kind: RecordKind) -> Callable[[str], ListField | None]:
    """A finder of the active company's custom fields of a panel, by uniqueFieldID or _id, for FieldSet."""

    def find(name: str) -> ListField | None:
        row = CustomField.objects.filter(Q(unique_field_id=name) | Q(pk=name), panel=kind.panel, is_system=False).order_by("pk").first()
        if row is None:
            return None
        spec = spec_of(row)
        value_kind, column = spec.value_type.kind, spec.value_type.column
        if value_kind is None or column is None:
            return None
        return ValueTableField(
            kind.values,
            row.pk,
            column,
            kind.link,
            value_kind,
            name=name,
            stored="number" if value_kind == "boolean" else None,
            key=None if spec.many else {"position": 0},
            many=spec.many,
            searchable=value_kind == "text",
        )

    return find
