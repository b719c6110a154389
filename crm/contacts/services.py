"""Use cases of contacts: create, update, and create up to 500 at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from core.access import quota_exceeded
from core.access.own_records import require_all_records
from core.errors import NamedError, message_of, shorten
from core.ids import is_id, new_id
from core.types import JsonObject, Values
from crm.bulk_jobs.changes import UPDATE, complete, new_job, record_change
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob
from crm.contacts.collisions import collision_errors, describe_person
from crm.contacts.employment import name_employers
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact
from crm.contacts.schema import NUMBER_COLUMNS, ContactRow, ContactSchema
from crm.contacts.unique_key import lock_unique_key, rewrite_keys
from crm.contacts.updates import update_contacts
from crm.contacts.writer import WriteResult, write_contacts
from crm.organizations.selectors import missing_organizations
from crm.records.problems import ValueProblem, explain, problems_error
from crm.records.results import MAX_BULK, UNSET, BulkResult, Failure, Saved
from crm.records.writes.updates import refuse_changed, without_held
from crm.tags.services import check_tags, missing_categories, missing_tags
from crm.teams.owners import OWNER, Owner, check_owner, owner_problems

PHONE_PARTS = ("countryCode", "number")
ORGANIZATION = "organization_id"
KEY_PARTS = {"email": ("email",), "number": ("number",), "either": ("email", "number")}
"""Setting contactUniqueKey -> the system fields that it names."""


def create_contact(
    *,
    actor_id: str,
    form_data: Values,
    tag_ids: Sequence[str] = (),
    category_id: str | None = None,
    organization_id: str | None = None,
    owner_id: str | None = None,
    existing_error: bool = True,
    drop_invalid: bool = False,
    automation: bool = True,
    may_read: bool = False,
    drop_taken_number: bool = False,
    allow_missing: bool = False,
) -> Saved:
    """Create a contact. With `existing_error` off, update the contact that has its unique key instead.

    `drop_invalid` omits invalid values, as long as they are not required. `drop_taken_number` omits a number that
    another person has, even a required one. `allow_missing` is for people who cannot be asked for required values.
    `may_read` allows the error to name that person.

    Raises ContactDataRequired_400, InvalidCustomField_400, InvalidCustomFieldValue_400 and InvalidSystemField_400
    (every problem in the warning). Raises TagNotFound_400, ContactCategoryNotFound_400, OrganizationNotFound_400,
    MemberNotFound_404 and MemberNotAccepted_400. Raises ContactAlreadyExists_400, and PlanLimitExceeded_403 for a new
    contact beyond the plan.
    """
    with transaction.atomic():
        schema = ContactSchema.load()
        row, problems = _read_one(schema, form_data, drop_invalid=drop_invalid, allow_missing=allow_missing)
        check_tags(tag_ids=tag_ids, category_ids=[category_id] if category_id else [])
        check_organization(organization_id)
        row.tag_ids = tag_ids
        row.category_id = category_id
        if owner := check_owner(owner_id):
            row.system[OWNER] = owner
        if organization_id:
            row.system[ORGANIZATION] = organization_id
            name_employers(schema, [row])
        written, job = _write(schema, [row], existing_error, actor_id, automation)
        if drop_taken_number and written.collided and written.collided[0].person:
            for column in NUMBER_COLUMNS:
                row.system.pop(column, None)
            written, job = _write(schema, [row], existing_error, actor_id, automation)
        if written.collided:
            raise collision_errors(written.collided, may_read=may_read)[0]
        if written.refused:
            raise quota_exceeded("contact")
        exists = bool(written.updated)
        return Saved((written.created or written.updated)[0][1], problems, updated=exists, job=job)


def _write(
    schema: ContactSchema, rows: Sequence[ContactRow], existing_error: bool, actor_id: str, automation: bool
) -> tuple[WriteResult, str | None]:
    """Write new contacts, or with `existing_error` off the existing ones.

    Returns the outcome, and the job by which the contacts that were overwritten can be restored.
    """
    common: Any = {"actor_id": actor_id, "automation": automation}
    if existing_error:
        return write_contacts(schema, rows, existing="error", **common), None
    source = Source.bulk_job(new_id())
    written = write_contacts(schema, rows, existing="update", source=source, **common)
    return written, record_change(source, CONTACT, **common) if written.updated else None


def _read_one(
    schema: ContactSchema,
    form_data: Values,
    *,
    drop_invalid: bool = False,
    allow_missing: bool = False,
    current: Values | None = None,
) -> tuple[ContactRow, list[ValueProblem]]:
    """Read a formData (an update when `current` is given) and check its references.

    Returns the row and the problems of values that were left out. Raises the first problem by its name.
    """
    row, problems = schema.read(
        form_data, drop_invalid=drop_invalid, partial=current is not None, current=current, exists=allow_missing
    )
    if row is not None:
        dangling = schema.check_references([row], drop_invalid=drop_invalid).get(0, [])
        problems = [*problems, *dangling]
        if drop_invalid or not dangling:
            return row, problems
    raise problems_error(problems)


def create_contacts(
    *,
    actor_id: str,
    items: Sequence[Any],
    tag_ids: Sequence[str] = (),
    category_id: str | None = None,
    organization_id: str | None = None,
    owner_id: str | None = None,
    existing_error: bool = True,
    drop_invalid: bool = False,
    all_or_none: bool = False,
    automation: bool = True,
    may_read: bool = False,
) -> BulkResult:
    """Create up to 500 contacts, each on its own: an invalid one is reported and does not affect the others.

    With `all_or_none` the first one that fails refuses all, by its error. `drop_invalid` and `may_read` are those of
    create_contact. Contacts beyond the plan's limit fail.

    Raises InvalidPayload_400 for more than 500, and ContactDataRequired_400 for none. Raises TagNotFound_400,
    ContactCategoryNotFound_400, OrganizationNotFound_400, MemberNotFound_404 and MemberNotAccepted_400 for shared
    values.
    """
    if not items:
        raise NamedError("ContactDataRequired_400", "needs an array of at least one contact", field="formData")
    if len(items) > MAX_BULK:
        raise NamedError(
            "InvalidPayload_400", f"has {len(items)} contacts, at most {MAX_BULK} go in one request", field="formData"
        )
    # One transaction, as rows of one body may collide with each other.
    with transaction.atomic():
        schema, result = ContactSchema.load(), BulkResult()
        check_tags(tag_ids=tag_ids, category_ids=[category_id] if category_id else [])
        check_organization(organization_id)
        shared = ContactRow(tag_ids=tag_ids, category_id=category_id)
        shared.system[ORGANIZATION] = organization_id
        shared.system[OWNER] = check_owner(owner_id)
        rows = []
        for index, item in enumerate(items):
            row, problems = _read_item(schema, item, index, shared, drop_invalid)
            result.errors += [(index, problem) for problem in problems]
            if row is None:
                result.failed.append(Failure(index, item, problems[0].name, explain(problems)))
            else:
                rows.append(row)
        rows = _drop_dangling(schema, rows, items, result, drop_invalid)
        name_employers(schema, rows)
        written, job = _write(schema, rows, existing_error, actor_id, automation)
        result.job = job
        _report(written, items, result, may_read)
        if all_or_none:
            result.refuse_failed()
    return result


def _read_item(
    schema: ContactSchema, item: Any, index: int, shared: ContactRow, drop_invalid: bool
) -> tuple[ContactRow | None, list[ValueProblem]]:
    """Read an item's formData, which may have tags, a category, an organization and an owner of its own."""
    if not isinstance(item, dict):
        return None, [
            ValueProblem("formData", "InvalidPayload_400", "each contact is an object of field keys and values")
        ]
    values = dict(item)
    tags = values.pop("tags", None)
    categories = [values.pop(name) for name in ("category", "contactcategories", "contactCategory") if name in values]
    category = next((value for value in categories if value), None)
    organization = values.pop("organization", None)
    owner = values.pop("owner", None)
    if tags is not None and not (isinstance(tags, list) and all(is_id(tag) for tag in tags)):
        return None, [ValueProblem("tags", "TagNotFound_400", "needs an array of tag ids")]
    if category is not None and not is_id(category):
        return None, [ValueProblem("category", "ContactCategoryNotFound_400", "needs the id of a contact category")]
    if organization is not None and not is_id(organization):
        problem = ValueProblem("organization", "OrganizationNotFound_400", "needs the id of an organization")
        return None, [problem]
    if owner is not None and not is_id(owner):
        return None, [ValueProblem("owner", "MemberNotFound_404", "needs the id of a member")]
    row, problems = schema.read(values, drop_invalid=drop_invalid, index=index)
    if row is not None:
        row.tag_ids = shared.tag_ids if tags is None else list(dict.fromkeys(tags))
        row.category_id = category or shared.category_id
        for column, id in ((ORGANIZATION, organization), (OWNER, owner)):
            if id or shared.system[column]:
                row.system[column] = id or shared.system[column]
    return row, problems


