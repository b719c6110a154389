"""Bulk writes of contacts in the caller's transaction, with one statement per table.

The result is that of writing the rows one after another, so it does not depend on how a file is cut into batches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db import connection, transaction

from core.access import remaining_quota
from core.events import emit
from core.hooks import Hook
from core.ids import new_id
from crm.bulk_jobs.history.journal import Source
from crm.contacts.collisions import Holders, find_collision
from crm.contacts.schema import ContactRow, ContactSchema
from crm.contacts.unique_key import (
    HIDDEN,
    Collision,
    KeyedRow,
    KeyHolder,
    keyed_row,
    live_holders,
    lock_unique_key,
    recreated_contacts,
)
from crm.contacts.updates import Take, update_contacts
from crm.records.values import add_new_values, add_tags
from crm.records.writes.inserts import insert_records

Existing = Literal["error", "skip", "update"]
MAX_ROUNDS = 5
contacts_recreated: Hook[[Mapping[str, str], str | None, bool], None] = Hook(
    __name__,
    "contacts_recreated",
    "After contacts were created with the unique keys of deleted ones, in that transaction. Gets deleted contact ->"
    " new contact, the acting member, and whether workflows may start. Transfers the data of the deleted ones.",
)


@dataclass(slots=True)
class WriteResult:
    """The outcome for each row: (index, id) pairs, collisions, and indexes of rows beyond the plan (core.access).

    `left` has index -> names of the row's values that an existing contact did not take.
    """

    created: list[tuple[int, str]] = field(default_factory=list)
    updated: list[tuple[int, str]] = field(default_factory=list)
    collided: list[Collision] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    left: dict[int, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Plan:
    """The action for each row: insert it, update the contact with its id, or refuse it.

    `over_quota` has rows beyond the plan.
    """

    inserts: list[KeyedRow] = field(default_factory=list)
    updates: list[KeyedRow] = field(default_factory=list)
    collided: list[Collision] = field(default_factory=list)
    over_quota: list[KeyedRow] = field(default_factory=list)


def write_contacts(
    schema: ContactSchema,
    rows: Sequence[ContactRow],
    *,
    actor_id: str | None,
    import_id: str | None = None,
    automation: bool = True,
    existing: Existing = "error",
    take: Take = "all",
    source: Source | None = None,
) -> WriteResult:
    """Create the rows' contacts in the caller's transaction, with values, tags and events.

    A row whose unique key a live contact or an earlier row has is in `collided`. With "update" that contact takes the
    row's values (those of `take`) and the row is in `updated`, unless it is another person (crm.contacts.collisions).
    The modes "error" and "skip" are the same here. Updated contacts are journaled for `source`, by default the import.

    If the plan's limit applies, the first rows that need a new contact get one, and the others are in `refused`. Tags
    and categories must exist (crm.tags.services.check_tags), and member and file values too
    (ContactSchema.check_references).
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("write_contacts() needs a transaction around it")
    result = WriteResult()
    pending = list(rows)
    created = []
    if pending:
        lock_unique_key(schema, many=len(pending) > 1 or existing == "update")
    for attempt in range(MAX_ROUNDS):
        if not pending:
            break
        plan = _plan_round(schema, pending, existing, take, first=attempt == 0)
        created_ids = _insert(schema, plan.inserts, actor_id, import_id)
        new = [item for item in plan.inserts if item.id in created_ids]
        _complete(schema, new, actor_id, automation)  # before the updates, which may change these contacts
        created += new
        # Rows whose key another writer took between the plan and the insert. They
        # are planned again, and collide then.
        lost = {item.id for item in plan.inserts} - created_ids
        applied = [item for item in plan.updates if item.id not in lost]
        outcome = update_contacts(
            schema,
            [(item.id, item.row) for item in applied],
            actor_id=actor_id,
            automation=automation,
            source=source or import_source(import_id),
            take=take,
        )
        result.updated += outcome.updated
        result.left |= outcome.left
        result.collided += [*plan.collided, *outcome.collided]
        retried = [item.row for item in (*plan.inserts, *plan.updates) if item.id in lost] + outcome.missing
        if lost:  # the lost rows freed quota
            retried += [item.row for item in plan.over_quota]
        else:
            result.refused += [item.row.index for item in plan.over_quota]
        # In the order of the file again, since the result must not depend on which rows were lost.
        pending = sorted(retried, key=lambda row: row.index)
    else:
        raise RuntimeError("other writers kept taking the unique keys of these contacts")
    result.created = [(item.row.index, item.id) for item in created]
    return result


