"""Conversion of stored values to a field's new definition: checked first, then staged, then written into the records.

Everybody reads and writes by the old definition until the field has the new one, and from then on by the new one
(docs/decisions/0010-field-conversions.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from django.db import connection

from core.errors import NamedError, shorten
from core.tenancy import company_id
from core.types import JsonObject
from crm.field_types import BadValue, FieldSpec
from crm.field_types.conversion import convert, item_kind, refusal
from crm.records.kinds import RecordKind
from crm.records.schema import BAD_CUSTOM
from crm.records.values import insert_typed, typed_rows

EXAMPLES = 5
OWN = "r.company_id = current_setting('app.company')"

VALUES = (
    "SELECT (r.custom -> %(key)s)::text, count(*) FROM {table} r WHERE " + OWN + " AND r.custom ? %(key)s GROUP BY 1"
)
# Staged values refer to their records, which nobody may delete in the meantime; all else may go on.
NEXT = """
SELECT r.id, (r.custom -> %(key)s)::text FROM {table} r
WHERE {own} AND r.custom ? %(key)s AND r.id > %(place)s ORDER BY r.id LIMIT %(size)s FOR KEY SHARE OF r
"""
VALUES_OF = (
    "SELECT r.id, (r.custom -> %(key)s)::text FROM {table} r WHERE r.id = ANY(%(ids)s) ORDER BY r.id FOR KEY SHARE OF r"
)
# The rows that a transaction since `since` has written are found by their xmin, without a look at their values.
STALE = """
WITH written AS MATERIALIZED (
    SELECT r.id, r.custom -> %(key)s AS value FROM {table} r
    WHERE {own} AND (%(since)s::text IS NULL OR age(r.xmin) <= age(%(since)s::xid))
)
SELECT id FROM written LEFT JOIN crm_convertedvalue c ON c.job_id = %(job)s AND c.record_id = id
WHERE c.before IS DISTINCT FROM value ORDER BY id LIMIT %(size)s
"""
STAGE_VALUES = """
INSERT INTO crm_convertedvalue (company_id, job_id, record_id, before, after)
SELECT %s, %s, record, before, after FROM json_to_recordset(%s::json) AS made (record text, before jsonb, after jsonb)
ON CONFLICT (job_id, record_id) DO UPDATE SET before = excluded.before, after = excluded.after
"""
COUNT = """
SELECT count(*) FILTER (WHERE after IS DISTINCT FROM before), count(*) FILTER (WHERE after IS NULL)
FROM crm_convertedvalue WHERE job_id = %s"""
# An arm for each of the partial indexes.
REMOVE_TYPED = """
DELETE FROM {table} WHERE (field_id = ANY(%(ids)s) AND text IS NOT NULL)
    OR (field_id = ANY(%(ids)s) AND number IS NOT NULL) OR (field_id = ANY(%(ids)s) AND time IS NOT NULL)
"""


class UnfitValue(Exception):
    """A value that does not fit the new definition, while invalid values are not dropped."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A field of a panel, before and after the change. Typed values are staged under the id of `new`."""

    kind: RecordKind
    old: FieldSpec
    new: FieldSpec

    @property
    def names(self) -> dict[str, str]:
        """The parts of the statements above."""
        return {"table": self.kind.table, "own": OWN}


class Stored(NamedTuple):
    """A record and its value of a field, as JSON; None: it has none (any more)."""

    record: str
    value: str | None


@dataclass(slots=True)
class Check:
    """Numbers of records with a value and of values that do not fit the new definition, with examples of these."""

    total: int = 0
    unfit: int = 0
    examples: list[str] = field(default_factory=list)


def narrows(old: FieldSpec, new: FieldSpec) -> bool:
    """Return whether the new definition may refuse a value of the old one, or store it differently."""
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
    check = Check()
    with connection.chunked_cursor() as cursor:
        # Each distinct value once: a field of a million records often has ten values.
        cursor.execute(VALUES.format(**conversion.names), {"key": conversion.old.key})
        for text, count in cursor:
            check.total += count
            try:
                convert(orjson.loads(text), conversion.old, conversion.new)
            except BadValue as error:
                check.unfit += count
                if len(check.examples) < EXAMPLES:
                    check.examples.append(f"{shorten(text, 60)}: {str(error).removesuffix('.')}")
    return check


def refuse_unfit(conversion: Conversion, check: Check) -> None:
    """Refuse values that do not fit.

    Raises InvalidInput_400 when no value of the old type can become one of the new type.
    """
    reason = refusal(conversion.old, conversion.new)
    if reason and check.total:
        raise NamedError(
            "InvalidInput_400",
            f"{check.total} {conversion.kind.noun} have values that stay: {reason}",
            field=("fieldType", "valueType"),
        )
    if check.unfit:
        raise NamedError(
            BAD_CUSTOM,
            f"{check.unfit} of {check.total} {conversion.kind.noun} with a value have one that"
            " does not fit"
            f" ({'; '.join(check.examples)}); with dropInvalid: true such values are removed",
            field=conversion.old.key,
            code="unfitValues",
            params={
                "count": check.unfit,
                "total": check.total,
                "noun": conversion.kind.noun,
                "examples": check.examples,
            },
        )


