"""Bulk writes of leads and their contacts in the caller's transaction, with one statement per table.

The result is that of writing the rows one after another, so it does not depend on how a file is cut into batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from django.db import connection, transaction

from core.access import remaining_quota
from core.errors import NamedError
from core.events import emit
from core.ids import new_id
from crm.bulk_jobs.history.journal import Source
from crm.contacts.collisions import Holders, collision_problems, find_collision, person_of
from crm.contacts.rights import NO_NEW_CONTACT, ContactRights
from crm.contacts.schema import ContactRow
from crm.contacts.unique_key import (
    HIDDEN,
    Collision,
    KeyedRow,
    keyed_row,
    live_holders,
    lock_unique_key,
    recreated_contacts,
)
from crm.contacts.updates import Take, update_contacts
from crm.contacts.writer import import_source, write_contacts
from crm.leads.duplicates import DUPLICATE, OpenLeads, Rule, find_repeating_leads, repeated_lead_text
from crm.leads.references import missing_teams, no_team
from crm.leads.relations import organizations_of, product_names
from crm.leads.schema import NO_CONTACT, LeadRow, LeadSchema
from crm.leads.writes.assignment import assign, default_team
from crm.leads.writes.updates import PRODUCTS, LeadUpdates, update_leads
from crm.records.problems import ValueProblem
from crm.records.values import add_links, add_new_values, add_tags
from crm.records.writes.inserts import insert_records

MAX_ROUNDS = 5
Existing = Literal["rule", "error", "skip", "update"]
"""Treatment of a row that duplicates an open lead: by the setting duplicateLeads, refused, or an update of that
lead."""


@dataclass(slots=True)
class LeadResult:
    """The outcome for each row.

    The lists created and updated have (index, id), collided has (index, id of the open lead). The map failed has index
    -> problems, and refused has (index, module whose quota is exceeded).

    Notes about written rows: repeats has index -> the open lead that the row's lead duplicates. The map left has index
    -> names of values that an existing contact did not take. The map holders has index -> the contact that has the
    email or number of a failed row.
    """

    created: list[tuple[int, str]] = field(default_factory=list)
    updated: list[tuple[int, str]] = field(default_factory=list)
    collided: list[tuple[int, str]] = field(default_factory=list)
    failed: dict[int, list[ValueProblem]] = field(default_factory=dict)
    refused: list[tuple[int, str]] = field(default_factory=list)
    repeats: dict[int, str] = field(default_factory=dict)
    left: dict[int, list[str]] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)


class _Item(NamedTuple):
    """A row with the ids of its lead and its contact.

    With `makes_contact`, the contact's id is a placeholder until it is written.
    """

    id: str
    row: LeadRow
    contact_id: str
    makes_contact: bool


@dataclass(slots=True)
class _Plan:
    inserts: list[_Item] = field(default_factory=list)
    updates: list[_Item] = field(default_factory=list)
    result: LeadResult = field(default_factory=LeadResult)


class _Retry(Exception):
    """The attempt has to be rolled back and repeated without the rows that are `failed` or `refused`."""

    def __init__(
        self,
        failed: dict[int, list[ValueProblem]] | None = None,
        refused: Sequence[tuple[int, str]] = (),
        holders: dict[int, str] | None = None,
    ) -> None:
        self.failed = failed or {}
        self.refused = list(refused)
        self.holders = holders or {}


def write_leads(
    schema: LeadSchema,
    rows: Sequence[LeadRow],
    *,
    actor_id: str | None,
    import_id: str | None = None,
    automation: bool = True,
    existing: Existing = "rule",
    rights: ContactRights = ContactRights(),  # noqa: B008  immutable
    source: Source | None = None,
) -> LeadResult:
    """Create the rows' leads in the caller's transaction, with contacts, members, values, tags, products and events.

    A row duplicates an open lead of the same contact that has a product of the row (or if neither has a product). It is
    in `collided`. With "update" that lead takes the row's values, tags and products, and the row is in `updated`; with
    "rule" the company's setting decides.

    An existing contact takes the row's values that it lacks, with "update" all of them, and without the right to change
    contacts none. Contacts that change are journaled for `source`, by default the import.

    The rows' references must exist (crm.leads.references, LeadSchema.check_references), except for contacts. A row
    whose contact can be neither identified nor created fails.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("write_leads() needs a transaction around it")
    failed: dict[int, list[ValueProblem]] = {}
    refused: list[tuple[int, str]] = []
    holders: dict[int, str] = {}
    pending = list(rows)
    for _ in range(MAX_ROUNDS):
        try:
            # A savepoint for each attempt: the rows that cannot be written are known only after others were.
            with transaction.atomic():
                result = _Attempt(schema, actor_id, import_id, automation, existing, rights, source).write(pending)
        except _Retry as retry:
            failed |= retry.failed
            refused += retry.refused
            holders |= retry.holders
            gone = failed.keys() | {index for index, _ in refused}
            pending = [row for row in pending if row.index not in gone]
            continue
        result.failed |= failed
        result.refused += refused
        result.holders |= holders
        return result
    raise RuntimeError("other writers kept changing the contacts of these leads")


