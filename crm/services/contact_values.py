"""What stands beside a contact's own row: typed values for filters and sorts, and tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.ids import new_id
from crm.services.contact_schema import ContactSchema

INSERT_VALUES = """
INSERT INTO crm_customfieldvalue (company_id, contact_id, field_id, position, text, number, time)
SELECT %s, contact, field, position, text, number, time
FROM json_to_recordset(%s::json)
    AS rows (contact text, field text, position smallint, text text, number numeric, time timestamptz)
"""
INSERT_TAGS = """
INSERT INTO crm_contacttag (company_id, created_at, updated_at, id, contact_id, tag_id)
SELECT %s, %s, %s, id, contact, tag FROM unnest(%s::text[], %s::text[], %s::text[]) AS rows (id, contact, tag)
ON CONFLICT DO NOTHING RETURNING contact_id
"""


def add_values(schema: ContactSchema, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Insert the typed rows of stored custom values, given as (contact id, values by uniqueFieldID)."""
    fields = schema.fields
    rows = [
        {"contact": contact, "field": fields[key].id, "position": position, **row._asdict()}
        for contact, custom in values
        for key, value in custom.items()
        if key in fields
        for position, row in enumerate(fields[key].index_rows(value))
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(INSERT_VALUES, [schema.company_id, orjson.dumps(rows, default=str).decode()])


def remove_values(pairs: Sequence[tuple[str, str]]) -> None:
    """Delete the typed rows of (contact id, field id)."""
    if pairs:
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM crm_customfieldvalue v USING unnest(%s::text[], %s::text[]) AS gone (contact, field)"
                " WHERE v.contact_id = gone.contact AND v.field_id = gone.field",
                [list(column) for column in zip(*pairs, strict=True)],
            )


def add_tags(company: str, pairs: Sequence[tuple[str, str]]) -> set[str]:
    """Link (contact id, tag id) where they are not linked yet; returns the contacts that got one."""
    if not pairs:
        return set()
    now = timezone.now()
    contacts, tags = (list(column) for column in zip(*pairs, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(INSERT_TAGS, [company, now, now, [new_id() for _ in pairs], contacts, tags])
        return {contact for (contact,) in cursor.fetchall()}


def remove_other_tags(wanted: Mapping[str, Sequence[str]]) -> set[str]:
    """Unlink all tags but the wanted ones of each contact; returns the contacts that lost one."""
    if not wanted:
        return set()
    kept = [(contact, tag) for contact, tags in wanted.items() for tag in tags]
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM crm_contacttag t WHERE t.contact_id = ANY(%s) AND NOT EXISTS ("
            "SELECT FROM unnest(%s::text[], %s::text[]) AS kept (contact, tag) WHERE kept.contact = t.contact_id AND kept.tag = t.tag_id"
            ") RETURNING t.contact_id",
            [list(wanted), [contact for contact, _ in kept], [tag for _, tag in kept]],
        )
        return {contact for (contact,) in cursor.fetchall()}
