"""Bulk changes of records of any kind, with set-based statements. Each kind adds its own relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.errors import NamedError
from core.tenancy import own_records
from core.types import JsonObject, Values
from crm.field_types.base import MAX_ITEMS
from crm.records.kinds import not_ones_own
from crm.records.pending import write_pending
from crm.records.problems import MISSING_VALUE, ValueProblem, problems_error
from crm.records.schema import BAD_CUSTOM, BAD_SYSTEM, NEVER_EMPTY, UNKNOWN, RecordSchema
from crm.records.values import add_tags, add_values, remove_links, remove_other_tags, tag_links
from crm.records.writes.updates import Changes, event_value, mark_updated

UPDATE_TYPES = ("set", "append", "remove", "clear")
ChangesById = dict[str, Changes]
"""Record id -> the changes of the record."""

APPENDED = """coalesce(custom -> %(key)s, '[]') || (
    SELECT coalesce(jsonb_agg(item ORDER BY place), '[]')
    FROM jsonb_array_elements(%(items)s::jsonb) WITH ORDINALITY AS new (item, place)
    WHERE NOT EXISTS (
        SELECT FROM jsonb_array_elements(coalesce(custom -> %(key)s, '[]')) AS old (item) WHERE old.item = new.item))"""
REMOVED = """(
    SELECT coalesce(jsonb_agg(item ORDER BY place), '[]')
    FROM jsonb_array_elements(custom -> %(key)s) WITH ORDINALITY AS old (item, place)
    WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(%(items)s::jsonb) AS gone (item) WHERE gone.item = old.item))"""
CHANGE_ITEMS = """
UPDATE {table}
SET updated_at = %(now)s, updated_by_id = %(actor)s,
    custom = CASE WHEN changed.items = '[]' THEN custom - %(key)s
        ELSE jsonb_set(custom, ARRAY[%(key)s], changed.items) END
