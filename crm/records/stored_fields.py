"""Stored definitions of fields, and the specifications that read values by them."""

from __future__ import annotations

from crm.field_types import FieldSpec, make_spec
from crm.records.models import CustomField


def stored_fields(*panels: str) -> list[CustomField]:
    """Return the active company's fields of the panels, in order."""
    return list(CustomField.objects.filter(panel__in=panels).order_by("order", "created_at", "id"))


def spec_of(row: CustomField) -> FieldSpec:
    """Return the field that a CustomField row defines."""
    return make_spec(
        key=row.unique_field_id,
        name=row.name,
        field_type=row.field_type,
        value_type=row.value_type,
        id=row.values_id,
        required=row.required,
        default=row.default_value,
        options=row.options,
        children=row.children,
    )


def may_refer(spec: FieldSpec) -> bool:
    """Return whether values of the field can name members or files."""
    return (
        spec.value_type.name in ("member", "file")
        or spec.field_type.name == "file"
        or any(may_refer(child) for child in spec.children)
    )