def _plan_round(
    schema: ContactSchema, rows: Sequence[ContactRow], existing: Existing, take: Take, *, first: bool
) -> _Plan:
    """Plan an attempt; most batches hold nothing that exists, so the first one skips the query for it."""
    keyed = [keyed_row(schema, row.own_id or new_id(), row) for row in rows]
    left = remaining_quota("contact")
    # The unique indexes find what exists. Most files bring people who are new, for whom a look-up is wasted.
    if first and existing != "update" and _distinct(keyed) and (left is None or left >= len(keyed)):
        return _Plan(inserts=keyed)
    return _plan(keyed, live_holders(keyed), take if existing == "update" else None, left)


def import_source(id: str | None) -> Source | None:
    """Return the source that records updated by an import are journaled for."""
    return Source.import_job(id) if id else None


def _distinct(keyed: Sequence[KeyedRow]) -> bool:
    """Return whether no two rows share a part of the unique key."""
    emails = [item.email_key for item in keyed if item.email_key]
    numbers = [item.number_key for item in keyed if item.number_key]
    return len(set(emails)) == len(emails) and len(set(numbers)) == len(numbers)


def _plan(keyed: Sequence[KeyedRow], live: Sequence[KeyHolder], take: Take | None, left: int | None) -> _Plan:
    """Decide about the rows in order, with the holders of the unique key and the remaining quota (None: unlimited).

    Without `take` no row updates an existing contact.
    """
    plan, holders = _Plan(), Holders(live)
    for item in keyed:
        key_holders = holders.of(item)
        if not key_holders and left is not None and len(plan.inserts) >= left:
            plan.over_quota.append(item)
            continue
        if not key_holders:
            plan.inserts.append(item)
            holders.record_keys(item, item.id)
        elif HIDDEN in key_holders.values():
            plan.collided.append(find_collision(item, key_holders))
        elif holders.is_other_person(item, key_holders):
            plan.collided.append(find_collision(item, key_holders, is_other=True))
        elif take and len(set(key_holders.values())) == 1:
            target = next(iter(key_holders.values()))
            plan.updates.append(item._replace(id=target))
            holders.record_keys(item, target, take)
        else:
            plan.collided.append(find_collision(item, key_holders, last=take is not None))
    return plan


def _insert(schema: ContactSchema, items: Sequence[KeyedRow], actor_id: str | None, import_id: str | None) -> set[str]:
    """Insert the rows that collide with nothing. Returns the ids that were created."""
    rows = [
        {
            **item.row.system,
            "id": item.id,
            "email_key": item.email_key,
            "number_key": item.number_key,
            "category_id": item.row.category_id or None,
            "custom": schema.stored_custom(item.row),
        }
        for item in items
    ]
    return insert_records(schema.kind, rows, company=schema.company_id, actor_id=actor_id, import_id=import_id)


def _complete(schema: ContactSchema, created: Sequence[KeyedRow], actor_id: str | None, automation: bool) -> None:
    """Add the values, tags and events of the new contacts."""
    if not created:
        return
    add_new_values(schema, [(item.id, item.row) for item in created])
    add_tags(schema.company_id, [(item.id, tag) for item in created for tag in item.row.tag_ids or ()], schema.kind)
    emit("contact.created", [item.id for item in created], actor_id=actor_id, automation=automation)
    replacements = recreated_contacts(created)
    if replacements:
        contacts_recreated.send(replacements, actor_id, automation)
