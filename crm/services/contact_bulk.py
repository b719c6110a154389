"""One change, or deletion, of many contacts, in batches and in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from core.errors import Named
from core.events import emit
from core.lists import BulkSelection, in_batches
from crm.models import Contact
from crm.records import CONTACT
from crm.services.contact_keys import lock_unique_key
from crm.services.contact_schema import ContactSchema
from crm.services.contacts import KEY_PARTS, UNSET
from crm.services.labels import check_labels
from crm.services.record_bulk import Change, apply_change, delete_records, plan_change
from crm.services.record_schema import BAD_SYSTEM


def update_many(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Mapping[str, Any],
    update_type: str = "set",
    tag_ids: Sequence[str] | None = None,
    category_id: str | None | type[UNSET] = UNSET,
    automation: bool = True,
) -> tuple[int, int]:
    """Apply one change set to the selected live contacts; returns how many matched and how many are different now.

    `set` gives all the values, `append` and `remove` add to and take from tags and fields with several values, `clear` empties the fields
    named in form_data (and tags or category, when given). CannotUpdateUniqueKey_400, InvalidCustomField_400, InvalidCustomFieldValue_400,
    InvalidSystemField_400, InvalidPayload_400, TagNotFound_400, ContactCategoryNotFound_400, ContactNotFound_400.
    """
    with transaction.atomic():
        schema = ContactSchema.load()
        lock_unique_key(schema, many=True)
        check_labels(tag_ids=tag_ids or (), category_ids=[category_id] if isinstance(category_id, str) else [])
        change = _plan(schema, form_data, update_type, tag_ids, category_id)
        if change.empty:
            raise Named("InvalidPayload_400", "formData: name at least one value, tag or category to change")
        matched = updated = 0
        for ids in in_batches(_live(selection), lock=True):
            matched += len(ids)
            moved = apply_change(schema, change, ids, actor_id)
            payloads = {id: {"changes": found} for id, found in moved.items()}
            emit("contact.updated", sorted(moved), payloads=payloads, actor_id=actor_id, automation=automation)
            updated += len(moved)
        _refuse_nothing(selection, matched)
        return matched, updated


def delete_contacts(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Flag the selected live contacts as deleted; returns how many there were. ContactNotFound_400 when ids name none."""
    with transaction.atomic():
        deleted = delete_records(CONTACT, selection, actor_id=actor_id, event="contact.deleted", automation=automation)
        _refuse_nothing(selection, deleted)
        return deleted


def _live(selection: BulkSelection) -> QuerySet[Contact]:
    return selection.apply(Contact.objects.filter(is_deleted=False))


def _refuse_nothing(selection: BulkSelection, count: int) -> None:
    if not count and not selection.everything:
        raise Named("ContactNotFound_400", "ids: none of them is a contact of this company")


def _plan(
    schema: ContactSchema,
    form_data: Mapping[str, Any],
    update_type: str,
    tag_ids: Sequence[str] | None,
    category_id: str | None | type[UNSET],
) -> Change:
    _refuse_unique_key(schema, form_data)
    change = plan_change(schema, form_data, update_type, tag_ids)
    if change.columns.get("country_code") and "number" not in change.columns:
        raise Named(BAD_SYSTEM, "countryCode: changes together with number only")
    if category_id is not UNSET:
        if update_type in ("append", "remove"):
            raise Named("InvalidPayload_400", f"category: a contact has one, so that there is nothing to {update_type}; use updateType set")
        change.columns["category_id"] = category_id if update_type == "set" else None
    return change


def _refuse_unique_key(schema: ContactSchema, form_data: Mapping[str, Any]) -> None:
    """Contacts that share what makes them unique would be one."""
    parts = set(KEY_PARTS[schema.unique_key])
    if "number" in parts:
        parts.add("countryCode")
    touched = sorted(parts & set(form_data))
    if touched:
        raise Named("CannotUpdateUniqueKey_400", f"{', '.join(touched)}: makes contacts unique and cannot be changed for many at once")
