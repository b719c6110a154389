"""Conversion of stored values to a field's new definition: checked first, then staged, then written all at once.

Everybody reads and writes by the old definition until that last step (docs/decisions/0010-field-conversions.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from django.db import connection

from core.errors import NamedError, shorten
from core.tenancy import company_id
from crm.field_types import BadValue, FieldSpec
from crm.field_types.conversion import convert, item_kind, refusal
from crm.records.kinds import RecordKind
from crm.records.schema import BAD_CUSTOM
from crm.records.values import typed_rows

EXAMPLES = 5
OWN = "r.company_id = current_setting('app.company')"

VALUES = (
    "SELECT (r.custom -> %(key)s)::text, count(*) FROM {table} r WHERE " + OWN + " AND r.custom ? %(key)s GROUP BY 1"
)
NEXT = """
SELECT r.id, (r.custom -> %(key)s)::text FROM {table} r
WHERE {own} AND r.custom ? %(key)s AND r.id > %(place)s ORDER BY r.id LIMIT %(size)s
"""
STALE = """
SELECT r.id, (r.custom -> %(key)s)::text
FROM {table} r LEFT JOIN crm_convertedvalue c ON c.job_id = %(job)s AND c.record_id = r.id
WHERE {own} AND r.custom ? %(key)s AND c.before IS DISTINCT FROM r.custom -> %(key)s ORDER BY r.id LIMIT %(size)s
"""
STAGE_VALUES = """
INSERT INTO crm_convertedvalue (company_id, job_id, record_id, before, after, rows)
SELECT %s, %s, record, before, after, rows
FROM json_to_recordset(%s::json) AS made (record text, before jsonb, after jsonb, rows jsonb)
ON CONFLICT (job_id, record_id) DO UPDATE SET before = excluded.before, after = excluded.after, rows = excluded.rows
"""
# Only staged values that the record still has: one that was removed in the meantime stays removed.
REMOVE_ROWS = """
DELETE FROM {values} v USING crm_convertedvalue c
WHERE c.job_id = %(job)s AND c.rows IS NOT NULL AND v.field_id = %(field)s AND v.{column} = c.record_id
"""
ADD_ROWS = """
INSERT INTO {values} (company_id, {column}, field_id, position, text, number, time)
SELECT c.company_id, c.record_id, %(field)s, made.position, made.text, made.number, made.time
FROM crm_convertedvalue c JOIN {table} r ON r.id = c.record_id AND r.custom ? %(key)s,
    jsonb_to_recordset(c.rows) AS made (position smallint, text text, number numeric, time timestamptz)
WHERE c.job_id = %(job)s
"""
WRITE = """
UPDATE {table} r
SET custom = CASE WHEN c.after IS NULL THEN r.custom - %(key)s ELSE jsonb_set(r.custom, ARRAY[%(key)s], c.after) END
FROM crm_convertedvalue c
WHERE c.job_id = %(job)s AND c.record_id = r.id AND r.custom ? %(key)s AND c.after IS DISTINCT FROM c.before
"""


class UnfitValue(Exception):
    """A value that does not fit the new definition, while invalid values are not dropped."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A field of a panel, before and after the change."""

    kind: RecordKind
    old: FieldSpec
    new: FieldSpec

    @property
    def names(self) -> dict[str, str]:
        """The names of tables and columns for the statements above."""
        return {"table": self.kind.table, "values": self.kind.value_table, "column": self.kind.column, "own": OWN}


class Stored(NamedTuple):
    """A record and its value of a field, as JSON."""

    record: str
    value: str


@dataclass(slots=True)
class Check:
    """Numbers of records with a value and of values that do not fit the new definition, with examples of these."""

    total: int = 0
    unfit: int = 0
    examples: list[str] = field(default_factory=list)


def narrows(old: FieldSpec, new: FieldSpec) -> bool:
    """Tell whether the new definition may refuse a value of the old one, or store it differently."""
    if old.field_type is not new.field_type or old.value_type is not new.value_type or item_kind(old) != item_kind(new):
        return True
    if old.field_type.takes_options and set(old.options) - set(new.options):
        return True
    if not new.children:
        return False
    before, after = ({child.key: child for child in spec.children} for spec in (old, new))
    if before.keys() - after.keys() or not before:
        return True
    return any(
        narrows(before[key], child) or (child.required and not before[key].required)
        if key in before
        else child.required
        for key, child in after.items()
    )


def check_values(conversion: Conversion) -> Check:
    """Try the conversion on each distinct value, without writing anything."""
    found = Check()
    with connection.chunked_cursor() as cursor:
        cursor.execute(VALUES.format(**conversion.names), {"key": conversion.old.key})
        for text, count in cursor:
            found.total += count
            try:
                convert(orjson.loads(text), conversion.old, conversion.new)
            except BadValue as error:
                found.unfit += count
                if len(found.examples) < EXAMPLES:
                    found.examples.append(f"{shorten(text, 60)} {error}")
    return found


