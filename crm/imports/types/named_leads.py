"""Updates of the leads that rows of an import name by their _id, and of the contacts of these leads."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from crm.contacts.rights import ContactRights, unchanged_values_note
from crm.contacts.schema import ContactRow
from crm.contacts.unique_key import lock_unique_key
from crm.contacts.updates import update_contacts
from crm.contacts.writer import import_source
from crm.imports.models import Import
from crm.imports.types.base import RECORD_ID, BatchResult
from crm.leads.duplicates import DUPLICATE, REPEATED_TEXT, Rule, find_repeating_leads
from crm.leads.models import Lead
from crm.leads.references import missing_teams, no_team
from crm.leads.schema import LeadRow, LeadSchema
from crm.leads.writes.updates import update_leads
from crm.records.problems import ValueProblem


class _Refused(Exception):
    """Rolls back an attempt at rows, some of which the company's rule about duplicates refuses."""

    def __init__(self, problems: dict[int, list[ValueProblem]]) -> None:
        self.problems = problems


def update_named_leads(
    schema: LeadSchema, rows: Sequence[LeadRow], job: Import, *, actor_id: str | None, not_found: str
) -> BatchResult:
    """Update the live leads that the rows name with the rows' values, in the caller's transaction.

    A value of the contact goes to the lead's own contact, as far as the starter of the import may change contacts.
    """
    failed: dict[int, list[ValueProblem]] = {}
    gone = missing_teams(row.system.get("team_id") for row in rows)
    failed |= {row.index: [no_team(id)] for row in rows if (id := row.system.get("team_id")) in gone}
    lock_unique_key(schema.contacts, many=True)
    while True:
        pending = [row for row in rows if row.index not in failed]
        try:
            # A refused row undoes the attempt; the others are written again without it.
            with transaction.atomic():
                result = _update(schema, pending, job, actor_id, not_found)
        except _Refused as refused:
            failed |= refused.problems
            continue
        result.failed |= failed
        return result


def _update(
    schema: LeadSchema, rows: Sequence[LeadRow], job: Import, actor_id: str | None, not_found: str
) -> BatchResult:
    result = BatchResult()
    rows = _update_contacts(schema, rows, job, actor_id, result)
    outcome = update_leads(
        schema,
        [(row.record_id, row) for row in rows],
        actor_id=actor_id,
        automation=job.automation,
        source=import_source(job.pk),
    )
    result.updated = outcome.updated
    for row in outcome.missing:
        result.failed[row.index] = [ValueProblem(RECORD_ID, not_found, "the lead has just been deleted")]
    repeats = {} if schema.duplicates == Rule.ALLOW else find_repeating_leads(outcome.reopened, schema.closed)
    problems = {index: [ValueProblem("", DUPLICATE, REPEATED_TEXT)] for index, id in outcome.updated if id in repeats}
    if problems and schema.duplicates == Rule.REFUSE:
        raise _Refused(problems)
    result.notes |= {index: [*result.notes.get(index, []), *notes] for index, notes in problems.items()}
    return result


def _update_contacts(
    schema: LeadSchema, rows: Sequence[LeadRow], job: Import, actor_id: str | None, result: BatchResult
) -> list[LeadRow]:
    """Update the contacts of the rows' leads. Returns the rows that still count; the others have failed."""
    rights = ContactRights(job.may_create_contacts, job.may_change_contacts)
    contacts = dict(Lead.objects.filter(pk__in=[row.record_id for row in rows]).values_list("pk", "contact_id"))
    changes = []
    for row in rows:
        values = row.contact or ContactRow(index=row.index)
        values.index = row.index
        values.category_id = row.category_id
        if row.record_id in contacts and (row.contact is not None or row.category_id is not None):
            changes.append((contacts[row.record_id], values))
    outcome = update_contacts(
        schema.contacts,
        changes,
        actor_id=actor_id,
        automation=job.automation,
        source=import_source(job.pk),
        take="all" if rights.change else "nothing",
    )
    for collision in outcome.collided:
        message = f"{collision.value} belongs to the contact {collision.existing_id}, who is not that of the lead"
        result.failed[collision.index] = [ValueProblem(collision.field, "ContactAlreadyExists_400", message)]
    result.notes |= {index: [unchanged_values_note(names, rights)] for index, names in outcome.left.items()}
    return [row for row in rows if row.index not in result.failed]
