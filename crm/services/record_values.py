"""What stands beside a record's own row: typed values for filters and sorts, and tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.ids import new_id
from crm.records import CONTACT, RecordKind
from crm.services.record_schema import RecordSchema

INSERT_VALUES = """
INSERT INTO {values} (company_id, {link}, field_id, position, text, number, time)
SELECT %s, record, field, position, text, number, time
FROM json_to_recordset(%s::json)
    AS rows (record text, field text, position smallint, text text, number numeric, time timestamptz)
"""
INSERT_TAGS = """
INSERT INTO {tags} (company_id, created_at, updated_at, id, {link}, tag_id)
SELECT %s, %s, %s, id, record, tag FROM unnest(%s::text[], %s::text[], %s::text[]) AS rows (id, record, tag)
ON CONFLICT DO NOTHING RETURNING {link}
"""


def add_values(schema: RecordSchema, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Insert the typed rows of stored custom values, given as (record id, values by uniqueFieldID)."""
    fields, kind = schema.fields, schema.kind
    rows = [
        {"record": record, "field": fields[key].id, "position": position, **row._asdict()}
        for record, custom in values
        for key, value in custom.items()
        if key in fields
        for position, row in enumerate(fields[key].index_rows(value))
    ]
    if rows:
        with connection.cursor() as cursor:
            statement = INSERT_VALUES.format(values=kind.value_table, link=kind.column)
            cursor.execute(statement, [schema.company_id, orjson.dumps(rows, default=str).decode()])


def remove_values(kind: RecordKind, pairs: Sequence[tuple[str, str]]) -> None:
    """Delete the typed rows of (record id, field id)."""
    if pairs:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {kind.value_table} v USING unnest(%s::text[], %s::text[]) AS gone (record, field)"
                f" WHERE v.{kind.column} = gone.record AND v.field_id = gone.field",
                [list(column) for column in zip(*pairs, strict=True)],
            )


def add_tags(company: str, pairs: Sequence[tuple[str, str]], kind: RecordKind = CONTACT) -> set[str]:
    """Link (record id, tag id) where they are not linked yet; returns the records that got one."""
    if not pairs:
        return set()
    now = timezone.now()
    records, tags = (list(column) for column in zip(*pairs, strict=True))
    with connection.cursor() as cursor:
        statement = INSERT_TAGS.format(tags=kind.tag_table, link=kind.column)
        cursor.execute(statement, [company, now, now, [new_id() for _ in pairs], records, tags])
        return {record for (record,) in cursor.fetchall()}


def remove_other_tags(wanted: Mapping[str, Sequence[str]], kind: RecordKind = CONTACT) -> set[str]:
    """Unlink all tags but the wanted ones of each record; returns the records that lost one."""
    if not wanted:
        return set()
    kept = [(record, tag) for record, tags in wanted.items() for tag in tags]
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {kind.tag_table} t WHERE t.{kind.column} = ANY(%s) AND NOT EXISTS ("
            f"SELECT FROM unnest(%s::text[], %s::text[]) AS kept (record, tag) WHERE kept.record = t.{kind.column} AND kept.tag = t.tag_id"
            f") RETURNING t.{kind.column}",
            [list(wanted), [record for record, _ in kept], [tag for _, tag in kept]],
        )
        return {record for (record,) in cursor.fetchall()}
