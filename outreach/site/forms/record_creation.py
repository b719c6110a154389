"""Creation of the lead of a submission, in one transaction."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.companies.country import default_country
from core.access import quota_exceeded
from core.errors import NamedError
from core.events import emit
from core.ids import new_id
from core.jobs.leases import update_owned
from core.text.addresses import is_international
from core.types import JsonObject
from crm.bulk_jobs.changes import record_change
from crm.bulk_jobs.history.journal import Source
from crm.contacts.collisions import EXISTS
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact
from crm.contacts.rights import ContactRights
from crm.contacts.schema import NUMBER_COLUMNS
from crm.contacts.services import change_contact
from crm.field_types import BadValue, TextFormat
from crm.leads.duplicates import REPEATED, repeated_lead_text
from crm.leads.kind import LEAD
from crm.leads.models import Lead
from crm.leads.references import missing_references
from crm.leads.schema import LeadRow, LeadSchema
from crm.leads.writes.writer import Existing, LeadResult, write_leads
from crm.records.problems import ValueProblem, problems_error
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.targets import OF_CONTACT

REFUSED = "ValidationError_400"
DATES = "YYYY-MM-DD"


def make_lead(row: FormLead, form: Form, **fetched: Any) -> None:
    """Create the lead of a claimed row, and emit the event, in the caller's transaction.

    `fetched` has further columns of the row to write. Raises NamedError for a submission that cannot be a lead, and
    LeaseLost.
    """
    update_owned(row, status=FormLead.Work.DONE, worker=None, deaths=0, **fetched)
    schema = LeadSchema.load()
    values, of_contact = map_answers(form, row.answers)
    how = TextFormat(DATES, country="" if form.country_code else default_country())
    lead_row, problems = schema.read(values, drop_invalid=True, from_text=how)
    if lead_row is None:
        raise problems_error(problems)
    _refer(lead_row, form)
    source = Source.bulk_job(new_id())
    existing: Existing = "update" if form.duplicates == Form.Duplicates.UPDATE else "rule"
    written, taken = _write(schema, lead_row, existing, source)
    lead = _lead_id(written)
    contact = Lead.objects.values_list("contact_id", flat=True).get(pk=lead)
    notes = [str(problem) for problem in (*problems, *taken)]
    notes += _fill_contact(schema, form, contact, of_contact, source, how)
    record_change(source, LEAD, CONTACT, actor_id=None)
    now = timezone.now()
    done = {"state": FormLead.State.IMPORTED, "reason": "", "error": "; ".join(notes)[:1000], "lead_id": lead}
    FormLead.objects.filter(pk=row.pk).update(updated_at=now, **done)
    Form.objects.filter(pk=form.pk).update(last_lead_at=now)
    row.lead_id = lead
    emit("form.submitted", [row.pk], payloads={row.pk: event_payload(row, form, contact)})


def event_payload(row: FormLead, form: Form, contact: str | None) -> JsonObject:
    """Return the payload of the event of an imported submission, whose lead has the contact."""
    return {"contact": contact, "lead": row.lead_id, "form": form.pk, "name": form.name, "answers": row.answers}


def map_answers(form: Form, answers: JsonObject) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values of the lead with its contact, and those of the contact's custom fields, as texts."""
    values: dict[str, str] = {"source": form.lead_source} if form.lead_source else {}
    of_contact: dict[str, str] = {}
    for key, target in form.mapping.items():
        answer = answers.get(key)
        text = "; ".join(answer) if isinstance(answer, list) else answer
        if not text:
            continue
        if target.startswith(OF_CONTACT):
            of_contact[target.removeprefix(OF_CONTACT)] = text
        else:
            values[target] = text
    if form.country_code and not is_international(values.get("number", "+")):
        values.setdefault("countryCode", form.country_code)
    return values, of_contact


def _refer(row: LeadRow, form: Form) -> None:
    """Set the lead's team, tags and category; deleted ones are omitted."""
    row.system["team_id"] = form.team_id
    row.tag_ids = list(form.tags)
    row.category_id = form.category_id
    for problem in missing_references([row]).get(0, []):
        if problem.key == "team":
            row.system["team_id"] = None
        elif problem.key == "category":
            row.category_id = None
        elif problem.key == "tags":
            row.tag_ids = [tag for tag in row.tag_ids or () if tag not in problem.message]
    if row.system["team_id"] is None:
        del row.system["team_id"]


def _write(
    schema: LeadSchema, row: LeadRow, existing: Existing, source: Source
) -> tuple[LeadResult, list[ValueProblem]]:
    """Write the lead. A number that another contact has is omitted, and added to the lead's notes and a problem.

    Nobody can correct a visitor's input, and the lead must not be assigned to another person.
    """
    common: Any = {"actor_id": None, "existing": existing, "rights": ContactRights(read=False), "source": source}
    written = write_leads(schema, [row], **common)
    problems = written.failed.get(row.index, [])
    number = row.contact.system.get("contact_number") if row.contact else None
    if not number or not row.contact or [(problem.key, problem.name) for problem in problems] != [("number", EXISTS)]:
        return written, []
    for column in NUMBER_COLUMNS:
        row.contact.system.pop(column, None)
    if not any(schema.contacts.keys_of(row.contact.system)):
        return written, []
    note = f"Number given: {number}. Another contact has it."
    row.system["notes"] = "\n".join(text for text in (row.system.get("notes"), note) if text)
    return write_leads(schema, [row], **common), problems


def _lead_id(written: LeadResult) -> str:
    """Return the id of the lead. Raises NamedError if there is none."""
    if written.created or written.updated:
        return (written.created or written.updated)[0][1]
    if written.collided:
        raise NamedError(REFUSED, repeated_lead_text(written.collided[0][1]), field=REPEATED)
    if written.refused:
        raise quota_exceeded(written.refused[0][1])
    problems = written.failed[0]
    raise problems_error(problems)


def _fill_contact(
    schema: LeadSchema, form: Form, contact: str, values: dict[str, str], source: Source, how: TextFormat
) -> list[str]:
    """Set the contact's custom fields: missing values, or all if the form updates.

    Returns the errors of others.
    """
    if not values:
        return []
    held = Contact.objects.values_list("custom", flat=True).get(pk=contact) or {}
    fields, notes = {}, []
    for key, text in values.items():
        spec = schema.contacts.fields.get(key)
        if spec is None or (form.duplicates == Form.Duplicates.CREATE and held.get(key) not in (None, "", [])):
            continue
        try:
            fields[key] = spec.parse(text, how)
        except BadValue as error:
            notes.append(f"{OF_CONTACT}{key}: {error}")
    if fields:
        try:
            with transaction.atomic():
                change_contact(id=contact, actor_id=None, form_data=fields, source=source)  # type: ignore[arg-type]
        except NamedError as error:
            notes.append(error.detail or error.message)
    return notes
