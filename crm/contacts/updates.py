"""Bulk updates of existing contacts, each with values of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from django.db import IntegrityError, connection, transaction

from core.events import emit
from core.types import JsonObject
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.contacts.schema import ContactRow, ContactSchema, without_lone_prefix
from crm.contacts.unique_key import Collision, keyed_row, live_holders
from crm.records.writes.updates import (
    Changes,
    RecordState,
    load_states,
    mark_updated,
    write_states,
    write_tags,
    write_values,
)

MAX_ROUNDS = 5
Take = Literal["all", "missing", "nothing"]
"""Values of rows that an existing contact takes: all, those that it lacks, or none."""


@dataclass(slots=True)
class UpdateResult:
    """The outcome of an update: applied rows as (index, id), collisions, and rows whose contact is missing.

    A collision is (index, field, value, existing id) of a row whose unique key another contact has. `changed` holds the
    contacts that are different now, `left` has index -> names of the row's values that its contact did not take.
    """

    updated: list[tuple[int, str]] = field(default_factory=list)
    collided: list[Collision] = field(default_factory=list)
    missing: list[ContactRow] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    left: dict[int, list[str]] = field(default_factory=dict)


def update_contacts(
    schema: ContactSchema,
    changes: Sequence[tuple[str, ContactRow]],
    *,
    actor_id: str | None,
    automation: bool = True,
    tags: Literal["append", "replace"] = "append",
    source: Source | None = None,
    take: Take = "all",
) -> UpdateResult:
    """Apply (contact id, row) in order, in the caller's transaction, and emit contact.updated with the changes.

    Given values replace, None empties; `take` leaves values out. A contact that stays the same is not written. Bulk
    changes and imports journal the contacts for `source`. Call lock_unique_key first.
    """
    result = UpdateResult()
    if not changes:
        return result
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("update_contacts() needs a transaction around it")
    states = load_states(schema, [id for id, _ in changes])
    result.missing = [row for id, row in changes if id not in states]
    present = [(id, row) for id, row in changes if id in states]
    if take != "all":
        present = _narrow(schema, states, present, take, result.left)
    # Each round starts from the loaded states, since a row that collides must leave no trace.
    for _ in range(MAX_ROUNDS):
        refused = _collisions(schema, present)
        result.collided += refused
        indexes = {collision.index for collision in refused}
        present = [(id, row) for id, row in present if row.index not in indexes]
        changes_by_id = _apply(schema, states, present)
        written = [states[id] for id in changes_by_id]
        touched = sorted(changes_by_id.keys() | {id for id, state in states.items() if state.tags is not None})
        if not _write_rows(schema, written, touched, actor_id, source):
            continue  # another writer took a key after the check
        write_values(schema, written, changes_by_id)
        write_tags(schema, states, changes_by_id, replace=tags == "replace")
        # Where tags alone have changed, the contact's own row has nothing to write but its updatedAt.
        mark_updated(schema.kind, [id for id in changes_by_id if not changes_by_id[id].keys() - {"tags"}], actor_id)
        if source is not None:
            journal.record_after(schema.kind, touched, source)
        result.updated = [(row.index, id) for id, row in present]
        result.changed = set(changes_by_id)
        by = {"import": source.id} if source is not None and source.column == "import_job_id" else {}
        emit(
            "contact.updated",
            list(changes_by_id),
            payloads={id: {"changes": differences, **by} for id, differences in changes_by_id.items()},
            actor_id=actor_id,
            automation=automation,
        )
        return result
    raise RuntimeError("other writers kept taking the unique keys of these contacts")


def _narrow(
    schema: ContactSchema,
    states: Mapping[str, RecordState],
    changes: Sequence[tuple[str, ContactRow]],
    take: Take,
    left: dict[int, list[str]],
) -> list[tuple[str, ContactRow]]:
    """Reduce the rows, in order, to the values that their contacts take. Add the names of other differing values to
    `left`."""
    # Some values are one together, such as a number and its country: a contact takes all of them or none.
    parts = {part.deciding_column: (name, part) for name, part in schema.kind.parts.items()}.values()
    narrowed = []
    for id, row in changes:
        state = states[id]
        row_values = {**row.system, **({"category_id": row.category_id} if row.category_id else {})}
        taken: JsonObject = {}
        for name, part in parts:
            values = {column: row_values[column] for column in part.columns if column in row_values}
            if take == "missing" and not state.after[part.deciding_column]:
                taken |= values
            elif any(_differs(value, state.after[column]) for column, value in values.items()):
                left.setdefault(row.index, []).append(name)
        category = taken.pop("category_id", None)
        custom = {key: value for key, value in row.custom.items() if take == "missing" and key not in state.custom}
        tags = row.tag_ids if take == "missing" else None
        narrowed.append((id, replace(row, system=taken, category_id=category, custom=custom, tag_ids=tags)))
        state.apply(narrowed[-1][1], taken)
    return narrowed


def _differs(value: Any, present: Any) -> bool:
    """Return whether a value differs from the present one by more than the case of its letters."""
    return bool(value) and str(value).lower() != str(present or "").lower()


def _collisions(schema: ContactSchema, changes: Sequence[tuple[str, ContactRow]]) -> list[Collision]:
    """Return the rows whose unique key another live contact has."""
    keyed = [
        keyed_row(schema, id, row) for id, row in changes if "email" in row.system or "contact_number" in row.system
    ]
    if not keyed:
        return []
    holders: dict[str, dict[str | None, str]] = {"email": {}, "number": {}}
    for live in live_holders(keyed):
        holders["email"][live.email_key] = holders["number"][live.number_key] = live.id
    collisions = []
    for item in keyed:
        for part, key, column in (("email", item.email_key, "email"), ("number", item.number_key, "contact_number")):
            holder = holders[part].get(key) if key else None
            if holder is not None and holder != item.id:
                collisions.append(Collision(item.row.index, part, item.row.system[column], holder))
                break
            if key:
                holders[part][key] = item.id
    return collisions


def _apply(
    schema: ContactSchema, states: Mapping[str, RecordState], changes: Sequence[tuple[str, ContactRow]]
) -> dict[str, Changes]:
    """Apply the rows to the states as they were loaded. Returns contact id -> changes."""
    for state in states.values():
        state.reset()
    for id, row in changes:
        system = without_lone_prefix(row.system, states[id].after)
        if row.category_id is not None:
            system = {**system, "category_id": row.category_id or None}
        states[id].apply(row, system)
    return {id: differences for id, state in states.items() if (differences := state.changes(schema.names))}


def _write_rows(
    schema: ContactSchema,
    states: Sequence[RecordState],
    touched: Sequence[str],
    actor_id: str | None,
    source: Source | None,
) -> bool:
    """Write the contacts' own rows, journaled for `source`. Returns False when another writer took a unique key."""
    try:
        with transaction.atomic():
            if source is not None:
                journal.record_before(schema.kind, touched, source)
            write_states(schema, states, actor_id)
    except IntegrityError as error:
        if not schema.kind.violates_unique(error):
            raise
        return False
    return True