def _drop_dangling(
    schema: ContactSchema, rows: list[ContactRow], items: Sequence[Any], result: BulkResult, drop_invalid: bool
) -> list[ContactRow]:
    """Drop the rows that name tags, categories, organizations, owners, members or files which the company lacks."""
    no_tags = set(missing_tags(tag for row in rows for tag in row.tag_ids or ()))
    no_owners = owner_problems(row.system.get(OWNER) for row in rows)
    no_categories = set(missing_categories(row.category_id for row in rows if row.category_id))
    no_organizations = missing_organizations(row.system.get(ORGANIZATION) for row in rows)
    dangling = schema.check_references(rows, drop_invalid=drop_invalid)
    kept = []
    for position, row in enumerate(rows):
        bad = dangling.get(position, [])
        absent = [_missing("tag", "TagNotFound_400", tag) for tag in row.tag_ids or () if tag in no_tags]
        if row.category_id in no_categories:
            absent.append(_missing("category", "ContactCategoryNotFound_400", row.category_id))
        if row.system.get(ORGANIZATION) in no_organizations:
            absent.append(_missing("organization", "OrganizationNotFound_400", row.system[ORGANIZATION]))
        if row.system.get(OWNER) in no_owners:
            absent.append(no_owners[row.system[OWNER]])
        result.errors += [(row.index, problem) for problem in (*absent, *bad)]
        fatal = absent if drop_invalid else [*absent, *bad]
        if fatal:
            result.failed.append(Failure(row.index, items[row.index], fatal[0].name, explain(fatal)))
        else:
            kept.append(row)
    return kept


