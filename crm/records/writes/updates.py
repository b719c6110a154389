"""Bulk updates of existing records of any kind, each with values of its own: one statement per table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.errors import InvalidFormat, NamedError
from core.ids import as_array
from core.tenancy import own_records
from core.text.json import dumps, format_iso, json_default
from core.types import JsonObject, Values
from crm.records.kinds import RecordKind, not_ones_own
from crm.records.pending import write_pending
from crm.records.schema import RecordRow, RecordSchema
from crm.records.values import Links, add_links, add_values, remove_other_links, remove_values, tag_links

Changes = dict[str, JsonObject]
"""The changes of a record: name in the API -> from and to."""


@dataclass(slots=True)
class RecordState:
    """A record before and after its rows were applied; `before` and `after` are columns."""

    id: str
    before: JsonObject
    custom_before: JsonObject
    after: JsonObject
    custom: JsonObject
    tags: list[str] | None = None

    def reset(self) -> None:
        """Undo the applied changes."""
        self.after = dict(self.before)
        self.custom = dict(self.custom_before)
        self.tags = None

    def apply(self, row: RecordRow, system: Values) -> None:
        """Apply the row's values to the record; `system` has the columns that count."""
        for column, value in system.items():
            # A file that was exported and imported again must change nothing,
            # though cells lose types and blanks.
            if not (row.from_text and is_same_text(self.after.get(column), value)):
                self.after[column] = value
        for key, value in row.custom.items():
            if value is None:
                self.custom.pop(key, None)
            elif not (row.from_text and key in self.custom and is_same_text(self.custom[key], value)):
                self.custom[key] = value
        if row.tag_ids is not None:
            self.tags = [*(self.tags or ()), *row.tag_ids]

    def stamp(self, stamps: Mapping[str, str], now: datetime) -> None:
        """Set the times of the columns that changed; `stamps` has column -> the column with the time of its change."""
        for column, dated in stamps.items():
            self.after[dated] = now if self.after[column] != self.before[column] else self.before[dated]

    def changes(self, names: Mapping[str, str]) -> Changes:
        """Return the changes of the record; `names` has column -> name in the API, and other columns are left out."""
        differences = {
            names[column]: {"from": event_value(self.before[column]), "to": event_value(value)}
            for column, value in self.after.items()
            if column in names and value != self.before[column]
        }
        for key in self.custom_before.keys() | self.custom.keys():
            old, new = self.custom_before.get(key), self.custom.get(key)
            # In Python 1 == True, but in JSON a number and a truth value are two things.
            if old != new or isinstance(old, bool) is not isinstance(new, bool):
                differences[key] = {"from": old, "to": new}
        return differences


def is_same_text(old: Any, new: Any) -> bool:
    """Return whether a value that was read from a file is a present one as an export writes it.

    Cells have no blanks around a text, and no types in fields of any type.
    """
    if not isinstance(new, str) or old is None:
        return False
    if isinstance(old, str):
        return old != new and _bare(old) == _bare(new)
    if isinstance(old, list | dict):
        return new == dumps(old).decode()
    if isinstance(old, bool):
        return new == str(old).lower()
    try:
        return isinstance(old, int | float) and float(new) == old
    except ValueError:
        return False


