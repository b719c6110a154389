"""Use cases of leads: create, update, and create up to 500 at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db import transaction

from core.access import quota_exceeded
from core.errors import ApiError, DuplicateField, NamedError
from core.ids import is_id
from crm.contacts.models import Contact
from crm.contacts.services import update_contact
from crm.leads.models import Lead
from crm.leads.references import missing_references
from crm.leads.schema import CONTACT_KEYS, LeadRow, LeadSchema
from crm.leads.updates import update_leads
from crm.leads.writer import LeadResult, write_leads
from crm.records.results import MAX_BULK, UNSET, BulkResult, Failure, Saved
from crm.records.schema import REQUIRED, ValueProblem, explain

DUPLICATE = "DuplicateField"
"""The name of a duplicate in the outcome of a bulk creation or an import; the contract's error has no name."""
REPEATED = "contact, productServices"
NOT_FOUND = "LeadNotFound_400"


@dataclass(frozen=True, slots=True)
class Relations:
    """The references of a lead.

    UNSET was not given; None removes a reference, or counts as not given for a new lead.
    """

    contact: str | None | type[UNSET] = UNSET
    product_services: Sequence[str] | None | type[UNSET] = UNSET
    team: str | None | type[UNSET] = UNSET
    team_member: str | None | type[UNSET] = UNSET
    tags: Sequence[str] | None | type[UNSET] = UNSET
    category: str | None | type[UNSET] = UNSET

    def given(self) -> dict[str, Any]:
        """The given references as JSON-compatible arguments of Relations."""
        found = {name.name: getattr(self, name.name) for name in fields(self)}
        return {name: value for name, value in found.items() if value is not UNSET}

    def put_into(self, row: LeadRow) -> None:
        """Put the references into the row."""
        if self.contact is not UNSET and self.contact is not None:
            row.system["contact_id"] = self.contact
        for column, value in (("team_id", self.team), ("team_member_id", self.team_member)):
            if value is not UNSET:
                row.system[column] = value
        if self.product_services is not UNSET:
            row.product_ids = self.product_services or ()  # type: ignore[assignment]
        if self.tags is not UNSET:
            row.tag_ids = self.tags or ()  # type: ignore[assignment]
        if self.category is not UNSET:
            row.category_id = self.category or ""  # type: ignore[assignment]


def create_lead(
    *,
    actor_id: str,
    form_data: Mapping[str, Any],
    relations: Relations,
    existing_error: bool = True,
    skip_invalid: bool = False,
    automation: bool = True,
) -> Saved:
    """Create a lead, and find or create its contact.

    With `existing_error` off, update an open lead of the same contact and product instead. Raises
    ContactDataRequired_400 (no contact), ContactNotFound_400, ContactAlreadyExists_400 (two contacts have the values),
    ValidationError_400 (a required value of the lead), InvalidCustomField_400, InvalidCustomFieldValue_400,
    InvalidSystemField_400, DuplicateField, the errors of missing_references, PlanLimitExceeded_403 and
    DefaultTeamNotFound_500.
    """
    with transaction.atomic():
        schema = LeadSchema.load()
        row, problems = _read_one(schema, form_data, relations, skip_invalid=skip_invalid)
        written = write_leads(
            schema, [row], actor_id=actor_id, automation=automation, existing="error" if existing_error else "update"
        )
        for error in _errors(written).values():
            raise error[0]
        return Saved((written.created or written.updated)[0][1], problems)


def _read_one(
    schema: LeadSchema,
    form_data: Mapping[str, Any],
    relations: Relations,
    *,
    skip_invalid: bool = False,
    partial: bool = False,
) -> tuple[LeadRow, list[ValueProblem]]:
    """Read a formData and check its references.

    Returns the row and the problems of values that were left out. Raises the first problem by its name.
    """
    row, problems = schema.read(form_data, drop_invalid=skip_invalid, partial=partial)
    if row is None:
        raise NamedError(problems[0].name, explain(problems))
    relations.put_into(row)
    absent = missing_references([row]).get(0)
    if absent:
        raise NamedError(absent[0].name, explain(absent))
    dangling = schema.check_references([row], drop_invalid=skip_invalid).get(0, [])
    if dangling and not skip_invalid:
        raise NamedError(dangling[0].name, explain(dangling))
    return row, [*problems, *dangling]


def repeated(lead: str) -> str:
    """The text about a row that repeats an open lead."""
    return f"the open lead {lead} is of the same contact and product already"


def _errors(written: LeadResult) -> dict[int, tuple[ApiError, list[ValueProblem]]]:
    """Index -> why the row made no lead: the error of a single creation, and the problems of a bulk creation."""
    found: dict[int, tuple[ApiError, list[ValueProblem]]] = {}
    for index, lead in written.collided:
        detail = repeated(lead)
        found[index] = DuplicateField(REPEATED, f"{REPEATED}: {detail}"), [ValueProblem("contact", DUPLICATE, detail)]
    for index, problems in written.failed.items():
        found[index] = NamedError(problems[0].name, explain(problems)), problems
    for index, module in written.refused:
        error = quota_exceeded(module)
        found[index] = error, [ValueProblem("", error.name, error.detail)]
    return found


