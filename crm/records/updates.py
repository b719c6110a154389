"""Existing records of any kind, changed many at a time, each with values of its own: one statement a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.text.json import json_default
from crm.records.kinds import RecordKind
from crm.records.schema import RecordRow, RecordSchema
from crm.records.values import Links, add_links, add_values, remove_other_links, remove_values, tag_links

Changes = dict[str, dict[str, Any]]
"""What is different about a record, by the names of the API: from what to what."""


@dataclass(slots=True)
class RecordState:
    """A record before and after its rows were applied; `before` and `after` are columns."""

    id: str
    before: dict[str, Any]
    custom_before: dict[str, Any]
    after: dict[str, Any]
    custom: dict[str, Any]
    tags: list[str] | None = None

    def reset(self) -> None:
        """Take back what was applied."""
        self.after, self.custom, self.tags = dict(self.before), dict(self.custom_before), None

    def apply(self, row: RecordRow, system: Mapping[str, Any]) -> None:
        """Put the row's values over the record's; `system` are those of its columns that count."""
        self.after.update(system)
        for key, value in row.custom.items():
            if value is None:
                self.custom.pop(key, None)
            else:
                self.custom[key] = value
        if row.tag_ids is not None:
            self.tags = [*(self.tags or ()), *row.tag_ids]

    def stamp(self, stamps: Mapping[str, str], now: datetime) -> None:
        """Date what changed; `stamps` has column -> the column that dates its last change."""
        for column, dated in stamps.items():
            self.after[dated] = now if self.after[column] != self.before[column] else self.before[dated]

    def changes(self, names: Mapping[str, str]) -> Changes:
        """What is different now; `names` has column -> name in the API, and columns that it lacks are not told."""
        found = {
            names[column]: {"from": told(self.before[column]), "to": told(value)}
            for column, value in self.after.items()
            if column in names and value != self.before[column]
        }
        for key in self.custom_before.keys() | self.custom.keys():
            old, new = self.custom_before.get(key), self.custom.get(key)
            if old != new or type(old) is not type(new):
                found[key] = {"from": old, "to": new}
        return found


def told(value: Any) -> Any:
    """A column's value as an event tells it."""
    return value if value is None or isinstance(value, str | bool | int | float) else json_default(value)


def load_states(kind: RecordKind, ids: Sequence[str], *, merging: bool = False) -> dict[str, RecordState]:
    """Lock the live records of the ids, in the order of their ids, and read what an update of them, or a merge, may change."""
    columns = kind.merged_columns if merging else kind.state_columns
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, {', '.join(columns)}, custom::text FROM {kind.table} WHERE id = ANY(%s) AND NOT is_deleted ORDER BY id FOR UPDATE",
            [list(set(ids))],
        )
        found = {}
        for id, *values, custom in cursor.fetchall():
            before, custom_before = dict(zip(columns, values, strict=True)), orjson.loads(custom)
            found[id] = RecordState(id, before, custom_before, dict(before), dict(custom_before))
        return found


def write_states(schema: RecordSchema, states: Sequence[RecordState], actor_id: str | None) -> None:
    """Write the records' own rows: the columns that the states were loaded with, and those that derive from them."""
    if not states:
        return
    kind = schema.kind
    # One JSON text instead of an array a column: psycopg writes arrays thirty times slower.
    written = [{**state.after, **schema.derive(state.after)} for state in states]
    columns = {name: kind.by_name[name].type for name in written[0]}
    rows = [{**values, "id": state.id, "custom": state.custom} for values, state in zip(written, states, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {kind.table} r SET updated_at = %s, updated_by_id = coalesce(%s, r.updated_by_id), custom = new.custom,"
            f" {', '.join(f'{column} = new.{column}' for column in columns)}"
            f" FROM json_to_recordset(%s::json) AS new (id text, custom jsonb, {', '.join(map(' '.join, columns.items()))})"
            " WHERE r.id = new.id",
            [timezone.now(), actor_id, orjson.dumps(rows, default=str).decode()],
        )


def write_values(schema: RecordSchema, states: Sequence[RecordState], moved: Mapping[str, Changes]) -> None:
    """The typed rows of the custom values that changed."""
    changed = {state.id: [key for key in moved[state.id] if key in schema.fields] for state in states}
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
    schema: RecordSchema, states: Mapping[str, RecordState], moved: dict[str, Changes], *, replace: bool
) -> None:
    """The records' tags; one whose tags changed is told in `moved` too."""
    wanted = {id: list(dict.fromkeys(state.tags)) for id, state in states.items() if state.tags is not None}
    write_links(schema, tag_links(schema.kind), "tags", wanted, moved, replace=replace)


def write_links(
    schema: RecordSchema,
    links: Links,
    name: str,
    wanted: Mapping[str, Sequence[str]],
    moved: dict[str, Changes],
    *,
    replace: bool,
) -> None:
    """Link the records to what is wanted of each, with `replace` to nothing else; one whose links changed is told in `moved` too."""
    lost = remove_other_links(links, wanted) if replace else set()
    gained = add_links(schema.company_id, links, [(id, target) for id, targets in wanted.items() for target in targets])
    for id in sorted(lost | gained):
        moved.setdefault(id, {})[name] = {"to": list(wanted[id])} if replace else {"added": list(wanted[id])}


def touch(kind: RecordKind, ids: Sequence[str], actor_id: str | None) -> None:
    """Date records of which something beside their own rows changed."""
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {kind.table} SET updated_at = %s, updated_by_id = coalesce(%s, updated_by_id) WHERE id = ANY(%s)",
                [timezone.now(), actor_id, list(ids)],
            )