def refuse_unfit(conversion: Conversion, found: Check) -> None:
    """Refuse values that do not fit.

    Raises InvalidInput_400 when no value of the old type can become one of the new type.
    """
    reason = refusal(conversion.old, conversion.new)
    if reason and found.total:
        raise NamedError(
            "InvalidInput_400",
            f"fieldType, valueType: {found.total} {conversion.kind.noun} have values that stay: {reason}",
        )
    if found.unfit:
        raise NamedError(
            BAD_CUSTOM,
            f"{conversion.old.key}: {found.unfit} of {found.total} {conversion.kind.noun} with a value have one that"
            " does not fit"
            f" ({'; '.join(found.examples)}); with dropInvalid: true such values are removed",
        )


def next_values(conversion: Conversion, place: str, size: int) -> list[Stored]:
    """Return the values of the records after the id `place`, sorted by id."""
    return _select(NEXT, conversion, {"key": conversion.old.key, "place": place, "size": size})


def stale_values(conversion: Conversion, job_id: str, size: int) -> list[Stored]:
    """Return the values that have been written since they were staged, or never were staged."""
    return _select(STALE, conversion, {"key": conversion.old.key, "job": job_id, "size": size})


def _select(statement: str, conversion: Conversion, values: dict[str, Any]) -> list[Stored]:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**conversion.names), values)
        return [Stored(*row) for row in cursor.fetchall()]


def stage_values(conversion: Conversion, job_id: str, values: Sequence[Stored], *, drop_invalid: bool) -> None:
    """Stage the converted values. `drop_invalid` removes values that do not fit; otherwise they raise UnfitValue."""
    rows = [_converted(conversion, stored, drop_invalid) for stored in values]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(STAGE_VALUES, [company_id(), job_id, orjson.dumps(rows, default=str).decode()])


def _converted(conversion: Conversion, stored: Stored, drop_invalid: bool) -> dict[str, Any]:
    before = orjson.loads(stored.value)
    try:
        after = convert(before, conversion.old, conversion.new)
    except BadValue as error:
        if not drop_invalid:
            raise UnfitValue(f"{shorten(stored.value, 60)} {error}") from None
        after = None
    rows = [] if after is None else typed_rows(conversion.new, after)
    same = rows == typed_rows(conversion.old, before)
    return {
        "record": stored.record,
        "before": orjson.Fragment(stored.value),
        "after": after,
        "rows": None if same else rows,
    }


def write_all(conversion: Conversion, job_id: str) -> tuple[int, int]:
    """Write the staged values, in one transaction that holds the lock of the fields.

    Returns the number of records that changed, and of those that lost their value.
    """
    values = {"job": job_id, "key": conversion.old.key, "field": conversion.old.id}
    with connection.cursor() as cursor:
        cursor.execute(REMOVE_ROWS.format(**conversion.names), values)
        cursor.execute(ADD_ROWS.format(**conversion.names), values)
        cursor.execute(WRITE.format(**conversion.names), values)
        changed = cursor.rowcount
        cursor.execute("DELETE FROM crm_convertedvalue WHERE job_id = %s RETURNING after IS NULL", [job_id])
        lost = sum(empty for (empty,) in cursor.fetchall())
    return changed, lost


def remove_values_of(
    kind: RecordKind, keys: Sequence[str], field_ids: Sequence[str], place: str, size: int
) -> list[str]:
    """Remove the values of the fields from the next records after the id `place`. Returns the records' ids in order."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH found AS (SELECT r.id FROM {kind.table} r WHERE {OWN} AND r.custom ?| %s::text[] AND r.id > %s"
            " ORDER BY r.id LIMIT %s FOR NO KEY UPDATE)"
            f" UPDATE {kind.table} r SET custom = r.custom - %s::text[] FROM found WHERE r.id = found.id"
            " RETURNING r.id",
            [list(keys), place, size, list(keys)],
        )
        ids = sorted(id for (id,) in cursor.fetchall())
        cursor.execute(
            f"DELETE FROM {kind.value_table} WHERE {kind.column} = ANY(%s) AND field_id = ANY(%s)",
            [ids, list(field_ids)],
        )
    return ids


def count_with_values(kind: RecordKind, keys: Iterable[str], limit: int) -> int:
    """Count the records with a value of any of the fields, up to the limit."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM (SELECT FROM {kind.table} r WHERE {OWN} AND r.custom ?| %s::text[] LIMIT %s)"
            " AS found",
            [list(keys), limit],
        )
        return int(cursor.fetchone()[0])
