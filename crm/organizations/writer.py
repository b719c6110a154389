"""Bulk writes of organizations in the caller's transaction, with one statement for each table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db import connection, transaction

from core.events import emit
from core.ids import new_id
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.organizations.names import name_key
from crm.organizations.schema import OrganizationSchema
from crm.records.schema import RecordRow
from crm.records.values import add_new_values, add_tags
from crm.records.writes.inserts import insert_records
from crm.records.writes.updates import load_states, mark_updated, write_states, write_tags, write_values


@dataclass(slots=True)
class UpdateResult:
    """The outcome of an update: applied rows as (index, id), rows whose organization is missing, and the changed
    ones."""

    updated: list[tuple[int, str]] = field(default_factory=list)
    missing: list[RecordRow] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)


def insert_organizations(
    schema: OrganizationSchema,
    rows: Sequence[RecordRow],
    *,
    actor_id: str | None,
    import_id: str | None = None,
    automation: bool = True,
    announced: bool = True,
) -> list[str]:
    """Create the rows' organizations. Return their ids, in the order of the rows.

    Without `announced` the caller emits organization.created. Tags and owners must exist, and member and file values
    too (check_references).
    """
    _need_transaction()
    ids = [row.own_id or new_id() for row in rows]
    values = [
        {
            **row.system,
            "id": id,
            "name_key": name_key(row.system["name"]),
            "custom": schema.stored_custom(row),
        }
        for id, row in zip(ids, rows, strict=True)
    ]
    insert_records(schema.kind, values, company=schema.company_id, actor_id=actor_id, import_id=import_id)
    pairs = list(zip(ids, rows, strict=True))
    add_new_values(schema, pairs)
    add_tags(schema.company_id, [(id, tag) for id, row in pairs for tag in row.tag_ids or ()], schema.kind)
    if announced:
        emit("organization.created", ids, actor_id=actor_id, automation=automation)
    return ids


def update_organizations(
    schema: OrganizationSchema,
    changes: Sequence[tuple[str, RecordRow]],
    *,
    actor_id: str | None,
    automation: bool = True,
    tags: Literal["append", "replace"] = "append",
    source: Source | None = None,
) -> UpdateResult:
    """Apply (organization id, row) in order, and emit organization.updated with the changes.

    Given values replace, None empties. An organization that stays the same is not written. Changes are journaled for
    `source`.
    """
    _need_transaction()
    result = UpdateResult()
    states = load_states(schema, [id for id, _ in changes]) if changes else {}
    result.missing = [row for id, row in changes if id not in states]
    for id, row in changes:
        if id in states:
            states[id].apply(row, row.system)
            result.updated.append((row.index, id))
    changes_by_id = {id: differences for id, state in states.items() if (differences := state.changes(schema.names))}
    written = [states[id] for id in changes_by_id]
    touched = sorted(changes_by_id.keys() | {id for id, state in states.items() if state.tags is not None})
    if source is not None:
        journal.record_before(schema.kind, touched, source)
    write_states(schema, written, actor_id)
    write_values(schema, written, changes_by_id)
    write_tags(schema, states, changes_by_id, replace=tags == "replace")
    mark_updated(schema.kind, sorted(changes_by_id.keys() - {state.id for state in written}), actor_id)
    if source is not None:
        journal.record_after(schema.kind, touched, source)
    by = {"import": source.id} if source is not None and source.column == "import_job_id" else {}
    emit(
        "organization.updated",
        sorted(changes_by_id),
        payloads={id: {"changes": differences, **by} for id, differences in changes_by_id.items()},
        actor_id=actor_id,
        automation=automation,
    )
    result.changed = set(changes_by_id)
    return result


def _need_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("organizations are written in a transaction of the caller")