def next_values(conversion: Conversion, place: str, size: int) -> list[Stored]:
    """Return the values of the records after the id `place`, sorted by id, and keep these records from deletion."""
    return _select(NEXT, conversion, {"key": conversion.old.key, "place": place, "size": size})


def oldest_transaction() -> str:
    """Return the oldest transaction that may still write. Whatever older ones have written, statements see by now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text")
        return str(cursor.fetchone()[0])


def stale_values(conversion: Conversion, job_id: str, since: str | None, size: int) -> list[Stored]:
    """Return the present values of records whose staged value is missing or outdated.

    `since` limits this to the writes of that transaction and later ones. Keeps the records from deletion.
    """
    values = {"key": conversion.old.key, "job": job_id, "since": since, "size": size}
    with connection.cursor() as cursor:
        cursor.execute(STALE.format(**conversion.names), values)
        ids = [id for (id,) in cursor.fetchall()]
    return _select(VALUES_OF, conversion, {"key": conversion.old.key, "ids": ids}) if ids else []


def _select(statement: str, conversion: Conversion, values: JsonObject) -> list[Stored]:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**conversion.names), values)
        return [Stored(record, value) for record, value in cursor.fetchall()]


def stage_values(conversion: Conversion, job_id: str, values: Sequence[Stored], *, drop_invalid: bool) -> None:
    """Stage the converted values with their typed rows, in place of those staged for these records before.

    `drop_invalid` removes values that do not fit; otherwise they raise UnfitValue.
    """
    if not values:
        return
    kind, new = conversion.kind, conversion.new
    converted = [_convert_row(conversion, stored, drop_invalid) for stored in values if stored.value is not None]
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {kind.value_table} WHERE {kind.column} = ANY(%s) AND field_id = %s",
            [[stored.record for stored in values], new.id],
        )
        cursor.execute(
            "DELETE FROM crm_convertedvalue WHERE job_id = %s AND record_id = ANY(%s)",
            [job_id, [stored.record for stored in values if stored.value is None]],
        )
        cursor.execute(STAGE_VALUES, [company_id(), job_id, orjson.dumps(converted, default=str).decode()])
    staged = [entry for entry in converted if entry["after"] is not None]
    rows = [{"record": entry["record"], **row} for entry in staged for row in typed_rows(new, entry["after"])]
    insert_typed(kind, company_id(), rows)


def _convert_row(conversion: Conversion, stored: Stored, drop_invalid: bool) -> JsonObject:
    text = stored.value or ""
    try:
        after = convert(orjson.loads(text), conversion.old, conversion.new)
    except BadValue as error:
        if not drop_invalid:
            raise UnfitValue(f"{shorten(text, 60)}: {error}") from None
        after = None
    return {"record": stored.record, "before": orjson.Fragment(text), "after": after}


def count_staged(job_id: str, records: Sequence[str] | None = None) -> tuple[int, int]:
    """Count the changed and the cleared values, of all records or of the given ones."""
    with connection.cursor() as cursor:
        some = "" if records is None else " AND record_id = ANY(%s)"
        cursor.execute(COUNT + some, [job_id] if records is None else [job_id, list(records)])
        changed, lost = cursor.fetchone()
        return int(changed), int(lost)


def next_pending(kind: RecordKind, job_id: str, size: int) -> list[str]:
    """Lock the next records that have a pending value of the job's field. Returns the ids of the pending values.

    A record may be gone; its pending value has to go too.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT record_id FROM crm_convertedvalue WHERE job_id = %s ORDER BY record_id LIMIT %s", [job_id, size]
        )
        ids = [id for (id,) in cursor.fetchall()]
        # By id, the order in which all bulk writers lock records.
        cursor.execute(f"SELECT id FROM {kind.table} WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE", [ids])
    return ids


def remove_typed(kind: RecordKind, field_ids: Sequence[str], records: Sequence[str] | None = None) -> None:
    """Delete the typed values that are stored under these ids, of all records or of some."""
    with connection.cursor() as cursor:
        if records is None:
            cursor.execute(REMOVE_TYPED.format(table=kind.value_table), {"ids": list(field_ids)})
        else:
            cursor.execute(
                f"DELETE FROM {kind.value_table} WHERE {kind.column} = ANY(%s) AND field_id = ANY(%s)",
                [list(records), list(field_ids)],
            )


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
    remove_typed(kind, field_ids, ids)
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
