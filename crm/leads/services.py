"""Use cases of leads: create, update, and create up to 500 at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from core.access import quota_exceeded
from core.errors import ApiError, DuplicateField, NamedError, detail_of
from core.ids import new_id
from core.types import Values
from crm.bulk_jobs.changes import UPDATE, complete, new_job, record_change
from crm.bulk_jobs.history.journal import Source
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact
from crm.contacts.rights import LEFT_ALONE, ContactRights, unchanged_values_note
from crm.contacts.services import change_contact
from crm.leads.duplicates import (
    DUPLICATE,
    REPEATED,
    REPEATS,
    check_duplicates,
    lock_duplicates,
    repeated_lead_text,
)
from crm.leads.kind import LEAD
from crm.leads.models import Lead
from crm.leads.places import refuse_placeless, refuse_reasonless
from crm.leads.references import missing_references
from crm.leads.relations import Relations, own_relations
from crm.leads.schema import CONTACT_KEYS, LeadRow, LeadSchema
from crm.leads.writes.updates import update_leads
from crm.leads.writes.writer import LeadResult, write_leads
from crm.pipelines.stages import PLACE
from crm.records.problems import ValueProblem, explain, problems_error, reason_of
from crm.records.results import MAX_BULK, UNSET, BulkResult, Failure, Saved
from crm.records.schema import REQUIRED
from crm.records.writes.updates import refuse_changed, without_held

NOT_FOUND = "LeadNotFound_400"


def create_lead(
    *,
    actor_id: str,
    form_data: Values,
    relations: Relations,
    existing_error: bool = True,
    drop_invalid: bool = False,
    automation: bool = True,
    rights: ContactRights = ContactRights(),  # noqa: B008  immutable
) -> Saved:
    """Create a lead, and find or create its contact, which takes the values that it lacks.

    With `existing_error` off, the contact takes all values, and an open lead of the same contact and product is updated
    instead. Otherwise the setting duplicateLeads decides about such a lead.

    Raises UnauthorizedAction_403 for a new contact without the right to create one. Raises ContactDataRequired_400
    without a contact, and ContactNotFound_400. Raises ContactAlreadyExists_400 if two contacts have the values, and
    ValidationError_400 without a required value of the lead.

    Raises InvalidCustomField_400, InvalidCustomFieldValue_400, InvalidSystemField_400 and DuplicateField. Raises the
    errors of missing_references, PlanLimitExceeded_403 and DefaultTeamNotFound_500.
    """
    with transaction.atomic():
        schema = LeadSchema.load()
        row, problems = _read_one(schema, form_data, relations, drop_invalid=drop_invalid)
        written, job = _write(schema, [row], existing_error, actor_id=actor_id, automation=automation, rights=rights)
        for error in _errors(written).values():
            raise error[0]
        notes = [text for _, text in _notes(written, rights)]
        codes = [*([REPEATS] if written.repeats else []), *([LEFT_ALONE] if written.left else [])]
        id = (written.created or written.updated)[0][1]
        return Saved(id, problems, bool(written.updated), notes, job, codes)


def _write(
    schema: LeadSchema,
    rows: Sequence[LeadRow],
    existing_error: bool,
    *,
    actor_id: str | None,
    automation: bool,
    rights: ContactRights,
) -> tuple[LeadResult, str | None]:
    """Write the rows. Return also the bulk job that can restore the former values of existing leads and contacts."""
    common: Any = {"actor_id": actor_id, "automation": automation}
    source = Source.bulk_job(new_id())
    written = write_leads(
        schema, rows, existing="rule" if existing_error else "update", rights=rights, source=source, **common
    )
    return written, record_change(source, LEAD, CONTACT, **common)


def _notes(written: LeadResult, rights: ContactRights) -> list[tuple[int, str]]:
    """Return notes for the caller about written rows, as (index, text)."""
    repeats = [(index, repeated_lead_text(lead)) for index, lead in written.repeats.items()]
    return sorted(
        [*repeats, *((index, str(unchanged_values_note(names, rights))) for index, names in written.left.items())]
    )


def _read_one(
    schema: LeadSchema,
    form_data: Values,
    relations: Relations,
    *,
    drop_invalid: bool = False,
    partial: bool = False,
) -> tuple[LeadRow, list[ValueProblem]]:
    """Read a formData and check its references.

    Returns the row and the problems of values that were left out. Raises the first problem by its name.
    """
    row, problems = schema.read(form_data, drop_invalid=drop_invalid, partial=partial)
    if row is None:
        raise problems_error(problems)
    relations.put_into(row)
    absent = missing_references([row]).get(0)
    if absent:
        raise problems_error(absent)
    dangling = schema.check_references([row], drop_invalid=drop_invalid).get(0, [])
    if dangling and not drop_invalid:
        raise problems_error(dangling)
    return row, [*problems, *dangling]


def _errors(written: LeadResult) -> dict[int, tuple[ApiError, list[ValueProblem]]]:
    """Return index -> why the row made no lead: the error of a single creation, and the problems of a bulk creation."""
    errors: dict[int, tuple[ApiError, list[ValueProblem]]] = {}
    error: ApiError
    for index, lead in written.collided:
        detail = repeated_lead_text(lead)
        error = DuplicateField(REPEATED, detail, code=REPEATS, params={"record": lead})
        errors[index] = error, [ValueProblem("contact", DUPLICATE, detail)]
    for index, problems in written.failed.items():
        is_duplicate = problems[0].name == DUPLICATE
        error = _duplicate(reason_of(problems), problems[0].fields) if is_duplicate else problems_error(problems)
        errors[index] = error, problems
    for index, module in written.refused:
        exceeded = quota_exceeded(module)
        errors[index] = exceeded, [ValueProblem("", exceeded.name, exceeded.detail)]
    return errors


def create_leads(
    *,
    actor_id: str | None,
    items: Sequence[Any],
    relations: Relations,
    existing_error: bool = True,
    drop_invalid: bool = False,
    all_or_none: bool = False,
    automation: bool = True,
    rights: ContactRights = ContactRights(),  # noqa: B008  immutable
) -> BulkResult:
    """Create up to 500 leads, each on its own: an invalid one is reported and does not affect the others.

    With `all_or_none` the first one that fails refuses all, by its error. The rest as in create_lead. The references in
    `relations` must exist. Raises InvalidPayload_400 for more than 500, ContactDataRequired_400 for none.
    """
    if not items:
        raise NamedError(REQUIRED, "needs an array of at least one lead", field="formData")
    if len(items) > MAX_BULK:
        raise NamedError(
            "InvalidPayload_400", f"has {len(items)} leads, at most {MAX_BULK} go in one request", field="formData"
        )
    # One transaction, as rows of one body may repeat each other.
    with transaction.atomic():
        schema, result = LeadSchema.load(), BulkResult()
        shared = LeadRow()
        relations.put_into(shared)
        absent = missing_references([shared]).get(0)
        if absent:
            raise problems_error(absent)
        rows = []
        for index, item in enumerate(items):
            row, problems = _read_item(schema, item, index, relations, drop_invalid)
            result.errors += [(index, problem) for problem in problems]
            if row is None:
                result.failed.append(Failure(index, item, problems[0].name, explain(problems)))
            else:
                rows.append(row)
        rows = _drop_dangling(schema, rows, items, result, drop_invalid)
        written, job = _write(schema, rows, existing_error, actor_id=actor_id, automation=automation, rights=rights)
        result.job = job
        _report(written, items, result)
        result.notes = _notes(written, rights)
        if all_or_none:
            _refuse_failed(result)
    return result


def _refuse_failed(result: BulkResult) -> None:
    """Raise the error of the first item that failed, as BulkResult does, but DuplicateField for a duplicate."""
    try:
        result.refuse_failed()
    except NamedError as error:
        if error.name != DUPLICATE:
            raise
        raise _duplicate(error.reason, error.fields) from None


def _duplicate(text: str, fields: Sequence[str]) -> DuplicateField:
    return DuplicateField(REPEATED, detail_of(fields, text), field=())


def _read_item(
    schema: LeadSchema, item: Any, index: int, relations: Relations, drop_invalid: bool
) -> tuple[LeadRow | None, list[ValueProblem]]:
    """Read an item's formData, which may have references of its own."""
    if not isinstance(item, dict):
        return None, [ValueProblem("formData", "InvalidPayload_400", "each lead is an object of field keys and values")]
    values = dict(item)
    own = own_relations(values)
    if isinstance(own, ValueProblem):
        return None, [own]
    row, problems = schema.read(values, drop_invalid=drop_invalid, index=index)
    if row is not None:
        relations.put_into(row)
        own.put_into(row)
    return row, problems


