"""Existing contacts updated many at a time, each with values of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.events import emit
from crm.services.contact_keys import Keyed, live_holders
from crm.services.contact_schema import SYSTEM_COLUMNS, ContactRow, ContactSchema
from crm.services.record_values import add_tags, add_values, remove_other_tags, remove_values

COLUMNS = ("name", "email", "country_code", "number", "contact_number", "category_id")
MAX_ROUNDS = 5

SELECT = f"""
SELECT id, {", ".join(COLUMNS)}, custom::text FROM crm_contact WHERE id = ANY(%s) AND NOT is_deleted ORDER BY id FOR UPDATE
"""
UPDATE = f"""
UPDATE crm_contact c SET updated_at = %s, updated_by_id = coalesce(%s, c.updated_by_id), email_key = r.email_key, number_key = r.number_key,
    {", ".join(f"{column} = r.{column}" for column in COLUMNS)}, custom = r.custom::jsonb
FROM unnest({", ".join(["%s::text[]"] * (len(COLUMNS) + 4))}) AS r (id, {", ".join(COLUMNS)}, email_key, number_key, custom)
WHERE c.id = r.id
"""
KEYS = {column: key for key, column in SYSTEM_COLUMNS.items()} | {"contact_number": "contactNumber", "category_id": "category"}


@dataclass(slots=True)
class UpdateResult:
    """(index, id) of the rows that were applied, (index, field, value, existing id) of those whose unique key another contact has, and
    those whose contact is gone. `changed` are the contacts that are not what they were before."""

    updated: list[tuple[int, str]] = field(default_factory=list)
    collided: list[tuple[int, str, str, str]] = field(default_factory=list)
    missing: list[ContactRow] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _State:
    """A contact before and after its rows were applied."""

    id: str
    before: dict[str, Any]
    custom_before: dict[str, Any]
    after: dict[str, Any]
    custom: dict[str, Any]
    tags: list[str] | None = None

    def changes(self) -> dict[str, dict[str, Any]]:
        """What is different, by formData key (and contactNumber, category): from what to what."""
        found = {
            KEYS[column]: {"from": self.before[column], "to": value} for column, value in self.after.items() if value != self.before[column]
        }
        for key in self.custom_before.keys() | self.custom.keys():
            old, new = self.custom_before.get(key), self.custom.get(key)
            if old != new or type(old) is not type(new):
                found[key] = {"from": old, "to": new}
        return found


def update_contacts(
    schema: ContactSchema,
    changes: Sequence[tuple[str, ContactRow]],
    *,
    actor_id: str | None,
    automation: bool = True,
    tags: Literal["append", "replace"] = "append",
) -> UpdateResult:
    """Apply (contact id, row) in order, in the caller's transaction: given values replace, None empties; a contact that stays the same
    is not written. Emits contact.updated with what changed. Call lock_unique_key first."""
    result = UpdateResult()
    if not changes:
        return result
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("update_contacts() needs a transaction around it")
    states = _load([id for id, _ in changes])
    result.missing = [row for id, row in changes if id not in states]
    present = [(id, row) for id, row in changes if id in states]
    for _ in range(MAX_ROUNDS):
        refused = _collisions(schema, present)
        result.collided += refused
        indexes = {index for index, *_ in refused}
        present = [(id, row) for id, row in present if row.index not in indexes]
        for state in states.values():
            state.after, state.custom, state.tags = dict(state.before), dict(state.custom_before), None
        for id, row in present:
            _apply(states[id], row)
        moved = {id: found for id, state in states.items() if (found := state.changes())}
        try:
            with transaction.atomic():
                _write(schema, [states[id] for id in moved], actor_id)
        except IntegrityError as error:
            if "contact_email_unique" not in str(error) and "contact_number_unique" not in str(error):
                raise
            continue  # another writer took a key after the look
        _write_beside(schema, [states[id] for id in moved], moved)
        _write_tags(schema, states, moved, actor_id, replace=tags == "replace")
        result.updated = [(row.index, id) for id, row in present]
        result.changed = set(moved)
        emit(
            "contact.updated",
            list(moved),
            payloads={id: {"changes": found} for id, found in moved.items()},
            actor_id=actor_id,
            automation=automation,
        )
        return result
    raise RuntimeError("other writers kept taking the unique keys of these contacts")


def _load(ids: Sequence[str]) -> dict[str, _State]:
    """The live contacts, locked in the order of their ids."""
    with connection.cursor() as cursor:
        cursor.execute(SELECT, [list(set(ids))])
        found = {}
        for id, *values, custom in cursor.fetchall():
            before, custom_before = dict(zip(COLUMNS, values, strict=True)), orjson.loads(custom)
            found[id] = _State(id, before, custom_before, dict(before), dict(custom_before))
        return found


def _collisions(schema: ContactSchema, changes: Sequence[tuple[str, ContactRow]]) -> list[tuple[int, str, str, str]]:
    """The rows whose unique key another live contact has."""
    keyed = [Keyed(id, row, *schema.keys_of(row.system)) for id, row in changes if "email" in row.system or "contact_number" in row.system]
    if not keyed:
        return []
    holders: dict[str, dict[str | None, str]] = {"email": {}, "number": {}}
    for live in live_holders(keyed):
        holders["email"][live.email_key] = holders["number"][live.number_key] = live.id
    found = []
    for item in keyed:
        for part, key, column in (("email", item.email_key, "email"), ("number", item.number_key, "contact_number")):
            holder = holders[part].get(key) if key else None
            if holder is not None and holder != item.id:
                found.append((item.row.index, part, item.row.system[column], holder))
                break
            if key:
                holders[part][key] = item.id
    return found


def _apply(state: _State, row: ContactRow) -> None:
    system = row.system
    if "number" not in system and state.after["number"]:
        system = {column: value for column, value in system.items() if column != "country_code"}  # a prefix alone says nothing
    state.after.update(system)
    if row.category_id is not None:
        state.after["category_id"] = row.category_id or None
    for key, value in row.custom.items():
        if value is None:
            state.custom.pop(key, None)
        else:
            state.custom[key] = value
    if row.tag_ids is not None:
        state.tags = [*(state.tags or ()), *row.tag_ids]


def _write(schema: ContactSchema, states: Sequence[_State], actor_id: str | None) -> None:
    """The contacts' own rows."""
    if not states:
        return
    keys = [schema.keys_of(state.after) for state in states]
    columns = [[state.after[column] for state in states] for column in COLUMNS]
    with connection.cursor() as cursor:
        cursor.execute(
            UPDATE,
            [
                timezone.now(),
                actor_id,
                [state.id for state in states],
                *columns,
                [email for email, _ in keys],
                [number for _, number in keys],
                [orjson.dumps(state.custom).decode() for state in states],
            ],
        )