FROM (
    SELECT id AS changed_id, {items} AS items FROM {table} WHERE id = ANY(%(ids)s) AND (%(append)s OR custom ? %(key)s)
) AS changed
WHERE id = changed_id AND changed.items IS DISTINCT FROM coalesce(custom -> %(key)s, '[]')
RETURNING id, changed.items::text
"""
SET_COLUMNS = """
UPDATE {table} r SET {assignments}, updated_at = %s, updated_by_id = %s
FROM (SELECT id, {old} FROM {table} WHERE id = ANY(%s)) AS old
WHERE r.id = old.id AND ({different})
RETURNING r.id, {returned}
"""


@dataclass(slots=True)
class Change:
    """A change of every selected record."""

    columns: JsonObject = field(default_factory=dict)
    """Column -> value."""
    custom: JsonObject = field(default_factory=dict)
    """uniqueFieldID -> value; None empties."""
    append: dict[str, list[Any]] = field(default_factory=dict)
    remove: dict[str, list[Any]] = field(default_factory=dict)
    tags: str = ""
    """"" (leave), set, append or remove."""
    tag_ids: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        return not (self.columns or self.custom or self.append or self.remove or self.tags)


def plan_change(schema: RecordSchema, form_data: Values, update_type: str, tag_ids: Sequence[str] | None) -> Change:
    """Plan the change that a formData and existing tags ask for. Raises invalid input by its name.

    `set` gives all the values. `append` and `remove` change tags and fields with several values. `clear` empties the
    fields named in form_data, and the tags when they are given.
    """
    if update_type not in UPDATE_TYPES:
        raise NamedError("InvalidPayload_400", f"one of {', '.join(UPDATE_TYPES)}", field="updateType")
    unknown = [key for key in form_data if key not in schema.columns and key not in schema.fields]
    if unknown:
        raise NamedError(UNKNOWN, "there is no such field", field=unknown[0])
    change = Change()
    if update_type == "set":
        _plan_set(schema, form_data, change)
    elif update_type == "clear":
        _plan_clear(schema, form_data, change)
    else:
        _plan_items(schema, form_data, update_type, change)
    if tag_ids is not None:
        change.tags = "set" if update_type == "clear" else update_type
        change.tag_ids = () if update_type == "clear" else tag_ids
    return change


def _plan_set(schema: RecordSchema, form_data: Values, change: Change) -> None:
    row, problems = schema.read(form_data, partial=True)
    if row is None:
        raise problems_error(problems)
    dangling = schema.check_references([row]).get(0)
    if dangling:
        raise problems_error(dangling)
    change.columns = row.system
    change.custom = row.custom


def _plan_clear(schema: RecordSchema, form_data: Values, change: Change) -> None:
    required = [key for key in form_data if key in schema.required_system or key in schema.required_custom]
    if required:
        name = BAD_SYSTEM if required[0] in schema.columns else BAD_CUSTOM
        raise problems_error([ValueProblem(required[0], name, "is required and cannot be empty", code=MISSING_VALUE)])
    for key in schema.kind.never_empty:
        if key in form_data:
            raise NamedError(BAD_SYSTEM, NEVER_EMPTY, field=key)
    for key in form_data:
        if key in schema.columns:
            change.columns.update(schema.emptied(key))
        else:
            change.custom[key] = None


def _plan_items(schema: RecordSchema, form_data: Values, update_type: str, change: Change) -> None:
    for key, value in form_data.items():
        spec = schema.fields.get(key)
        if spec is None or not spec.many:
            raise NamedError(
                BAD_SYSTEM if spec is None else BAD_CUSTOM,
                f"only tags and fields with several values take {update_type}",
                field=key,
            )
        row, problems = schema.read({key: value if isinstance(value, list) else [value]}, partial=True)
        if row is None or row.custom.get(key) is None:
            raise problems_error(problems) if problems else NamedError(BAD_CUSTOM, "needs at least one item", field=key)
        dangling = schema.check_references([row]).get(0)
        if dangling and update_type == "append":
            raise problems_error(dangling)
        getattr(change, update_type)[key] = row.custom[key]


def apply_change(schema: RecordSchema, change: Change, ids: list[str], actor_id: str | None) -> ChangesById:
    """Change a batch of locked records. Returns the changes of each, for the events that the caller emits."""
    owned = schema.kind.owned
    member = own_records(owned.module) if owned else ""
    if owned and member and change.columns.get(owned.column, member) != member:
        raise not_ones_own()
    # Before any value is compared: until its field's conversion has reached a
    # record, its row has the old value.
    write_pending(schema, ids)
    changes_by_id = _set_columns(schema, change, ids, actor_id)
    for key, items in change.append.items():
        for id in _change_items(schema, key, items, ids, actor_id, append=True):
            changes_by_id.setdefault(id, {})[key] = {"added": items}
    for key, items in change.remove.items():
        for id in _change_items(schema, key, items, ids, actor_id, append=False):
            changes_by_id.setdefault(id, {})[key] = {"removed": items}
    tagged = _change_tags(schema, change, ids)
    # Records that got a value have their new updatedAt already. Sorted, since
    # all writers lock rows in that order.
    mark_updated(schema.kind, sorted(tagged - changes_by_id.keys()), actor_id)
    for id in tagged:
        changes_by_id.setdefault(id, {})["tags"] = {
            {"set": "to", "append": "added", "remove": "removed"}[change.tags]: list(change.tag_ids)
        }
    return changes_by_id


def _set_columns(schema: RecordSchema, change: Change, ids: list[str], actor_id: str | None) -> ChangesById:
    """Set the values that are the same for all records, in one statement. Returns the changes."""
    updates: list[tuple[str, str, list[Any]]] = [(column, "%s", [value]) for column, value in change.columns.items()]
    custom_values = {key: value for key, value in change.custom.items() if value is not None}
    if change.custom:
        emptied = [key for key in change.custom if key not in custom_values]
        updates.append(
            ("custom", "(r.custom || %s::jsonb) - %s::text[]", [orjson.dumps(custom_values).decode(), emptied])
        )
    if not updates:
        return {}
    now, columns = timezone.now(), list(change.columns)
    assignments = [f"{column} = {expression}" for column, expression, _ in updates]
    # The time of a change moves only where the value really differs, so the database compares row by row.
    stamps = [(column, stamp) for column, stamp in schema.kind.stamps.items() if column in change.columns]
    assignments += [
        f"{stamp} = CASE WHEN r.{column} IS DISTINCT FROM %s THEN %s ELSE r.{stamp} END" for column, stamp in stamps
    ]
    values = [value for *_, part in updates for value in part]
    stamped = [value for column, _ in stamps for value in (change.columns[column], now)]
    returned = [f"old.{column}" for column in columns]
    keys: list[Any] = []
    if change.custom:
        returned.append(
            "(SELECT json_object_agg(key, old.custom -> key) FROM unnest(%s::text[]) AS key"
            " WHERE old.custom ? key)::text"
        )
        keys = [list(change.custom)]
    statement = SET_COLUMNS.format(
        table=schema.kind.table,
        assignments=", ".join(assignments),
        old=", ".join([*columns, *(["custom"] if change.custom else [])]),
        # Rows that have the values already are left alone: no event, no new updatedAt, and no dead tuple.
        different=" OR ".join(f"r.{column} IS DISTINCT FROM {expression}" for column, expression, _ in updates),
        returned=", ".join(returned),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, *stamped, now, actor_id, ids, *values, *keys])
        rows = cursor.fetchall()
    changes_by_id = {id: _differences(schema, change, columns, old) for id, *old in rows}
    if change.custom:
        _replace_values(schema, list(change.custom), dict.fromkeys(changes_by_id, custom_values))
    return changes_by_id


def _differences(schema: RecordSchema, change: Change, columns: Sequence[str], old: Sequence[Any]) -> Changes:
    """Return the changes of a record from its old values: its columns, followed by its custom values as JSON."""
    changes = {
        schema.names[column]: {"from": event_value(before), "to": event_value(change.columns[column])}
        for column, before in zip(columns, old, strict=False)
        if column in schema.names and before != change.columns[column]
    }
    if change.custom:
        custom = orjson.loads(old[-1] or "{}")
        changes |= {
            key: {"from": custom.get(key), "to": value}
            for key, value in change.custom.items()
            if custom.get(key) != value
        }
    return changes


def _change_items(
    schema: RecordSchema, key: str, items: list[Any], ids: list[str], actor_id: str | None, *, append: bool
) -> set[str]:
    """Add items to a field with several values, or remove them.

    Returns the ids of changed records with their items replaced.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            CHANGE_ITEMS.format(table=schema.kind.table, items=APPENDED if append else REMOVED),
            {
                "key": key,
                "items": orjson.dumps(items).decode(),
                "ids": ids,
                "append": append,
                "now": timezone.now(),
                "actor": actor_id,
            },
        )
        values = {id: {key: orjson.loads(text)} for id, text in cursor.fetchall()}
    # Only the result shows whether a removal empties a required field, so it is checked after the
    # statement. The error rolls all of it back.
    if not append and key in schema.required_custom and not all(value[key] for value in values.values()):
        raise NamedError(
            BAD_CUSTOM, f"keep at least one value; some of the {schema.kind.noun} would have none", field=key
        )
    if any(len(value[key]) > MAX_ITEMS for value in values.values()):
        raise NamedError(BAD_CUSTOM, f"a record would have more than {MAX_ITEMS} items", field=key)
    _replace_values(schema, [key], values)
    return set(values)


def _replace_values(schema: RecordSchema, keys: Sequence[str], values: Mapping[str, Values]) -> None:
    """Replace the typed rows of the fields `keys` for these records."""
    if not values:
        return
    kind = schema.kind
    with connection.cursor() as cursor:
        cursor.execute(
            # Deleted and inserted again: a value may have more rows than before, or fewer.
            f"DELETE FROM {kind.value_table} WHERE {kind.column} = ANY(%s) AND field_id = ANY(%s)",
            [list(values), [schema.fields[key].id for key in keys]],
        )
    add_values(schema, values.items())


def _change_tags(schema: RecordSchema, change: Change, ids: list[str]) -> set[str]:
    if not change.tags:
        return set()
    if change.tags == "remove":
        return remove_links(tag_links(schema.kind), ids, change.tag_ids)
    lost = remove_other_tags(dict.fromkeys(ids, change.tag_ids), schema.kind) if change.tags == "set" else set()
    return lost | add_tags(schema.company_id, [(id, tag) for id in ids for tag in change.tag_ids], schema.kind)
