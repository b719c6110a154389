"""Bulk updates of existing leads, each with values of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db import connection, transaction
from django.utils import timezone

from core.events import emit
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.leads.duplicates import reopened_leads
from crm.leads.models import LeadProduct
from crm.leads.schema import LeadRow, LeadSchema
from crm.records.values import Links
from crm.records.writes.updates import (
    RecordState,
    load_states,
    mark_updated,
    write_links,
    write_states,
    write_tags,
    write_values,
)

PRODUCTS = Links(LeadProduct._meta.db_table, "lead_id", "product_service_id")


@dataclass(slots=True)
class LeadUpdates:
    """The outcome of an update: applied rows as (index, id), rows whose lead is missing, and the changed leads.

    `reopened` are those that may repeat another lead now (crm.leads.duplicates).
    """

    updated: list[tuple[int, str]] = field(default_factory=list)
    missing: list[LeadRow] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    reopened: list[str] = field(default_factory=list)


def update_leads(
    schema: LeadSchema,
    changes: Sequence[tuple[str, LeadRow]],
    *,
    actor_id: str | None,
    automation: bool = True,
    links: Literal["append", "replace"] = "append",
    source: Source | None = None,
) -> LeadUpdates:
    """Apply (lead id, row) in order, in the caller's transaction, and emit lead.updated with the changes.

    Given values replace, None empties. A lead that stays the same is not written. With `links` "append", tags and
    products join those that the lead has. Bulk changes and imports journal the leads for `source`. The caller updates
    the rows' contacts; the rows' references must exist.
    """
    result = LeadUpdates()
    if not changes:
        return result
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("update_leads() needs a transaction around it")
    states = load_states(schema, [id for id, _ in changes])
    result.missing = [row for id, row in changes if id not in states]
    present = [(id, row) for id, row in changes if id in states]
    result.updated = [(row.index, id) for id, row in present]
    products = _apply(schema, states, present)
    changes_by_id = {id: differences for id, state in states.items() if (differences := state.changes(schema.names))}
    written = [states[id] for id in changes_by_id]
    if source is not None:
        touched = sorted(
            changes_by_id.keys() | products.keys() | {id for id, state in states.items() if state.tags is not None}
        )
        journal.record_before(schema.kind, touched, source)
    write_states(schema, written, actor_id)
    write_values(schema, written, changes_by_id)
    beside = set(states) - set(changes_by_id)
    replace = links == "replace"
    write_tags(schema, states, changes_by_id, replace=replace)
    write_links(schema, PRODUCTS, "productServices", products, changes_by_id, replace=replace)
    mark_updated(schema.kind, sorted(beside & changes_by_id.keys()), actor_id)
    if source is not None:
        journal.record_after(schema.kind, touched, source)
    payloads = {id: {"changes": differences} for id, differences in changes_by_id.items()}
    emit("lead.updated", sorted(changes_by_id), payloads=payloads, actor_id=actor_id, automation=automation)
    result.changed = set(changes_by_id)
    result.reopened = reopened_leads(changes_by_id, schema.closed)
    return result


def _apply(
    schema: LeadSchema, states: Mapping[str, RecordState], changes: Sequence[tuple[str, LeadRow]]
) -> dict[str, list[str]]:
    """Apply the rows to the states. Returns lead id -> the rows' products."""
    now = timezone.now()
    products: dict[str, list[str]] = {}
    for id, row in changes:
        state = states[id]
        was = dict(state.after)
        state.apply(row, row.system)
        state.after.update(schema.settle(was, state.after))
        state.stamp(schema.kind.stamps, now)
        if row.product_ids is not None:
            products[id] = list(dict.fromkeys([*products.get(id, ()), *row.product_ids]))
    return products
