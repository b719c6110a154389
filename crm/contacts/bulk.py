"""Bulk changes and deletions of contacts (crm.bulk_jobs.changes)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.errors import NamedError
from core.lists import BulkSelection
from core.types import JsonObject, Values
from crm.bulk_jobs.changes import DELETE, UPDATE, Outcome, change_many
from crm.contacts.employment import MATCH, name_employers, prepare_match
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactRow, ContactSchema, refuse_lone_prefix
from crm.contacts.services import KEY_PARTS, check_organization
from crm.contacts.unique_key import lock_unique_key
from crm.records.results import UNSET
from crm.records.types import Apply
from crm.records.writes.bulk_change import Change, apply_change, plan_change
from crm.tags.services import check_tags
from crm.teams.owners import Owner, check_owner


def update_many(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Values,
    update_type: str = "set",
    tag_ids: Sequence[str] | None = None,
    category_id: str | None | type[UNSET] = UNSET,
    organization_id: str | None | type[UNSET] = UNSET,
    owner_id: Owner = UNSET,
    automation: bool = True,
) -> Outcome:
    """Apply one change set to the selected live contacts, or leave it to a job.

    `set` gives all the values. `append` and `remove` change tags and fields with several values. `clear` empties the
    fields named in form_data, and tags, category, organization or owner when they are given.

    Raises CannotUpdateUniqueKey_400, InvalidCustomField_400, InvalidCustomFieldValue_400 and InvalidSystemField_400.
    Raises InvalidPayload_400, TagNotFound_400, ContactCategoryNotFound_400, OrganizationNotFound_400 and
    ContactNotFound_400. Raises MemberNotFound_404 and MemberNotAccepted_400.
    """
    change: JsonObject = {"formData": dict(form_data), "updateType": update_type}
    if tag_ids is not None:
        change["tags"] = list(tag_ids)
    if category_id is not UNSET:
        change["category"] = category_id
    if organization_id is not UNSET:
        change["organization"] = organization_id
    if owner_id is not UNSET:
        change["owner"] = owner_id
    return change_many(CONTACT, UPDATE, actor_id=actor_id, selection=selection, change=change, automation=automation)


def delete_contacts(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> Outcome:
    """Flag the selected live contacts as deleted, or leave it to a job.

    Raises ContactNotFound_400 when ids name none.
    """
    return change_many(CONTACT, DELETE, actor_id=actor_id, selection=selection, automation=automation)


def prepare_change(actor_id: str | None, payload: Values) -> Apply:
    """Read a bulk change of contacts (RecordType.prepare)."""
    schema = ContactSchema.load()
    if MATCH in payload:
        return prepare_match(schema, actor_id, payload[MATCH])
    lock_unique_key(schema, many=True)
    tags, category = payload.get("tags"), payload.get("category", UNSET)
    check_tags(tag_ids=tags or (), category_ids=[category] if isinstance(category, str) else [])
    organization = payload.get("organization", UNSET)
    check_organization(organization if isinstance(organization, str) else None)
    owner = payload.get("owner", UNSET)
    check_owner(owner)
    references = {"category": category, "organization": organization, "owner": owner}
    change = _plan(schema, payload["formData"], payload["updateType"], tags, references)
    if change.empty:
        raise NamedError(
            "InvalidPayload_400",
            "name at least one value, tag, category, organization or owner to change",
            field="formData",
        )
    return lambda ids: apply_change(schema, change, ids, actor_id)


def _plan(
    schema: ContactSchema,
    form_data: Values,
    update_type: str,
    tag_ids: Sequence[str] | None,
    references: Mapping[str, str | None | type[UNSET]],
) -> Change:
    """Plan the change; `references` has a single reference of contacts -> its id, null to remove it, or UNSET."""
    _refuse_unique_key(schema, form_data)
    change = plan_change(schema, form_data, update_type, tag_ids)
    refuse_lone_prefix(change.columns)
    for name, id in references.items():
        if id is UNSET:
            continue
        if update_type in ("append", "remove"):
            raise NamedError(
                "InvalidPayload_400",
                f"a contact has one, so that there is nothing to {update_type}; use updateType set",
                field=name,
            )
        change.columns[f"{name}_id"] = id if update_type == "set" else None
    name_employers(schema, [ContactRow(system=change.columns, custom=change.custom)])
    return change


def _refuse_unique_key(schema: ContactSchema, form_data: Values) -> None:
    """Refuse to change parts of the unique key, since the contacts would become one."""
    parts = set(KEY_PARTS[schema.unique_key])
    if "number" in parts:
        parts.add("countryCode")
    touched = sorted(parts & set(form_data))
    if touched:
        raise NamedError(
            "CannotUpdateUniqueKey_400",
            "makes contacts unique and cannot be changed for many at once",
            field=touched,
        )