def check_organization(id: str | None) -> None:
    """Raise OrganizationNotFound_400 if the company has no such live organization."""
    if missing_organizations([id]):
        raise problems_error([_missing("organization", "OrganizationNotFound_400", id)])


def _missing(kind: str, name: str, id: str | None) -> ValueProblem:
    return ValueProblem("tags" if kind == "tag" else kind, name, f"there is no {kind} {id} in this company")


def _report(written: WriteResult, items: Sequence[Any], result: BulkResult, may_read: bool) -> None:
    result.created = [id for _, id in sorted(written.created)]
    result.updated = list(dict.fromkeys(id for _, id in sorted(written.updated)))
    errors = collision_errors(written.collided, may_read=may_read)
    for collision, error in zip(written.collided, errors, strict=True):
        result.failed.append(Failure(collision.index, items[collision.index], error.name, error.detail))
        problem = ValueProblem(collision.field, error.name, message_of(error.errors[0]))
        result.errors.append((collision.index, problem))
    for index in written.refused:
        error = quota_exceeded("contact")
        result.failed.append(Failure(index, items[index], error.name, error.detail))
    result.failed.sort(key=lambda failure: failure.index)
    result.errors.sort(key=lambda error: error[0])


def update_contact(
    *,
    id: str,
    actor_id: str,
    form_data: Values,
    tag_ids: Sequence[str] | None = None,
    category_id: str | None | type[UNSET] = UNSET,
    organization_id: str | None | type[UNSET] = UNSET,
    owner_id: Owner = UNSET,
    automation: bool = True,
    unchanged_since: str | None = None,
    may_read: bool = False,
) -> BulkJob | None:
    """Change the given values of a live contact. Null or empty text clears a value.

    `tag_ids` replaces its tags, a category, organization or owner of None is removed. With `unchanged_since`, an
    updatedAt, it raises RecordChanged_409 if the contact has another one. `may_read` allows the error to name the
    person who has a number already. Returns the job that can undo the change, None without a difference.

    Raises ContactNotFound_400, CannotUpdateUniqueKey_400 (cleared), ContactAlreadyExists_400 (taken), and the errors of
    create_contact for values.
    """
    change: JsonObject = {"formData": dict(form_data), "updateType": "set"}
    change |= {} if tag_ids is None else {"tags": list(tag_ids)}
    change |= {} if category_id is UNSET else {"category": category_id}
    change |= {} if organization_id is UNSET else {"organization": organization_id}
    change |= {} if owner_id is UNSET else {"owner": owner_id}
    job = new_job(CONTACT, UPDATE, actor_id=actor_id, selection={"ids": [id]}, change=change, automation=automation)
    # The journal of the job and the change commit together, or undo would miss the change.
    with transaction.atomic():
        changed = change_contact(
            id=id,
            actor_id=actor_id,
            form_data=form_data,
            tag_ids=tag_ids,
            category_id=category_id,
            organization_id=organization_id,
            owner_id=owner_id,
            automation=automation,
            source=Source.bulk_job(job.pk),
            unchanged_since=unchanged_since,
            may_read=may_read,
        )
        return complete(job, 1, changed)


