"""Custom fields: one class per field type and value type (docs/adding-a-custom-field-type.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.types import Values
from crm.field_types.base import MAX_DEPTH, BadValue, FieldSpec, FieldType, IndexRow, Reference, TextFormat, ValueType
from crm.field_types.types import FIELD_TYPES
from crm.field_types.values import VALUE_TYPES

__all__ = [
    "FIELD_TYPES",
    "MAX_DEPTH",
    "VALUE_TYPES",
    "BadValue",
    "FieldSpec",
    "FieldType",
    "IndexRow",
    "Reference",
    "TextFormat",
    "ValueType",
    "child_spec",
    "make_spec",
]


def make_spec(
    *,
    key: str,
    name: str,
    field_type: str,
    value_type: str,
    id: str = "",
    required: bool = False,
    default: Any = None,
    options: Iterable[Values] = (),
    children: Iterable[Values] = (),
) -> FieldSpec:
    """Make a field from its definition as it is stored (children in camelCase, as JSON holds them)."""
    options = list(options)
    values = tuple(str(option["value"]) for option in options)
    return FieldSpec(
        key=key,
        name=name,
        field_type=FIELD_TYPES[field_type],
        value_type=VALUE_TYPES[value_type],
        id=id,
        required=required,
        default=default,
        options=values,
        option_labels=tuple(str(option.get("label") or value) for option, value in zip(options, values, strict=True)),
        labels={
            str(option.get("label") or value).strip().lower(): value
            for option, value in zip(options, values, strict=True)
        },
        children=tuple(child_spec(child) for child in children),
    )


def child_spec(child: Values) -> FieldSpec:
    """Make a child of a field; its name is its key."""
    return make_spec(
        key=child["name"],
        name=child["name"],
        field_type=child["fieldType"],
        value_type=child["valueType"],
        required=child["required"],
        default=child["defaultValue"],
        options=child["options"],
        children=child["children"],
    )