def create_leads(
    *,
    actor_id: str | None,
    items: Sequence[Any],
    relations: Relations,
    existing_error: bool = True,
    skip_invalid: bool = False,
    automation: bool = True,
) -> BulkResult:
    """Create up to 500 leads, each on its own: an invalid one is reported and does not affect the others.

    The references in `relations` must exist. Raises InvalidPayload_400 for more than 500, ContactDataRequired_400 for
    none.
    """
    if not items:
        raise NamedError(REQUIRED, "formData: needs an array of at least one lead")
    if len(items) > MAX_BULK:
        raise NamedError(
            "InvalidPayload_400", f"formData: has {len(items)} leads, at most {MAX_BULK} go in one request"
        )
    with transaction.atomic():
        schema, result = LeadSchema.load(), BulkResult()
        shared = LeadRow()
        relations.put_into(shared)
        absent = missing_references([shared]).get(0)
        if absent:
            raise NamedError(absent[0].name, explain(absent))
        rows = []
        for index, item in enumerate(items):
            row, problems = _read_item(schema, item, index, relations, skip_invalid)
            result.errors += [(index, problem) for problem in problems]
            if row is None:
                result.failed.append(Failure(index, item, problems[0].name, explain(problems)))
            else:
                rows.append(row)
        rows = _drop_dangling(schema, rows, items, result, skip_invalid)
        written = write_leads(
            schema, rows, actor_id=actor_id, automation=automation, existing="error" if existing_error else "update"
        )
        _report(written, items, result)
    return result


ID_KEYS = {
    "contact": ("contact", "ContactNotFound_400"),
    "team": ("team", "TeamNotFound_400"),
    "teamMember": ("team_member", "MemberNotFound_404"),
    "category": ("category", "ContactCategoryNotFound_400"),
}
LIST_KEYS = {"productServices": ("product_services", "ProductServiceNotFound_400"), "tags": ("tags", "TagNotFound_400")}


def _read_item(
    schema: LeadSchema, item: Any, index: int, relations: Relations, skip_invalid: bool
) -> tuple[LeadRow | None, list[ValueProblem]]:
    """Read an item's formData, which may have references of its own."""
    if not isinstance(item, dict):
        return None, [ValueProblem("formData", "InvalidPayload_400", "each lead is an object of field keys and values")]
    values = dict(item)
    own: dict[str, Any] = {}
    for key, (name, error) in (*ID_KEYS.items(), *LIST_KEYS.items()):
        given = values.pop(key, None)
        if given is None:
            continue
        ids = given if key in LIST_KEYS else [given]
        if not isinstance(ids, list) or not all(is_id(id) for id in ids):
            return None, [
                ValueProblem(
                    key, error, f"needs an array of {key} ids" if key in LIST_KEYS else f"needs the id of a {key}"
                )
            ]
        own[name] = list(dict.fromkeys(ids)) if key in LIST_KEYS else given
    row, problems = schema.read(values, drop_invalid=skip_invalid, index=index)
    if row is not None:
        relations.put_into(row)
        Relations(**own).put_into(row)
    return row, problems


def _drop_dangling(
    schema: LeadSchema, rows: list[LeadRow], items: Sequence[Any], result: BulkResult, skip_invalid: bool
) -> list[LeadRow]:
    """Drop the rows that refer to records which the company lacks."""
    absent, dangling = missing_references(rows), schema.check_references(rows, drop_invalid=skip_invalid)
    kept = []
    for position, row in enumerate(rows):
        missing, bad = absent.get(position, []), dangling.get(position, [])
        result.errors += [(row.index, problem) for problem in (*missing, *bad)]
        fatal = missing if skip_invalid else [*missing, *bad]
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
    *, id: str, actor_id: str, form_data: Mapping[str, Any], relations: Relations, automation: bool = True
) -> str:
    """Change the given values of a live lead. Null or empty text empties a value, tags and products replace the lead's.

    Values of the contact, and the category, go to the lead's contact, as PUT /contact/:id takes them. Raises
    LeadNotFound_400, ContactNotFound_400, and the errors of create_lead and update_contact for values.
    """
    with transaction.atomic():
        contact = Lead.objects.filter(pk=id, is_deleted=False).values_list("contact_id", flat=True).first()
        if contact is None:
            raise not_found()
        schema = LeadSchema.load()
        row, _ = _read_one(
            schema, {key: value for key, value in form_data.items() if key not in CONTACT_KEYS}, relations, partial=True
        )
        contact = row.system.get("contact_id", contact)
        # Change the contact before the lead, in the order in which writers of leads lock them.
        _change_contact(
            contact, row, {key: form_data[key] for key in CONTACT_KEYS if key in form_data}, actor_id, automation
        )
        outcome = update_leads(schema, [(id, row)], actor_id=actor_id, automation=automation, links="replace")
        if outcome.missing:
            raise not_found()
        return id


def _change_contact(id: str, row: LeadRow, values: Mapping[str, Any], actor_id: str, automation: bool) -> None:
    if (
        "contact_id" in row.system
        and not Contact.objects.select_for_update(of=("self",)).filter(pk=id, is_deleted=False).exists()
    ):
        raise NamedError("ContactNotFound_400", f"contact: there is no contact {id} in this company")
    if values or row.category_id is not None:
        category = UNSET if row.category_id is None else row.category_id or None
        update_contact(id=id, actor_id=actor_id, form_data=values, category_id=category, automation=automation)


def not_found() -> NamedError:
    """The error of an id that belongs to no live lead of the company."""
    return NamedError(NOT_FOUND, "id: there is no such lead in this company")