def change_contact(
    *,
    id: str,
    actor_id: str,
    form_data: Values,
    source: Source,
    tag_ids: Sequence[str] | None = None,
    category_id: str | None | type[UNSET] = UNSET,
    organization_id: str | None | type[UNSET] = UNSET,
    owner_id: Owner = UNSET,
    automation: bool = True,
    unchanged_since: str | None = None,
    may_read: bool = False,
) -> int:
    """Change a contact as update_contact does, journaled for `source`. Return the number of changed contacts, 0 or
    1."""
    with transaction.atomic():
        schema = ContactSchema.load()
        lock_unique_key(schema, many=False)
        # NO KEY UPDATE: leads that refer to the contact can be created at the same time.
        current = (
            Contact.objects.filter(pk=id, is_deleted=False)
            .select_for_update(of=("self",), no_key=True)
            .values(*CONTACT.state_columns, "updated_at", "custom")
            .first()
        )
        if current is None:
            raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="id")
        refuse_changed(current.pop("updated_at"), unchanged_since)
        _refuse_emptied_key(schema, form_data, current)
        new_values = without_held(schema, form_data, current, current.pop("custom"))
        if not new_values.keys().isdisjoint(PHONE_PARTS):  # a number is read with its prefix
            new_values |= {key: form_data[key] for key in PHONE_PARTS if key in form_data}
        row, _ = _read_one(schema, new_values, current=current)
        check_tags(tag_ids=tag_ids or (), category_ids=[category_id] if isinstance(category_id, str) else [])
        row.tag_ids = tag_ids
        row.category_id = None if category_id is UNSET else category_id or ""  # type: ignore[assignment]
        if organization_id is not UNSET:
            organization = organization_id if isinstance(organization_id, str) else None
            check_organization(organization)
            row.system[ORGANIZATION] = organization
            name_employers(schema, [row])
        if owner_id is not UNSET:
            row.system[OWNER] = check_owner(owner_id)
        outcome = update_contacts(
            schema, [(id, row)], actor_id=actor_id, automation=automation, tags="replace", source=source
        )
        if outcome.collided:
            taken = outcome.collided[0]
            if may_read and taken.field == "number":
                shown = {**current, **row.system}
                taken = taken._replace(person=describe_person(shown["name"], shown["email"]))
            raise collision_errors([taken], may_read=may_read)[0]
        return len(outcome.changed)


def _refuse_emptied_key(schema: ContactSchema, form_data: Values, current: Values) -> None:
    """Refuse to empty a required part of the contact's unique key, or all of it."""
    held = {part for part in KEY_PARTS[schema.unique_key] if current["email" if part == "email" else "contact_number"]}
    emptied_keys = {
        key
        for key in ("email", "countryCode", "number")
        if key in form_data and str(form_data[key] or "").strip() == ""
    }
    if "countryCode" in emptied_keys and form_data.get("number"):
        emptied_keys.discard("countryCode")  # the number may bring its own prefix
    emptied = {part for part in held if part in emptied_keys or (part == "number" and "countryCode" in emptied_keys)}
    if emptied and (emptied == held or emptied_keys & set(schema.required_system)):
        raise NamedError(
            "CannotUpdateUniqueKey_400", "makes the contact unique and cannot be emptied", field=sorted(emptied)
        )


@transaction.atomic
def set_unique_key(value: str) -> None:
    """Set the unique key of the active company's contacts. Raises UniqueKeyInvalid_400 when live contacts share a
    value."""
    if value not in KEY_PARTS:
        raise NamedError(
            "UniqueKeyInvalid_400",
            f"one of {', '.join(KEY_PARTS)}, not {shorten(value, 40)!r}",
            field="contactUniqueKey",
        )
    require_all_records()
    rewrite_keys(value, KEY_PARTS[value])
