"""Use cases of organizations: create, update, create up to 500 at once, bulk update and bulk delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from core.access.quota import lock_company
from core.errors import NamedError
from core.ids import is_id
from core.lists import BulkSelection
from core.types import JsonObject, Values
from crm.bulk_jobs.changes import DELETE, UPDATE, Outcome, change_many, complete, new_job
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob
from crm.organizations.kind import ORGANIZATION
from crm.organizations.models import Organization
from crm.organizations.names import name_key
from crm.organizations.schema import OrganizationSchema
from crm.organizations.selectors import live_organizations
from crm.organizations.writer import insert_organizations, update_organizations
from crm.records.problems import ValueProblem, explain
from crm.records.results import MAX_BULK, UNSET, BulkResult, Failure, Saved
from crm.records.schema import RecordRow
from crm.records.types import Apply
from crm.records.writes.bulk_change import apply_change, plan_change
from crm.records.writes.updates import refuse_changed, without_held
from crm.tags.services import check_tags, missing_tags
from crm.teams.owners import OWNER, Owner, check_owner, owner_problems


@transaction.atomic
def create_organization(
    *,
    actor_id: str,
    form_data: Values,
    tag_ids: Sequence[str] = (),
    owner_id: str | None = None,
    drop_invalid: bool = False,
    reuse: bool = False,
    automation: bool = True,
) -> Saved:
    """Create an organization. With `reuse` the oldest one with this name is returned as it is, if there is one.

    Raises OrganizationDataRequired_400, InvalidCustomField_400, InvalidCustomFieldValue_400 and InvalidSystemField_400
    (every problem in the warning). Raises TagNotFound_400, MemberNotFound_404 and MemberNotAccepted_400.
    """
    schema = OrganizationSchema.load()
    row, problems = schema.read_record(form_data, drop_invalid=drop_invalid)
    _put_references(row, tag_ids, owner_id)
    if reuse:
        # Whoever comes second waits for the first one, and finds its organization.
        lock_company("organizations")
        same = live_organizations().filter(name_key=name_key(row.system["name"]), name__iexact=row.system["name"])
        if existing := same.order_by("pk").first():
            return Saved(existing.pk, problems)
    (id,) = insert_organizations(schema, [row], actor_id=actor_id, automation=automation)
    return Saved(id, problems)


@transaction.atomic
def create_organizations(
    *,
    actor_id: str,
    items: Sequence[Any],
    tag_ids: Sequence[str] = (),
    owner_id: str | None = None,
    drop_invalid: bool = False,
    all_or_none: bool = False,
    automation: bool = True,
) -> BulkResult:
    """Create up to 500 organizations, each on its own: an invalid one is reported and does not affect the others.

    With `all_or_none` the first one that fails refuses all, by its error. Raises InvalidPayload_400 for more than 500,
    and OrganizationDataRequired_400 for none. Raises the errors of create_organization for shared references.
    """
    if not items:
        raise NamedError(
            "OrganizationDataRequired_400", "needs an array of at least one organization", field="formData"
        )
    if len(items) > MAX_BULK:
        raise NamedError(
            "InvalidPayload_400",
            f"has {len(items)} organizations, at most {MAX_BULK} go in one request",
            field="formData",
        )
    schema = OrganizationSchema.load()
    result = BulkResult()
    check_tags(tag_ids=tag_ids)
    shared = RecordRow(tag_ids=tag_ids, system={OWNER: owner_id})
    check_owner(owner_id)
    rows = []
    for index, item in enumerate(items):
        row, problems = _read_item(schema, item, index, shared, drop_invalid)
        result.errors += [(index, problem) for problem in problems]
        if row is None:
            result.failed.append(Failure(index, item, problems[0].name, explain(problems)))
        else:
            rows.append(row)
    rows = _drop_dangling(schema, rows, items, result, drop_invalid)
    result.created = insert_organizations(schema, rows, actor_id=actor_id, automation=automation)
    result.failed.sort(key=lambda failure: failure.index)
    result.errors.sort(key=lambda error: error[0])
    if all_or_none:
        result.refuse_failed()
    return result


def _read_item(
    schema: OrganizationSchema, item: Any, index: int, shared: RecordRow, drop_invalid: bool
) -> tuple[RecordRow | None, list[ValueProblem]]:
    """Read an item's formData, which may have tags and an owner of its own."""
    if not isinstance(item, dict):
        problem = "each organization is an object of field keys and values"
        return None, [ValueProblem("formData", "InvalidPayload_400", problem)]
    values = dict(item)
    tags = values.pop("tags", None)
    owner = values.pop("owner", None)
    if tags is not None and not (isinstance(tags, list) and all(is_id(tag) for tag in tags)):
        return None, [ValueProblem("tags", "TagNotFound_400", "needs an array of tag ids")]
    if owner is not None and not is_id(owner):
        return None, [ValueProblem("owner", "MemberNotFound_404", "needs the id of a member")]
    row, problems = schema.read(values, drop_invalid=drop_invalid, index=index)
    if row is not None:
        row.tag_ids = shared.tag_ids if tags is None else list(dict.fromkeys(tags))
        row.system[OWNER] = owner or shared.system[OWNER]
    return row, problems


