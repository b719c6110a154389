"""Converted values that their records do not have yet (docs/decisions/0010-field-conversions.md).

Once a field has its new definition (`CustomField.pending`), its value of a record is the one in ConvertedValue, if
there is one. The record's `custom` still has the old one. A write of the record, or the field's job, writes the value
into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from crm.records.schema import RecordSchema

PRESENT = (
    "CASE WHEN (SELECT custom_pending()) THEN custom_present({row}.company_id, {row}.id, {row}.custom)"
    " ELSE {row}.custom END"
)
WRITE = """
WITH written AS (
    DELETE FROM crm_convertedvalue c USING crm_customfield f
    WHERE f.pending AND f.company_id = current_setting('app.company') AND c.job_id = f.job_id
        AND c.record_id = ANY(%s)
    RETURNING c.record_id, f.unique_field_id::text AS key, c.before, c.after
)
UPDATE {table} r SET custom = (r.custom - made.keys) || made.values
FROM (
    SELECT record_id, array_agg(key) AS keys,
        coalesce(jsonb_object_agg(key, after) FILTER (WHERE after IS NOT NULL), '{{}}') AS values
    FROM written WHERE after IS DISTINCT FROM before GROUP BY record_id
) AS made
WHERE r.id = made.record_id
"""


def present_custom(row: str) -> str:
    """Return the SQL of a record's custom values, `row` being its table's alias.

    Its functions (migration 0011) read by the statement's own snapshot, so that no statement sees a field half
    converted.
    """
    return PRESENT.format(row=row)


def write_pending(schema: RecordSchema, ids: Sequence[str]) -> None:
    """Write the pending values of locked records into them, before their stored `custom` is read or written.

    The caller has locked the rows in an earlier statement, so that this one sees the writes of their last writer.
    """
    if schema.pending and ids:
        with connection.cursor() as cursor:
            cursor.execute(WRITE.format(table=schema.kind.table), [list(ids)])