def _bare(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def event_value(value: Any) -> Any:
    """Return a column's value in the form that events have."""
    return value if value is None or isinstance(value, str | bool | int | float) else json_default(value)


def without_held(schema: RecordSchema, form_data: Values, columns: Values, custom: Values) -> JsonObject:
    """Return the values of a formData without those that the record already has.

    A caller may send back the response of GET, including a value that is no longer valid as input. Examples are a
    removed option, a deleted file, or no value for a field that became required.
    """
    # A field without a value counts as null, which is what GET answers for it.
    held: JsonObject = {**dict.fromkeys(schema.fields), **custom}
    held |= {key: event_value(columns[column]) for key, column in schema.columns.items()}
    return {key: value for key, value in form_data.items() if key not in held or not _is_same_json(held[key], value)}


def _is_same_json(held: Any, value: Any) -> bool:
    """Return whether two JSON values are the same, types included: 1 is neither 1.0 nor true."""
    try:
        written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # no JSON, which is refused later
        return False
    return written == orjson.dumps(held, option=orjson.OPT_SORT_KEYS)


def load_states(schema: RecordSchema, ids: Sequence[str], *, merging: bool = False) -> dict[str, RecordState]:
    """Lock the live records in the order of their ids, and read the columns that an update, or a merge, may change."""
    kind, record_ids = schema.kind, list(set(ids))
    columns = kind.merged_columns if merging else kind.state_columns
    locked = f"FROM {kind.table} WHERE id = ANY(%s) AND NOT is_deleted ORDER BY id FOR NO KEY UPDATE"
    with connection.cursor() as cursor:
        if schema.pending:
            # Locked by a statement of its own: the next one takes its snapshot after the lock, and sees
            # what the last writer of the rows has committed.
            cursor.execute(f"SELECT id {locked}", [as_array(record_ids)])
            write_pending(schema, [id for (id,) in cursor.fetchall()])
        cursor.execute(f"SELECT id, {', '.join(columns)}, custom::text {locked}", [as_array(record_ids)])
        states = {}
        for id, *values, custom in cursor.fetchall():
            before, custom_before = dict(zip(columns, values, strict=True)), orjson.loads(custom)
            states[id] = RecordState(id, before, custom_before, dict(before), dict(custom_before))
        return states


def write_states(schema: RecordSchema, states: Sequence[RecordState], actor_id: str | None) -> None:
    """Write the columns that the states were loaded with, and those that derive from them."""
    if not states:
        return
    kind = schema.kind
    owned = kind.owned
    member = own_records(owned.module) if owned else ""
    if owned and member and any(state.after.get(owned.column, member) != member for state in states):
        raise not_ones_own()
    # One JSON text instead of an array per column: psycopg writes arrays thirty times slower.
    written = [{**state.after, **schema.derive(state.after)} for state in states]
    columns = {name: kind.by_name[name].type for name in written[0]}
    rows = [{**values, "id": state.id, "custom": state.custom} for values, state in zip(written, states, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(
            # A change without a member, such as by a job of the service, keeps the
            # last one who changed the record.
            f"UPDATE {kind.table} r SET updated_at = %s, updated_by_id = coalesce(%s, r.updated_by_id),"
            f" custom = new.custom, {', '.join(f'{column} = new.{column}' for column in columns)}"
            " FROM json_to_recordset(%s::json) AS new (id text, custom jsonb,"
            f" {', '.join(map(' '.join, columns.items()))})"
            " WHERE r.id = new.id",
            [timezone.now(), actor_id, orjson.dumps(rows, default=str).decode()],
        )


def write_values(schema: RecordSchema, states: Sequence[RecordState], changes_by_id: Mapping[str, Changes]) -> None:
    """Write the typed rows of the custom values that changed."""
    changed = {state.id: [key for key in changes_by_id[state.id] if key in schema.fields] for state in states}
    remove_values(
        schema.kind,
        [
            (state.id, schema.fields[key].id)
            for state in states
            for key in changed[state.id]
            if key in state.custom_before
        ],
    )
    add_values(
        schema,
        [(state.id, {key: state.custom[key] for key in changed[state.id] if key in state.custom}) for state in states],
    )


def write_tags(
    schema: RecordSchema, states: Mapping[str, RecordState], changes_by_id: dict[str, Changes], *, replace: bool
) -> None:
    """Write the records' tags, and add those that changed to `changes_by_id`."""
    tags = {id: list(dict.fromkeys(state.tags)) for id, state in states.items() if state.tags is not None}
    write_links(schema, tag_links(schema.kind), "tags", tags, changes_by_id, replace=replace)


def write_links(
    schema: RecordSchema,
    links: Links,
    name: str,
    targets_by_record: Mapping[str, Sequence[str]],
    changes_by_id: dict[str, Changes],
    *,
    replace: bool,
) -> None:
    """Link the records to `targets_by_record`, and with `replace` to nothing else.

    Adds the links that changed to `changes_by_id`.
    """
    lost = remove_other_links(links, targets_by_record) if replace else set()
    gained = add_links(
        schema.company_id, links, [(id, target) for id, targets in targets_by_record.items() for target in targets]
    )
    for id in sorted(lost | gained):
        changes_by_id.setdefault(id, {})[name] = (
            {"to": list(targets_by_record[id])} if replace else {"added": list(targets_by_record[id])}
        )


def mark_updated(kind: RecordKind, ids: Sequence[str], actor_id: str | None) -> None:
    """Set updatedAt and updatedBy of records whose values, tags or links changed outside of their own rows."""
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {kind.table} SET updated_at = %s, updated_by_id = coalesce(%s, updated_by_id)"
                " WHERE id = ANY(%s)",
                [timezone.now(), actor_id, list(ids)],
            )


def refuse_changed(updated_at: datetime, unchanged_since: str | None) -> None:
    """Refuse to change a record whose updatedAt is another than the one that a caller has seen (RecordChanged_409)."""
    if unchanged_since is None:
        return
    try:
        seen = datetime.fromisoformat(unchanged_since)
        seen_text = format_iso(seen) if seen.tzinfo is not None else ""
    except (ValueError, OverflowError):
        seen_text = ""
    if not seen_text:
        raise InvalidFormat("unchangedSince", unchanged_since, "an updatedAt as GET answered it")
    # Compared as texts, since the API gives times by the millisecond and the column has microseconds.
    if format_iso(updated_at) != seen_text:
        raise NamedError(
            "RecordChanged_409",
            "somebody has changed the record since; read it again and decide what stays",
            field="unchangedSince",
        )