def _drop_dangling(
    schema: OrganizationSchema, rows: list[RecordRow], items: Sequence[Any], result: BulkResult, drop_invalid: bool
) -> list[RecordRow]:
    """Drop the rows that name tags, owners, members or files which the company lacks."""
    no_tags = set(missing_tags(tag for row in rows for tag in row.tag_ids or ()))
    no_owners = owner_problems(row.system[OWNER] for row in rows)
    dangling = schema.check_references(rows, drop_invalid=drop_invalid)
    kept = []
    for position, row in enumerate(rows):
        absent = [_no_tag(tag) for tag in row.tag_ids or () if tag in no_tags]
        if row.system[OWNER] in no_owners:
            absent.append(no_owners[row.system[OWNER]])
        bad = dangling.get(position, [])
        result.errors += [(row.index, problem) for problem in (*absent, *bad)]
        fatal = absent if drop_invalid else [*absent, *bad]
        if fatal:
            result.failed.append(Failure(row.index, items[row.index], fatal[0].name, explain(fatal)))
        else:
            kept.append(row)
    return kept


def _no_tag(id: str) -> ValueProblem:
    return ValueProblem("tags", "TagNotFound_400", f"there is no tag {id} in this company")


def _put_references(row: RecordRow, tag_ids: Sequence[str] | None, owner_id: Owner) -> None:
    """Put the tags and the owner into the row. Raises the error of one that the company lacks."""
    check_tags(tag_ids=tag_ids or ())
    row.tag_ids = tag_ids
    if owner_id is not UNSET:
        row.system[OWNER] = check_owner(owner_id)


@transaction.atomic
def update_organization(
    *,
    id: str,
    actor_id: str,
    form_data: Values,
    tag_ids: Sequence[str] | None = None,
    owner_id: Owner = UNSET,
    automation: bool = True,
    unchanged_since: str | None = None,
) -> BulkJob | None:
    """Change the given values of a live organization. Null or empty text clears a value, tags replace its tags.

    With `unchanged_since`, an updatedAt, it raises RecordChanged_409 if the organization has another one. Returns the
    job that can undo the change, None without a difference. Raises OrganizationNotFound_400, and the errors of
    create_organization for values.
    """
    change: JsonObject = {"formData": dict(form_data), "updateType": "set"}
    change |= {} if tag_ids is None else {"tags": list(tag_ids)}
    change |= {} if owner_id is UNSET else {"owner": owner_id}
    job = new_job(
        ORGANIZATION, UPDATE, actor_id=actor_id, selection={"ids": [id]}, change=change, automation=automation
    )
    schema = OrganizationSchema.load()
    # NO KEY UPDATE: contacts that refer to the organization can be created at the same time.
    current = (
        Organization.objects.filter(pk=id, is_deleted=False)
        .select_for_update(of=("self",), no_key=True)
        .values(*ORGANIZATION.state_columns, "updated_at", "custom")
        .first()
    )
    if current is None:
        raise ORGANIZATION.missing("id", id)
    refuse_changed(current.pop("updated_at"), unchanged_since)
    row, _ = schema.read_record(without_held(schema, form_data, current, current.pop("custom")), partial=True)
    _put_references(row, tag_ids, owner_id)
    outcome = update_organizations(
        schema,
        [(id, row)],
        actor_id=actor_id,
        automation=automation,
        tags="replace",
        source=Source.bulk_job(job.pk),
    )
    return complete(job, 1, len(outcome.changed))


def update_many(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Values,
    update_type: str = "set",
    tag_ids: Sequence[str] | None = None,
    owner_id: Owner = UNSET,
    automation: bool = True,
) -> Outcome:
    """Apply one change set to the selected live organizations, or leave it to a job.

    Raises CannotUpdateUniqueKey_400 (a name), InvalidPayload_400, the errors of create_organization for values, and
    OrganizationNotFound_400 when ids name none.
    """
    change: JsonObject = {"formData": dict(form_data), "updateType": update_type}
    change |= {} if tag_ids is None else {"tags": list(tag_ids)}
    change |= {} if owner_id is UNSET else {"owner": owner_id}
    return change_many(
        ORGANIZATION, UPDATE, actor_id=actor_id, selection=selection, change=change, automation=automation
    )


def delete_organizations(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> Outcome:
    """Flag the selected live organizations as deleted, or leave it to a job. Contacts and leads keep them.

    Raises OrganizationNotFound_400 when ids name none.
    """
    return change_many(ORGANIZATION, DELETE, actor_id=actor_id, selection=selection, automation=automation)


def prepare_change(actor_id: str | None, payload: Values) -> Apply:
    """Read a bulk change of organizations (RecordType.prepare)."""
    schema = OrganizationSchema.load()
    tags = payload.get("tags")
    owner = payload.get("owner", UNSET)
    update_type = payload["updateType"]
    if "name" in payload["formData"]:
        raise NamedError(
            "CannotUpdateUniqueKey_400",
            "tells organizations apart and cannot be changed for many at once",
            field="name",
        )
    references = RecordRow()
    _put_references(references, tags, owner)
    change = plan_change(schema, payload["formData"], update_type, tags)
    if owner is not UNSET:
        if update_type in ("append", "remove"):
            raise NamedError(
                "InvalidPayload_400",
                f"an organization has one, so that there is nothing to {update_type}; use updateType set",
                field="owner",
            )
        change.columns[OWNER] = references.system[OWNER] if update_type == "set" else None
    if change.empty:
        raise NamedError("InvalidPayload_400", "name at least one value, tag or owner to change", field="formData")
    return lambda ids: apply_change(schema, change, ids, actor_id)
