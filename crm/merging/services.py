"""Merge two or more contacts, leads or organizations into one; crm.merging.undo undoes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.types import Values
from crm.bulk_jobs.history import journal
from crm.leads.duplicates import check_duplicates, duplicate_rule, reopened_leads
from crm.leads.kind import LEAD
from crm.leads.models import Lead
from crm.leads.schema import closed_statuses
from crm.merging.choices import choose
from crm.merging.models import Merge
from crm.merging.references import MovedRows, move
from crm.records.kinds import RecordKind
from crm.records.schema import RecordSchema
from crm.records.types import RECORD_TYPES
from crm.records.values import Links, add_links
from crm.records.writes.updates import Changes, RecordState, load_states, mark_updated, write_states, write_values

UNDO_DAYS = 30
MIN_RECORDS, MAX_RECORDS = 2, 20


class Merged(NamedTuple):
    """The id of a merge, and its warnings."""

    id: str
    warnings: list[str]


def merge_records(
    *,
    panel: str,
    actor_id: str,
    ids: Sequence[str],
    winner: str,
    choices: Values,
    fill_empty: bool = True,
    automation: bool = True,
) -> Merged:
    """Merge live records into the winner, which is one of them.

    `choices` has formData keys (and category, contact, team, teamMember, organization or owner) -> the record whose
    value to use, or {"value": …}. All other values are the winner's; with `fill_empty` its empty values are filled from
    the others, in their order. Tags and products are united, references move to the winner, and the others are deleted
    with a pointer to the winner. Emits contact.merged, lead.merged or organization.merged.

    Raises DuplicateField if the company refuses duplicate open leads. Raises InvalidPayload_400, the kind's error of a
    missing record, InvalidCustomField_400 and InvalidCustomFieldValue_400. Raises InvalidSystemField_400,
    CannotUpdateUniqueKey_400 and ContactAlreadyExists_400.
    """
    what = RECORD_TYPES[panel]
    kind = what.kind
    ids = list(dict.fromkeys(ids))
    losers = _losers(kind, ids, winner)
    with transaction.atomic():
        schema = what.schema.load()
        # Before the rows: writers of many records hold these locks and wait for
        # rows that a merge would have locked.
        schema.lock_for_merge()
        states = _load(schema, ids)
        state, others = states[winner], [states[id] for id in losers]
        choose(schema, kind.parts, state, others, choices, fill_empty=fill_empty)
        # An unsubscription or a reply is the person's, so it holds for any winner.
        _keep_strictest(kind, state, others)
        merge = Merge.objects.create(
            panel=panel,
            winner_id=winner,
            loser_ids=losers,
            choices=dict(choices),
            undo_until=timezone.now() + timedelta(days=UNDO_DAYS),
            created_by_id=actor_id,
        )
        source = journal.Source.merge(merge.pk)
        # Written before anything changes. It is what the merge is undone from.
        journal.record_before(kind, sorted(ids), source)
        _delete(kind, winner, losers, actor_id)  # first, so that the winner may take over their unique keys
        merge.moved = move(kind, winner, losers)
        merge.save(update_fields=["moved"])
        changes = state.changes(schema.names)
        wrote = _write(schema, state, actor_id)
        gained = _unite_links(schema, winner, losers)
        if gained and not wrote:
            mark_updated(kind, [winner], actor_id)
        closed = closed_statuses()
        # Only now are all leads at the winner, and two open ones may be about the same thing.
        leads = _repeating_leads(kind, winner, merge.moved, changes | dict.fromkeys(gained, {}), closed)
        warnings = check_duplicates(leads, duplicate_rule(), closed) if leads else {}
        journal.record_after(kind, sorted(ids), source)
        payload = {panel: winner, "losers": losers}
        emit(f"{panel}.merged", [winner], payloads={winner: payload}, actor_id=actor_id, automation=automation)
        return Merged(merge.pk, [f"{lead}: {text}" for lead, text in warnings.items()])


def _repeating_leads(
    kind: RecordKind, winner: str, moved: MovedRows, changes: Changes, closed: Collection[str]
) -> list[str]:
    """Return the leads that may repeat another open one since the merge: those that came to a contact, or the lead
    that took something from others."""
    if kind is LEAD:
        return reopened_leads({winner: changes}, closed)
    return [lead for leads in moved.get(f"{Lead._meta.label}.contact", {}).values() for lead in leads]


def _losers(kind: RecordKind, ids: Sequence[str], winner: str) -> list[str]:
    """Return the records to merge into the winner. Raises InvalidPayload_400 for a wrong number or winner."""
    if not MIN_RECORDS <= len(ids) <= MAX_RECORDS:
        raise NamedError(
            "InvalidPayload_400",
            f"{MIN_RECORDS} to {MAX_RECORDS} {kind.noun} can be merged, not {len(ids)}",
            field="ids",
        )
    if winner not in ids:
        raise NamedError("InvalidPayload_400", "has to be one of ids", field="winner")
    return [id for id in ids if id != winner]


def _load(schema: RecordSchema, ids: Sequence[str]) -> dict[str, RecordState]:
    """Return the states of the live records. Raises the kind's error for a missing one."""
    states = load_states(schema, ids, merging=True)
    gone = next((id for id in ids if id not in states), None)
    if gone is not None:
        raise schema.kind.missing("ids", gone)
    return states


def _keep_strictest(kind: RecordKind, winner: RecordState, losers: Sequence[RecordState]) -> None:
    for column in kind.columns:
        if column.merge_with is not None:
            values = [state.before[column.name] for state in (winner, *losers) if state.before[column.name] is not None]
            winner.after[column.name] = column.merge_with(values) if values else None


def _delete(kind: RecordKind, winner: str, losers: Sequence[str], actor_id: str) -> None:
    now = timezone.now()
    kind.model._default_manager.filter(pk__in=losers).update(
        is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=actor_id, merged_into_id=winner
    )


def _write(schema: RecordSchema, state: RecordState, actor_id: str) -> bool:
    """Write the winner's row and its typed values, unless nothing differs. Returns whether it wrote."""
    moved = state.changes(schema.names)
    if not moved and state.after == state.before:
        return False
    schema.check_merged(state.id, state.before, state.after)
    try:
        # The savepoint keeps the merge alive if an import has just taken the unique key.
        with transaction.atomic():
            write_states(schema, [state], actor_id)
    except IntegrityError as error:
        if not schema.kind.violates_unique(error):
            raise
        # The key was free a moment ago. A writer that is no merge has taken it meanwhile.
        raise schema.kind.taken_meanwhile() from None
    write_values(schema, [state], {state.id: moved})
    return True


def _unite_links(schema: RecordSchema, winner: str, losers: Sequence[str]) -> set[str]:
    """Link the winner to everything that the losers are linked to. Returns the names of the links that it got."""
    kind, gained = schema.kind, set()
    for name, table, target in kind.links:
        rows = table._default_manager.filter(**{f"{kind.column}__in": losers})
        targets = sorted(set(rows.values_list(target, flat=True)))
        links = Links(table._meta.db_table, kind.column, target)
        if add_links(schema.company_id, links, [(winner, id) for id in targets]):
            gained.add(name)
    return gained