def _write_beside(schema: ContactSchema, states: Sequence[_State], moved: dict[str, dict[str, Any]]) -> None:
    """The typed values of the custom values that changed."""
    changed = {state.id: [key for key in moved[state.id] if key in schema.fields] for state in states}
    remove_values(
        schema.kind, [(state.id, schema.fields[key].id) for state in states for key in changed[state.id] if key in state.custom_before]
    )
    add_values(schema, [(state.id, {key: state.custom[key] for key in changed[state.id] if key in state.custom}) for state in states])


def _write_tags(
    schema: ContactSchema, states: dict[str, _State], moved: dict[str, dict[str, Any]], actor_id: str | None, *, replace: bool
) -> None:
    """The contacts' tags; one whose tags changed is told in `moved` too."""
    wanted = {id: list(dict.fromkeys(state.tags)) for id, state in states.items() if state.tags is not None}
    lost = remove_other_tags(wanted) if replace else set()
    gained = add_tags(schema.company_id, [(id, tag) for id, tags in wanted.items() for tag in tags])
    for id in sorted(lost | gained):
        moved.setdefault(id, {})["tags"] = {"to": wanted[id]} if replace else {"added": wanted[id]}
    touched = [id for id in sorted(lost | gained) if not moved[id].keys() - {"tags"}]
    if touched:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE crm_contact SET updated_at = %s, updated_by_id = coalesce(%s, updated_by_id) WHERE id = ANY(%s)",
                [timezone.now(), actor_id, touched],
            )