def _drop_dangling(
    schema: LeadSchema, rows: list[LeadRow], items: Sequence[Any], result: BulkResult, drop_invalid: bool
) -> list[LeadRow]:
    """Drop the rows that refer to records which the company lacks."""
    absent = missing_references(rows)
    dangling = schema.check_references(rows, drop_invalid=drop_invalid)
    kept = []
    for position, row in enumerate(rows):
        missing = absent.get(position, [])
        bad = dangling.get(position, [])
        result.errors += [(row.index, problem) for problem in (*missing, *bad)]
        fatal = missing if drop_invalid else [*missing, *bad]
        if fatal:
            result.failed.append(Failure(row.index, items[row.index], fatal[0].name, explain(fatal)))
        else:
            kept.append(row)
    return kept


def _report(written: LeadResult, items: Sequence[Any], result: BulkResult) -> None:
    result.created = [id for _, id in sorted(written.created)]
    result.updated = list(dict.fromkeys(id for _, id in sorted(written.updated)))
    for index, (error, problems) in _errors(written).items():
        result.failed.append(Failure(index, items[index], problems[0].name, error.detail))
        result.errors += [(index, problem) for problem in problems]
    result.failed.sort(key=lambda failure: failure.index)
    result.errors.sort(key=lambda error: error[0])