@dataclass(slots=True)
class _Attempt:
    """One attempt at a batch of rows."""

    schema: LeadSchema
    actor_id: str | None
    import_id: str | None
    automation: bool
    existing: Existing
    rights: ContactRights
    source: Source | None

    @property
    def fills(self) -> Take:
        """Values that existing contacts take from their rows."""
        if not self.rights.change:
            return "nothing"
        return "all" if self.existing == "update" else "missing"

    def write(self, rows: Sequence[LeadRow]) -> LeadResult:
        if not rows:
            return LeadResult()
        gone = missing_teams(
            row.system.get("team_id") for row in rows
        )  # before anything else is locked, as the deletion of a team does
        if gone:
            raise _Retry({row.index: [no_team(id)] for row in rows if (id := row.system.get("team_id")) in gone})
        by_values = any(row.contact or row.category_id is not None for row in rows)
        # Many rows lock many contacts, and where duplicates are refused each row must see the others' leads.
        if by_values or len(rows) > 1 or self.schema.duplicates == Rule.REFUSE:
            lock_unique_key(self.schema.contacts, many=True)
        plan = self._plan(rows)
        contacts = self._write_contacts(plan)
        contact_ids = {item.contact_id: contacts[item.row.index] for item in plan.inserts if item.makes_contact}
        plan.result.holders = {index: contact_ids.get(id, id) for index, id in plan.result.holders.items()}
        inserts = [item._replace(contact_id=contacts.get(item.row.index, item.contact_id)) for item in plan.inserts]
        self._insert(inserts, self._assign(inserts))
        outcome = update_leads(
            self.schema,
            [(item.id, item.row) for item in plan.updates],
            actor_id=self.actor_id,
            automation=self.automation,
            source=self.source or import_source(self.import_id),
        )
        # The next attempt plans again, and creates a new lead instead.
        if outcome.missing:  # somebody deleted a lead that was to be updated
            raise _Retry
        self._check_updates(outcome, plan.result)
        plan.result.created = [(item.row.index, item.id) for item in inserts]
        plan.result.updated = outcome.updated
        return plan.result

    def _plan(self, rows: Sequence[LeadRow]) -> _Plan:
        """Decide about the rows in order: find the contact of each, and the open lead that it repeats."""
        schema, plan = self.schema, _Plan()
        keyed = {
            row.index: keyed_row(schema.contacts, new_id(), row.contact)
            for row in rows
            if row.contact is not None and not row.system.get("contact_id")
        }
        live = live_holders(keyed.values()) if keyed else []
        left = remaining_quota("lead")
        present = _lock_contacts(
            {match.id for match in live} | {id for row in rows if (id := row.system.get("contact_id"))}
        )
        hidden = {HIDDEN} & {match.id for match in live}
        # Holders that were deleted between the look-up and the lock no longer hold their key.
        holders = Holders(match for match in live if match.id in present | hidden)
        new = recreated_contacts(item for item in keyed.values() if not holders.of(item))
        open_leads = OpenLeads(present, schema.closed, new)
        collided: list[Collision] = []
        for row in rows:
            contact = self._contact_of(row, keyed.get(row.index), holders, present)
            if isinstance(contact, Collision):
                collided.append(contact)
                continue
            if not isinstance(contact, str):
                plan.result.failed[row.index] = contact
                continue
            match = open_leads.find(contact, row.product_ids)
            if match is not None and not self._may_repeat(row):
                plan.result.collided.append((row.index, match))
                continue
            if match is not None and self.existing == "rule":
                if schema.duplicates == Rule.WARN and schema.is_open(row):
                    plan.result.repeats[row.index] = match
                match = None
            # Rows are refused in the order of the file, as they would be if they were written one by one.
            if match is None and left is not None and len(plan.inserts) >= left:
                plan.result.refused.append((row.index, "lead"))
                continue
            item = _Item(match or row.own_id or new_id(), row, contact, contact not in present)
            (plan.updates if match else plan.inserts).append(item)
            if row.index in keyed:
                holders.record_keys(keyed[row.index], contact, "all" if contact == keyed[row.index].id else self.fills)
            if not match and schema.is_open(row):
                open_leads.add(item.id, contact, row.product_ids)
            elif match and row.system.keys() & {"status", "stage_id"} and not schema.is_open(row):
                open_leads.close(item.id)
            elif match:
                open_leads.add(item.id, contact, row.product_ids)
        new_people = {item.id: person_of(item.row) for item in keyed.values()} if collided else {}
        plan.result.failed |= collision_problems(collided, may_read=self.rights.read, new_people=new_people)
        plan.result.holders = {collision.index: collision.existing_id for collision in collided}
        return plan

    def _may_repeat(self, row: LeadRow) -> bool:
        """Return whether the row is written although it repeats an open lead. The company's rule is about open
        leads."""
        if self.existing == "rule":
            return self.schema.duplicates != Rule.REFUSE or not self.schema.is_open(row)
        return self.existing == "update"

    def _check_updates(self, outcome: LeadUpdates, result: LeadResult) -> None:
        """Apply the company's rule to the updated leads, which may have come to repeat another open one."""
        if self.schema.duplicates == Rule.ALLOW:
            return
        repeats = find_repeating_leads(outcome.reopened, self.schema.closed)
        rows = {index: repeats[id] for index, id in outcome.updated if id in repeats}
        if rows and self.schema.duplicates == Rule.REFUSE:
            raise _Retry(
                {index: [ValueProblem("contact", DUPLICATE, repeated_lead_text(id))] for index, id in rows.items()}
            )
        result.repeats |= rows

    def _contact_of(
        self, row: LeadRow, keyed: KeyedRow | None, holders: Holders, present: set[str]
    ) -> str | Collision | list[ValueProblem]:
        """Return the id of the row's contact, a placeholder for a new one, or the problem."""
        named = row.system.get("contact_id")
        if named:
            return (
                named
                if named in present
                else [ValueProblem("contact", "ContactNotFound_400", f"there is no contact {named}")]
            )
        if keyed is None:
            return [NO_CONTACT]
        key_holders = holders.of(keyed)
        if HIDDEN in key_holders.values():
            return find_collision(keyed, {part: id for part, id in key_holders.items() if id == HIDDEN})
        if holders.is_other_person(keyed, key_holders):
            return find_collision(keyed, key_holders, is_other=True)
        if len(set(key_holders.values())) > 1:
            return find_collision(keyed, key_holders, last=True)
        if key_holders:
            return next(iter(key_holders.values()))
        if not self.rights.create:
            return [NO_NEW_CONTACT]
        return row.contact_lacks or keyed.id

    def _write_contacts(self, plan: _Plan) -> dict[int, str]:
        """Create the missing contacts and update the others. Returns row index -> contact id."""
        items = [*plan.inserts, *plan.updates]
        # A later row's values go before an earlier one's for the same contact, as in the file.
        items.sort(key=lambda item: item.row.index)
        contact_rows, named = [], []
        for item in items:
            row = item.row
            if row.contact is not None and not row.system.get("contact_id"):
                row.contact.category_id = row.category_id
                row.contact.index = row.index
                contact_rows.append(row.contact)
            elif row.contact is not None or row.category_id is not None:
                values = row.contact.system if row.contact else {}
                named.append((item.contact_id, ContactRow(index=row.index, system=values, category_id=row.category_id)))
        common: Any = {
            "actor_id": self.actor_id,
            "automation": self.automation,
            "source": self.source or import_source(self.import_id),
            "take": self.fills,
        }
        written = write_contacts(
            self.schema.contacts, contact_rows, import_id=self.import_id, existing="update", **common
        )
        outcome = update_contacts(self.schema.contacts, named, **common)
        plan.result.left = written.left | outcome.left
        collisions = [*written.collided, *outcome.collided]
        if collisions or written.refused:
            failed = collision_problems(collisions, may_read=self.rights.read)
            others = {collision.index: collision.existing_id for collision in collisions}
            raise _Retry(failed, [(index, "contact") for index in written.refused], others)
        contacts = dict(written.created + written.updated)
        new = {id for _, id in written.created}
        for item in items:
            contact_id = contacts.get(item.row.index, item.contact_id)
            if contact_id not in new if item.makes_contact else contact_id != item.contact_id:
                raise _Retry  # another writer wrote this contact first
        return contacts

    def _assign(self, inserts: Sequence[_Item]) -> dict[str, dict[str, str | None]]:
        """Return the team and member of each new lead. Open leads without a member are assigned one."""
        default = default_team() if any(not item.row.system.get("team_id") for item in inserts) else None
        teams = {item.id: item.row.system.get("team_id") or default for item in inserts}
        members = {item.id: item.row.system.get("team_member_id") for item in inserts}
        unassigned = [item for item in inserts if not members[item.id] and self.schema.is_open(item.row)]
        try:
            assigned = assign([teams[item.id] for item in unassigned], self.schema.closed)
        except NamedError as error:
            problem = ValueProblem("team", error.name, error.detail)
            raise _Retry({item.row.index: [problem] for item in unassigned if not teams[item.id]}) from error
        members |= {item.id: member for item, member in zip(unassigned, assigned, strict=True)}
        return {id: {"team_id": team, "team_member_id": members[id]} for id, team in teams.items()}

    def _insert(self, items: Sequence[_Item], assigned: dict[str, dict[str, str | None]]) -> None:
        """Insert the leads with their values, tags, products and events."""
        if not items:
            return
        schema = self.schema
        organizations = organizations_of(
            {item.contact_id for item in items if "organization_id" not in item.row.system}
        )
        names = product_names({id for item in items for id in item.row.product_ids or ()})
        rows = [
            {
                "organization_id": organizations.get(item.contact_id),
                **schema.new_columns(item.row),
                **assigned[item.id],
                "id": item.id,
                "contact_id": item.contact_id,
                # The name of the first product is kept with the lead: a sort by it needs
                # an index on the lead's own table.
                "first_product": min((names[id] for id in item.row.product_ids or ()), default=None),
                "custom": schema.stored_custom(item.row),
            }
            for item in items
        ]
        insert_records(schema.kind, rows, company=schema.company_id, actor_id=self.actor_id, import_id=self.import_id)
        add_new_values(schema, [(item.id, item.row) for item in items])
        add_tags(schema.company_id, [(item.id, tag) for item in items for tag in item.row.tag_ids or ()], schema.kind)
        add_links(
            schema.company_id,
            PRODUCTS,
            [(item.id, product) for item in items for product in item.row.product_ids or ()],
        )
        emit("lead.created", [item.id for item in items], actor_id=self.actor_id, automation=self.automation)


def _lock_contacts(ids: Iterable[str]) -> set[str]:
    """Lock the live contacts in the order of their ids, so that writers of leads of the same contact wait."""
    contact_ids = sorted(ids)
    if not contact_ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM crm_contact WHERE id = ANY(%s) AND NOT is_deleted ORDER BY id FOR NO KEY UPDATE",
            [contact_ids],
        )
        return {id for (id,) in cursor.fetchall()}
