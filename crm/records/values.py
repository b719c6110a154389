"""The tables in addition to a record's own row: typed values for filters and sorts, tags and other links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from django.db import connection
from django.utils import timezone

from core.ids import new_id
from core.types import JsonObject, Values
from crm.field_types import FieldSpec
from crm.records.kinds import RecordKind
from crm.records.schema import RecordRow, RecordSchema

INSERT_VALUES = """
INSERT INTO {values} (company_id, {link}, field_id, position, text, number, time)
SELECT %s, record, field, position, text, number, time
FROM json_to_recordset(%s::json)
    AS rows (record text, field text, position smallint, text text, number numeric, time timestamptz)
"""
INSERT_LINKS = """
INSERT INTO {table} (company_id, created_at, updated_at, id, {record}, {target})
SELECT %s, %s, %s, id, record, target FROM json_to_recordset(%s::json) AS rows (id text, record text, target text)
ON CONFLICT DO NOTHING RETURNING {record}
"""


class Links(NamedTuple):
    """A table that links records to others, and its two columns."""

    table: str
    record: str
    target: str


def tag_links(kind: RecordKind) -> Links:
    """Return the tags of a kind's records."""
    return Links(kind.tag_table, kind.column, "tag_id")


def add_values(schema: RecordSchema, values: Iterable[tuple[str, Values]]) -> None:
    """Insert the typed rows of stored custom values, given as (record id, values by uniqueFieldID)."""
    _insert_values(schema, ((record, _typed_values(schema, custom)) for record, custom in values))


def add_new_values(schema: RecordSchema, records: Iterable[tuple[str, RecordRow]]) -> None:
    """Insert the typed rows of new records, given as (record id, row)."""
    _insert_values(
        schema,
        (
            (id, _typed_values(schema, schema.stored_custom(row)) if row.typed is None else row.typed)
            for id, row in records
        ),
    )


def prepare_values(schema: RecordSchema, row: RecordRow) -> None:
    """Create the row's typed rows in advance, for a reader that runs in parallel with the database."""
    row.typed = _typed_values(schema, schema.stored_custom(row))


def _typed_values(schema: RecordSchema, custom: Values) -> list[JsonObject]:
    """Return the value table's rows of a record's stored values, without the record."""
    fields = schema.fields
    return [row for key, value in custom.items() if key in fields for row in typed_rows(fields[key], value)]


def _insert_values(schema: RecordSchema, values: Iterable[tuple[str, Sequence[Values]]]) -> None:
    insert_typed(
        schema.kind, schema.company_id, [{"record": record, **row} for record, typed in values for row in typed]
    )


def insert_typed(kind: RecordKind, company: str, rows: Sequence[Values]) -> None:
    """Insert rows of `typed_rows`, each with its `record`."""
    if rows:
        with connection.cursor() as cursor:
            statement = INSERT_VALUES.format(values=kind.value_table, link=kind.column)
            cursor.execute(statement, [company, orjson.dumps(rows, default=str).decode()])


def typed_rows(field: FieldSpec, value: Any) -> list[JsonObject]:
    """Return the value table's rows of a stored value, without their record."""
    return [
        {"field": field.id, "position": position, **row.given()} for position, row in enumerate(field.index_rows(value))
    ]


def remove_values(kind: RecordKind, pairs: Sequence[tuple[str, str]]) -> None:
    """Delete the typed rows of (record id, field id)."""
    if pairs:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {kind.value_table} v USING unnest(%s::text[], %s::text[]) AS gone (record, field)"
                f" WHERE v.{kind.column} = gone.record AND v.field_id = gone.field",
                [list(column) for column in zip(*pairs, strict=True)],
            )


def add_links(company: str, links: Links, pairs: Sequence[tuple[str, str]]) -> set[str]:
    """Link (record id, target id) pairs that are not linked yet. Returns the records that got a link."""
    if not pairs:
        return set()
    now = timezone.now()
    rows = [{"id": new_id(), "record": record, "target": target} for record, target in pairs]
    with connection.cursor() as cursor:
        cursor.execute(INSERT_LINKS.format(**links._asdict()), [company, now, now, orjson.dumps(rows).decode()])
        return {record for (record,) in cursor.fetchall()}


def remove_links(links: Links, records: Sequence[str], targets: Sequence[str]) -> set[str]:
    """Unlink the targets from the records. Returns the records that lost a link."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {links.table} WHERE {links.record} = ANY(%s) AND {links.target} = ANY(%s)"
            f" RETURNING {links.record}",
            [list(records), list(targets)],
        )
        return {record for (record,) in cursor.fetchall()}


def remove_other_links(links: Links, targets_by_record: Mapping[str, Sequence[str]]) -> set[str]:
    """Unlink all but the wanted targets of each record. Returns the records that lost a link."""
    if not targets_by_record:
        return set()
    kept = [(record, target) for record, targets in targets_by_record.items() for target in targets]
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {links.table} t WHERE t.{links.record} = ANY(%s) AND NOT EXISTS ("
            # NOT EXISTS is planned as an anti-join. NOT IN cannot be, since a NULL would change its answer.
            "SELECT FROM unnest(%s::text[], %s::text[]) AS kept (record, target)"
            f" WHERE kept.record = t.{links.record} AND kept.target = t.{links.target}) RETURNING t.{links.record}",
            [list(targets_by_record), [record for record, _ in kept], [target for _, target in kept]],
        )
        return {record for (record,) in cursor.fetchall()}


def add_tags(company: str, pairs: Sequence[tuple[str, str]], kind: RecordKind) -> set[str]:
    """Link (record id, tag id) pairs that are not linked yet. Returns the records that got a tag."""
    return add_links(company, tag_links(kind), pairs) if pairs else set()


def remove_other_tags(tags_by_record: Mapping[str, Sequence[str]], kind: RecordKind) -> set[str]:
    """Unlink all but the wanted tags of each record. Returns the records that lost a tag."""
    return remove_other_links(tag_links(kind), tags_by_record) if tags_by_record else set()