def update_lead(
    *,
    id: str,
    actor_id: str,
    form_data: Values,
    relations: Relations,
    automation: bool = True,
    rights: ContactRights = ContactRights(),  # noqa: B008  immutable
    unchanged_since: str | None = None,
) -> Saved:
    """Change the given values of a live lead. Null or empty text clears a value, tags and products replace the lead's.

    With `unchanged_since`, an updatedAt, it raises RecordChanged_409 if the lead has another one. Values of the
    contact, and the category, go to the lead's contact, as PUT /contact/:id takes them. Without the right to change
    contacts it stays as it is, which the notes state. The job can undo both changes.

    Raises LeadNotFound_400, ContactNotFound_400, and DuplicateField if the company refuses duplicate open leads. Raises
    the errors of create_lead and update_contact for values.
    """
    change = {"formData": dict(form_data), "updateType": "set", "relations": relations.given_references()}
    job = new_job(LEAD, UPDATE, actor_id=actor_id, selection={"ids": [id]}, change=change, automation=automation)
    source = Source.bulk_job(job.pk)
    # The journal of the job and the change commit together, or undo would miss the change.
    with transaction.atomic():
        columns = ("contact_id", "pipeline_id", "stage_id", "custom", *LEAD.system_columns.values())
        present = Lead.objects.filter(pk=id, is_deleted=False).values(*columns).first()
        if present is None:
            raise not_found()
        refuse_placeless(present, relations.pipeline, relations.stage)
        schema = LeadSchema.load()
        lead_values = {key: value for key, value in form_data.items() if key not in CONTACT_KEYS}
        lead_values = without_held(schema, lead_values, present, present["custom"])
        row, _ = _read_one(schema, lead_values, relations, partial=True)
        contact = row.system.get("contact_id", present["contact_id"])
        lock_duplicates(schema)
        # Change the contact before the lead, in the order in which writers of leads lock them.
        if "contact_id" in row.system:
            _lock_contact(contact)
        _refuse_reasonless(schema, id, row)
        values = {key: form_data[key] for key in CONTACT_KEYS if key in form_data}
        notes: list[str] = []
        codes: list[str] = []
        changed = 0
        if not rights.change:
            names = _differing(contact, values, row.category_id)
            notes += [str(unchanged_values_note(names, rights))] if names else []
            codes += [LEFT_ALONE] if names else []
        elif values or row.category_id is not None:
            changed = change_contact(
                id=contact,
                actor_id=actor_id,
                form_data=values,
                category_id=UNSET if row.category_id is None else row.category_id or None,
                automation=automation,
                source=source,
                may_read=rights.read,
            )
        if unchanged_since is not None:
            # Locked before the comparison, so that no edit comes between it and the write.
            held = Lead.objects.select_for_update(of=("self",), no_key=True).filter(pk=id, is_deleted=False)
            if changed_at := held.values_list("updated_at", flat=True).first():
                refuse_changed(changed_at, unchanged_since)
        outcome = update_leads(
            schema, [(id, row)], actor_id=actor_id, automation=automation, links="replace", source=source
        )
        if outcome.missing:
            raise not_found()
        repeats = check_duplicates(outcome.reopened, schema.duplicates, schema.closed)
        notes += repeats.values()
        codes += [REPEATS] if repeats else []
        done = complete(job, 1, changed + len(outcome.changed))
        return Saved(id, updated=True, notes=notes, job=done.pk if done else None, codes=codes)


def _refuse_reasonless(schema: LeadSchema, id: str, row: LeadRow) -> None:
    """Refuse to lose a lead without a reason (LostReasonRequired_400) where the company wants one."""
    if not schema.needs_reason:
        return
    was = Lead.objects.filter(pk=id).values(*PLACE).first() or {}
    now = {**was, **{column: value for column, value in row.system.items() if column in PLACE}}
    refuse_reasonless(schema, was, now)


def _lock_contact(id: str) -> None:
    # The lock keeps the contact from being deleted or merged before the lead refers to it.
    if not Contact.objects.select_for_update(of=("self",), no_key=True).filter(pk=id, is_deleted=False).exists():
        raise NamedError("ContactNotFound_400", f"there is no contact {id} in this company", field="contact")


def _differing(id: str, values: Values, category: str | None) -> list[str]:
    """Return the names of the given values that the contact does not have."""
    columns = {CONTACT.system_columns[key]: key for key in values}
    new_values = {column: values[key] for column, key in columns.items()}
    if category is not None:
        columns["category_id"] = "category"
        new_values["category_id"] = category
    present = Contact.objects.filter(pk=id).values(*columns).first() if columns else None
    return [
        name
        for column, name in columns.items()
        if str(new_values[column] or "") != str((present or {}).get(column) or "")
    ]


def not_found() -> NamedError:
    """Return the error of an id that belongs to no live lead of the company."""
    return NamedError(NOT_FOUND, "there is no such lead in this company", field="id")
