"""List fields of records: columns of the kind, and the company's custom fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from django.db.models import Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Length
from django.db.models.lookups import Exact

from core.lists import ListField, ValueTableField
from core.lists.prefilter import Prefilter
from core.lists.values import Kind
from core.tenancy import company_id
from core.tenancy.postgresql.cursors import planned_cursor
from crm.records.kinds import RecordKind
from crm.records.models import CustomField
from crm.records.stored_fields import spec_of

LIST_TYPES: dict[str, Kind] = {"text": "text", "numeric": "number", "timestamptz": "date", "boolean": "boolean"}
"""PostgreSQL type of a column -> the type of its list field; references are ids."""


def column_field(kind: RecordKind, api_name: str, **options: Any) -> ListField:
    """Make the list field of the column with this name in the API. `options` are those of ListField."""
    column = next(column for column in kind.columns if column.api_name == api_name)
    field = next(field for field in kind.model._meta.local_concrete_fields if field.column == column.name)
    type = "id" if field.is_relation else LIST_TYPES[column.type]
    return ListField(api_name, type, column.name, nullable=field.null, **options)


# Written by hand, since a page runs it for each custom field that it is filtered or sorted by: the ORM takes several
# times as long to build it as PostgreSQL to answer it.
COLUMNS = ("id", "unique_field_id", "name", "field_type", "value_type", "required", "stored_as_id")
JSON_COLUMNS = ("default_value", "options", "children")
DAY_LENGTH = len("2026-01-31")
OWN_FIELD = f"""
SELECT {", ".join((*COLUMNS, *JSON_COLUMNS))}
FROM crm_customfield
WHERE company_id = %s AND deleted_at IS NULL AND NOT is_system AND panel = %s AND (unique_field_id = %s OR id = %s)
ORDER BY id LIMIT 1
"""


def custom_fields_of(kind: RecordKind) -> Callable[[str], ListField | None]:
    """Return a function for FieldSet that finds the company's custom fields of a panel by uniqueFieldID or _id."""

    def find(name: str) -> ListField | None:
        with planned_cursor() as cursor:
            cursor.execute(OWN_FIELD, [company_id(), kind.panel, name, name])
            row = cursor.fetchone()
        if row is None:
            return None
        values = dict(zip((*COLUMNS, *JSON_COLUMNS), row, strict=True))
        values |= {column: values[column] and orjson.loads(values[column]) for column in JSON_COLUMNS}
        return _list_field(kind, CustomField(**values), name)

    return find


def all_custom_fields_of(kind: RecordKind) -> Callable[[str], ListField | None]:
    """Return a finder as custom_fields_of does, for many trees at once: the first call reads all fields with one
    query."""
    fields_by_name: dict[str, CustomField] = {}
    asked = False

    def find(name: str) -> ListField | None:
        nonlocal asked
        if not asked:
            rows = list(_own_fields(kind).order_by("-pk"))
            fields_by_name.update({key: row for row in rows for key in (row.pk, row.unique_field_id)})
            asked = True
        return _list_field(kind, fields_by_name[name], name) if name in fields_by_name else None

    return find


def own_field_keys(kind: RecordKind) -> set[str]:
    """Return the keys of the company's own fields of a panel."""
    return set(_own_fields(kind).values_list("unique_field_id", flat=True))


def _own_fields(kind: RecordKind) -> QuerySet[CustomField]:
    return CustomField.objects.filter(panel=kind.panel, is_system=False)


def _list_field(kind: RecordKind, row: CustomField, name: str) -> ListField | None:
    """Make the list field with the requested name; None for a field whose values are not indexed."""
    spec = spec_of(row)
    value_kind, column = spec.value_type.kind, spec.value_type.column
    if value_kind is None or column is None:
        return None
    return ValueTableField(
        kind.values,
        row.values_id,
        column,
        kind.link,
        value_kind,
        name=name,
        stored="number" if value_kind == "boolean" else None,
        key=None if spec.many else {"position": 0},
        many=spec.many,
        searchable=value_kind == "text",
        prefilter=Prefilter(seed=row.values_id) if value_kind == "text" else None,
        is_day=_is_day(row.unique_field_id) if value_kind == "date" else None,
        labels=_labels(row) if value_kind == "text" else None,
    )


def _labels(row: CustomField) -> dict[str, str]:
    """Return value -> label of the options that have another label."""
    labels = {str(option["value"]): str(option.get("label") or "") for option in row.options or ()}
    return {value: label for value, label in labels.items() if label not in ("", value)}


def _is_day(key: str) -> Q:
    """Match the records whose value with this key in `custom` is written as a day."""
    length = Length(Coalesce(KeyTextTransform(key, "custom"), Value("")))
    return Q(Exact(length, DAY_LENGTH))
