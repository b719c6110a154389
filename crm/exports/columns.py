"""The columns of an export: a list's flattened output, with the custom fields of its records under their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from rest_framework import serializers

from accounts.models import Member
from core.api.output import Computed, Output
from core.errors import shorten
from core.internals.rest_framework import declared_fields
from core.lists.values import refuse
from core.text.json import dumps
from core.types import Values
from crm.exports.formats.base import ExactTime
from crm.field_types import FieldSpec
from crm.field_types.base import plain_text, split_items
from crm.field_types.numbers import number_text
from crm.records.models import CustomField
from crm.records.stored_fields import spec_of

FORM_DATA = "formData"
Row = Values


@dataclass(frozen=True)
class Column:
    """A column; `names` are the names by which a request may choose it, the header first."""

    names: tuple[str, ...]
    value: Callable[[Row], Any]
    """Returns the cell of a record as its list shows it: None, a boolean, number, date, datetime or text."""

    @property
    def header(self) -> str:
        return self.names[0]


def columns_of(output: type[Output], panel: str = "") -> list[Column]:
    """Return the columns of a list's output in its order. With a panel its fields come first, in the panel's order,
    including custom ones.

    An export omits the values that the output conceals from visitors: secrets and links that open without login.
    """
    plain = {column.header: column for column in _flatten(declared_fields(output), (), output.conceals)}
    if not panel:
        return list(plain.values())
    ordered = [plain.pop(name) for name in ("_id",) if name in plain]
    fields = list(CustomField.objects.filter(panel=panel).order_by("order", "created_at", "id"))
    taken = {*plain, *(column.header for column in ordered)}
    members = _members() if any(field.value_type == "member" for field in fields) else {}
    for field in fields:
        if not field.is_system:
            ordered.append(_custom(field, taken, members))
        elif field.unique_field_id in plain:
            ordered.append(_with_labels(plain.pop(field.unique_field_id), field))
    return [*ordered, *plain.values()]


def choose(columns: Sequence[Column], names: Iterable[str]) -> list[Column]:
    """Return the columns of these names in their order, or all columns for no names. An unknown name is a 400."""
    columns_by_name: dict[str, Column] = {}
    for place in range(3):  # a header takes precedence over a key, and a key over an id
        for column in columns:
            for name in column.names[place : place + 1]:
                columns_by_name.setdefault(name, column)
    chosen: dict[str, Column] = {}
    for name in names:
        if name not in columns_by_name:
            raise refuse(
                "columns",
                f"there is no column {shorten(name, 60)!r}; there are:"
                f" {', '.join(column.header for column in columns)}",
            )
        chosen[columns_by_name[name].header] = columns_by_name[name]
    return list(chosen.values()) or list(columns)


def _flatten(
    fields: Mapping[str, serializers.Field[Any, Any, Any, Any]], path: tuple[str, ...], concealed: Sequence[str] = ()
) -> Iterator[Column]:
    for name, field in fields.items():
        schema = field.schema if isinstance(field, Computed) else field
        place = (*path, name)
        if name in concealed or (not path and name == FORM_DATA):
            continue
        if isinstance(schema, Output):
            yield from _flatten(declared_fields(type(schema)), place)
        else:
            yield Column((".".join(place),), _getter(place))


def _getter(place: tuple[str, ...]) -> Callable[[Row], Any]:
    if len(place) == 1:
        (name,) = place
        return lambda row: cell(row[name])

    def get(row: Row) -> Any:
        content: Any = row
        for name in place:
            if content is None:
                return None
            content = content[name]
        return cell(content)

    return get


def _custom(field: CustomField, taken: set[str], members: Mapping[str, str]) -> Column:
    key, spec = field.unique_field_id, spec_of(field)
    header = field.name if field.name not in taken else f"{field.name} ({key})"
    taken.add(header)
    labels = members if spec.value_type.name == "member" else labels_of(field, spec)
    return Column((header, key, field.pk), lambda row: custom_cell(row[FORM_DATA].get(key), spec, labels))


def _with_labels(column: Column, field: CustomField) -> Column:
    """Return the column of a system field, with the labels of its options."""
    labels = labels_of(field, spec_of(field))
    if not labels:
        return column
    return replace(column, value=lambda row: _in_words(column.value(row), labels))


def labels_of(field: CustomField, spec: FieldSpec) -> dict[str, str]:
    """Return value -> label of the field's options, where the importer reads the label as this very value."""
    options = [(str(option["value"]), str(option.get("label") or "").strip()) for option in field.options or ()]
    uses = Counter(label.lower() for _, label in options)
    return {
        value: label
        for value, label in options
        if label and label != value and uses[label.lower()] == 1 and spec.by_label(label) == value
    }


def _members() -> dict[str, str]:
    """Return _id -> "Name <address>" of the company's members."""
    rows = Member.objects.values_list("pk", "name", "email")
    return {pk: f"{name} <{email}>" if name else email for pk, name, email in rows}


def custom_cell(value: Any, spec: FieldSpec, labels: Mapping[str, str] | None = None) -> Any:
    """Return a custom value as a cell that the importer can read. `labels` has the texts of single values."""
    kind = spec.value_type.name
    if isinstance(value, str) and kind == "date":
        return date.fromisoformat(value) if len(value) == 10 else ExactTime.fromisoformat(value)
    if isinstance(value, list) and (kind == "any" and not spec.field_type.always_many):
        return dumps(value).decode()
    if isinstance(value, list) and spec.value_type.many and not all(isinstance(item, str) for item in value):
        return dumps(value).decode()
    return cell(value, labels)


def cell(value: Any, labels: Mapping[str, str] | None = None) -> Any:
    """Return a value as a cell. Several values are joined by "; " if they stay distinguishable, a named value becomes
    its name, and any other structure becomes JSON."""
    if isinstance(value, list):
        return _join_items(value, labels or {})
    if isinstance(value, dict):
        return dumps(value).decode()
    return _in_words(value, labels) if labels else value


def _in_words(value: Any, labels: Mapping[str, str]) -> Any:
    return value if value is None else labels.get(plain_text(value), value)


def _join_items(items: list[Any], labels: Mapping[str, str]) -> str:
    named = [item["name"] if isinstance(item, dict) and "name" in item else item for item in items]
    if not any(isinstance(item, dict | list) or item is None for item in named):
        texts = [_text(_in_words(item, labels)) for item in named]
        text = "; ".join(texts)
        for whole in (text, text + ";"):  # a comma in a single item would split it
            # Imports read a list in brackets as JSON, and the star of Google's groups as none of the name.
            if split_items(whole) == texts and not whole.startswith(("[", "* ")):
                return whole
    return "" if not items else dumps(named).decode()


def _text(value: Any) -> str:
    return number_text(value) if isinstance(value, int | float) and not isinstance(value, bool) else plain_text(value)
