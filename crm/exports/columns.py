"""The columns of an export: a list's flattened output, with the custom fields of its records under their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from rest_framework import serializers

from core.api.output import Computed, Output
from core.errors import shorten
from core.lists.values import refuse
from core.text.json import dumps
from crm.field_types import FieldSpec
from crm.field_types.base import plain_text, split_items
from crm.records.models import CustomField
from crm.records.schema import spec_of

FORM_DATA = "formData"
Row = Mapping[str, Any]


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
    custom ones included.

    An export leaves out what the output conceals from visitors: secrets and links that open without login.
    """
    plain = {column.header: column for column in _flatten(output._declared_fields, (), output.conceals)}
    if not panel:
        return list(plain.values())
    ordered = [plain.pop(name) for name in ("_id",) if name in plain]
    fields = list(CustomField.objects.filter(panel=panel).order_by("order", "created_at", "id"))
    taken = {*plain, *(column.header for column in ordered)}
    for field in fields:
        if not field.is_system:
            ordered.append(_custom(field, taken))
        elif field.unique_field_id in plain:
            ordered.append(plain.pop(field.unique_field_id))
    return [*ordered, *plain.values()]


def choose(columns: Sequence[Column], names: Iterable[str]) -> list[Column]:
    """Return the columns of these names in their order, or all columns for no names. An unknown name is a 400."""
    known: dict[str, Column] = {}
    for place in range(3):  # a header takes precedence over a key, and a key over an id
        for column in columns:
            for name in column.names[place : place + 1]:
                known.setdefault(name, column)
    chosen: dict[str, Column] = {}
    for name in names:
        if name not in known:
            raise refuse(
                "columns",
                f"there is no column {shorten(name, 60)!r}; there are:"
                f" {', '.join(column.header for column in columns)}",
            )
        chosen[known[name].header] = known[name]
    return list(chosen.values()) or list(columns)


def _flatten(
    fields: Mapping[str, serializers.Field], path: tuple[str, ...], concealed: Sequence[str] = ()
) -> Iterator[Column]:
    for name, field in fields.items():
        schema = field.schema if isinstance(field, Computed) else field
        place = (*path, name)
        if name in concealed or (not path and name == FORM_DATA):
            continue
        if isinstance(schema, Output):
            yield from _flatten(schema._declared_fields, place)
        else:
            yield Column((".".join(place),), _getter(place))


def _getter(place: tuple[str, ...]) -> Callable[[Row], Any]:
    if len(place) == 1:
        (name,) = place
        return lambda row: cell(row[name])

    def get(row: Row) -> Any:
        found: Any = row
        for name in place:
            if found is None:
                return None
            found = found[name]
        return cell(found)

    return get


def _custom(field: CustomField, taken: set[str]) -> Column:
    key, spec = field.unique_field_id, spec_of(field)
    header = field.name if field.name not in taken else f"{field.name} ({key})"
    taken.add(header)
    return Column((header, key, field.pk), lambda row: custom_cell(row[FORM_DATA].get(key), spec))


def custom_cell(value: Any, spec: FieldSpec) -> Any:
    """Return a custom value as a cell that the importer can read."""
    if isinstance(value, str) and spec.value_type.name == "date":
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    if isinstance(value, list) and spec.value_type.many and not all(isinstance(item, str) for item in value):
        return dumps(value).decode()
    return cell(value)


def cell(value: Any) -> Any:
    """Return a value as a cell. Several values are joined by "; " if they stay distinguishable, a named value becomes
    its name, and any other structure becomes JSON."""
    if isinstance(value, list):
        return _joined(value)
    return dumps(value).decode() if isinstance(value, dict) else value


def _joined(items: list[Any]) -> str:
    named = [item["name"] if isinstance(item, dict) and "name" in item else item for item in items]
    if not any(isinstance(item, dict | list) or item is None for item in named):
        texts = [plain_text(item) for item in named]
        text = "; ".join(texts)
        for whole in (text, text + ";"):  # a comma in a single item would split it
            if split_items(whole) == texts and not whole.startswith("["):
                return whole
    return "" if not items else dumps(named).decode()
