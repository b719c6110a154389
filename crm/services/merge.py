"""Two or more contacts, or leads, that become one; crm.services.merge_undo takes it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from crm.models import Merge
from crm.records import CONTACT, LEAD, RecordKind
from crm.services import journal
from crm.services.contact_keys import Keyed, live_holders, lock_unique_key
from crm.services.contact_schema import ContactRow, ContactSchema
from crm.services.contact_updates import COLUMNS as CONTACT_COLUMNS
from crm.services.contacts import EXISTS
from crm.services.lead_schema import LeadSchema
from crm.services.lead_updates import COLUMNS as LEAD_COLUMNS
from crm.services.merge_choices import Part, choose
from crm.services.merge_references import move
from crm.services.record_schema import RecordSchema
from crm.services.record_updates import RecordState, load_states, touch, write_states, write_values
from crm.services.record_values import Links, add_links

UNDO_DAYS = 30
MIN_RECORDS, MAX_RECORDS = 2, 20
PHONE = Part(("country_code", "number", "contact_number"), "contact_number")


@dataclass(frozen=True, slots=True)
class Mergeable:
    """A kind of records that can be merged."""

    kind: RecordKind
    schema: type[RecordSchema]
    columns: Mapping[str, str]
    """Column -> SQL type, of all that a merge may change about the winner."""
    parts: Mapping[str, Part]
    """Name in the API -> the columns that are chosen together by it."""
    not_found: str
    strictest: Mapping[str, Callable[[Sequence[Any]], Any]] = field(default_factory=dict)
    """Column -> which of several values the winner has, whatever is chosen."""

    def missing(self, name: str, id: str) -> NamedError:
        """The error of an id that is no live record, which tells where a merged one went."""
        into = self.kind.model._default_manager.filter(pk=id).values_list("merged_into_id", flat=True).first()
        noun = self.kind.noun.removesuffix("s")
        went = f"; it was merged into {into} (mergedInto)" if into else ""
        return NamedError(self.not_found, f"{name}: there is no such {noun} in this company{went}")


def lock(schema: RecordSchema) -> None:
    """Wait for other merges and for writers of many contacts of the company: both hold records that the other one may want next."""
    contacts = schema.contacts if isinstance(schema, LeadSchema) else schema
    if isinstance(contacts, ContactSchema):
        lock_unique_key(contacts, many=True)


MERGEABLE: Mapping[str, Mergeable] = {
    "contact": Mergeable(
        kind=CONTACT,
        schema=ContactSchema,
        columns={**dict.fromkeys(CONTACT_COLUMNS, "text"), "unsubscribed_at": "timestamptz", "replied_at": "timestamptz"},
        parts={
            "name": Part(("name",), "name"),
            "email": Part(("email",), "email"),
            "countryCode": PHONE,
            "number": PHONE,
            "category": Part(("category_id",), "category_id"),
        },
        not_found="ContactNotFound_400",
        strictest={"unsubscribed_at": min, "replied_at": max},  # who has said no once, or answered, is not written to
    ),
    "lead": Mergeable(
        kind=LEAD,
        schema=LeadSchema,
        columns=LEAD_COLUMNS,
        parts={
            "status": Part(("status", "status_changed_at"), "status"),
            **{name: Part((name,), name) for name in ("source", "value", "notes")},
            **{name: Part((column,), column) for name, column in (("contact", "contact_id"), ("team", "team_id"))},
            "teamMember": Part(("team_member_id",), "team_member_id"),
        },
        not_found="LeadNotFound_400",
    ),
}
"""Panel -> what can be merged of it."""


def merge_records(
    *,
    panel: str,
    actor_id: str,
    ids: Sequence[str],
    winner: str,
    choices: Mapping[str, Any],
    fill_empty: bool = True,
    automation: bool = True,
) -> str:
    """Merge live records into the winner, one of them; returns the merge's id.

    `choices` has formData keys (and category, or contact, team and teamMember) -> the record whose value is taken, or {"value": …}. Other
    values are the winner's; with `fill_empty` those that it lacks are taken from the others, in their order. Tags and products are united,
    what refers to the others goes along, and these are deleted with a pointer to the winner. Emits contact.merged, or lead.merged.
    InvalidPayload_400, ContactNotFound_400 or LeadNotFound_400, InvalidCustomField_400, InvalidCustomFieldValue_400,
    InvalidSystemField_400, CannotUpdateUniqueKey_400, ContactAlreadyExists_400.
    """
    what = MERGEABLE[panel]
    ids = list(dict.fromkeys(ids))
    if not MIN_RECORDS <= len(ids) <= MAX_RECORDS:
        raise NamedError("InvalidPayload_400", f"ids: {MIN_RECORDS} to {MAX_RECORDS} {what.kind.noun} can be merged, not {len(ids)}")
    if winner not in ids:
        raise NamedError("InvalidPayload_400", "winner: has to be one of ids")
    losers = [id for id in ids if id != winner]
    with transaction.atomic():
        schema = what.schema.load()
        lock(schema)
        states = load_states(what.kind, tuple(what.columns), ids)
        gone = next((id for id in ids if id not in states), None)
        if gone is not None:
            raise what.missing("ids", gone)
        state = states[winner]
        choose(schema, what.parts, state, [states[id] for id in losers], choices, fill_empty=fill_empty)
        _keep_strictest(what, state, [states[id] for id in losers])
        merge = Merge.objects.create(
            panel=panel,
            winner_id=winner,
            loser_ids=losers,
            choices=dict(choices),
            undo_until=timezone.now() + timedelta(days=UNDO_DAYS),
            created_by_id=actor_id,
        )
        source = journal.Source.merge(merge.pk)
        journal.before(what.kind, sorted(ids), source)
        _delete(what.kind, winner, losers, actor_id)  # first, so that the winner may take what makes them unique
        merge.moved = move(what.kind, winner, losers)
        merge.save(update_fields=["moved"])
        wrote = _write(what, schema, state, actor_id)
        if _unite_links(schema, winner, losers) and not wrote:
            touch(what.kind, [winner], actor_id)
        journal.after(what.kind, sorted(ids), source)
        payload = {panel: winner, "losers": losers}
        emit(f"{panel}.merged", [winner], payloads={winner: payload}, actor_id=actor_id, automation=automation)
        return merge.pk


def _keep_strictest(what: Mergeable, winner: RecordState, losers: Sequence[RecordState]) -> None:
    for column, pick in what.strictest.items():
        values = [state.before[column] for state in (winner, *losers) if state.before[column] is not None]
        winner.after[column] = pick(values) if values else None


def _delete(kind: RecordKind, winner: str, losers: Sequence[str], actor_id: str) -> None:
    now = timezone.now()
    kind.model._default_manager.filter(pk__in=losers).update(
        is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=actor_id, merged_into_id=winner
    )


def _write(what: Mergeable, schema: RecordSchema, state: RecordState, actor_id: str) -> bool:
    """The winner's row, with what makes it unique, and its typed values, unless all of it stays the same."""
    moved = state.changes(schema.names)
    if not moved and state.after == state.before:
        return False
    columns, keys = dict(what.columns), {}
    if isinstance(schema, ContactSchema):
        email, number = schema.keys_of(state.after)
        _refuse_taken(schema, state, email, number)
        columns |= {"email_key": "text", "number_key": "text"}
        keys = {state.id: {"email_key": email, "number_key": number}}
    try:
        with transaction.atomic():
            write_states(what.kind, columns, [state], actor_id, keys)
    except IntegrityError as error:
        if "contact_email_unique" not in str(error) and "contact_number_unique" not in str(error):
            raise
        raise NamedError(EXISTS, "another contact has taken the address or number in the same moment") from None
    write_values(schema, [state], {state.id: moved})
    return True


def _refuse_taken(schema: ContactSchema, state: RecordState, email: str | None, number: str | None) -> None:
    """A contact keeps what makes it unique, and may not have what makes another one unique."""
    if any(schema.keys_of(state.before)) and not (email or number):
        raise NamedError("CannotUpdateUniqueKey_400", "choices: leave the contact nothing that makes it unique")
    for other in live_holders([Keyed(state.id, ContactRow(), email, number)]):
        if other.id != state.id:
            part = "email" if email and other.email_key == email else "number"
            raise NamedError(EXISTS, f"choices.{part}: belongs to the contact {other.id} already, which is not among ids")


def _unite_links(schema: RecordSchema, winner: str, losers: Sequence[str]) -> bool:
    """Link the winner to all that the losers are linked to; whether it got any."""
    kind, gained = schema.kind, False
    for _, table, target in kind.links:
        rows = table._default_manager.filter(**{f"{kind.column}__in": losers})
        targets = sorted(set(rows.values_list(target, flat=True)))
        links = Links(table._meta.db_table, kind.column, target)
        gained |= bool(add_links(schema.company_id, links, [(winner, id) for id in targets]))
    return gained
