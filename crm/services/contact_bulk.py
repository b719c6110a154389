"""One change, or deletion, of many contacts: the same for all, by set-based statements in batches, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import Named
from core.events import emit
from core.lists import BulkSelection, in_batches
from crm.fields.base import MAX_ITEMS
from crm.models import Contact
from crm.services.contact_keys import lock_unique_key
from crm.services.contact_schema import SYSTEM_COLUMNS, ContactSchema
from crm.services.contacts import KEY_PARTS, UNSET, explain
from crm.services.labels import check_labels
from crm.services.record_schema import BAD_CUSTOM, BAD_SYSTEM, UNKNOWN
from crm.services.record_values import add_tags, add_values, remove_other_tags

UPDATE_TYPES = ("set", "append", "remove", "clear")

APPENDED = """coalesce(custom -> %(key)s, '[]') || (
    SELECT coalesce(jsonb_agg(item ORDER BY place), '[]')
    FROM jsonb_array_elements(%(items)s::jsonb) WITH ORDINALITY AS new (item, place)
    WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(coalesce(custom -> %(key)s, '[]')) AS old (item) WHERE old.item = new.item))"""
REMOVED = """(
    SELECT coalesce(jsonb_agg(item ORDER BY place), '[]')
    FROM jsonb_array_elements(custom -> %(key)s) WITH ORDINALITY AS old (item, place)
    WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(%(items)s::jsonb) AS gone (item) WHERE gone.item = old.item))"""
CHANGE_ITEMS = """
UPDATE crm_contact
SET updated_at = %(now)s, updated_by_id = %(actor)s,
    custom = CASE WHEN changed.items = '[]' THEN custom - %(key)s ELSE jsonb_set(custom, ARRAY[%(key)s], changed.items) END
FROM (
    SELECT id AS changed_id, {items} AS items FROM crm_contact WHERE id = ANY(%(ids)s) AND (%(append)s OR custom ? %(key)s)
) AS changed
WHERE id = changed_id AND changed.items IS DISTINCT FROM coalesce(custom -> %(key)s, '[]')
RETURNING id, changed.items::text
"""


@dataclass(slots=True)
class Change:
    """What to do to every selected contact."""

    system: dict[str, Any] = field(default_factory=dict)
    """Column -> value."""
    custom: dict[str, Any] = field(default_factory=dict)
    """uniqueFieldID -> value; None empties."""
    append: dict[str, list[Any]] = field(default_factory=dict)
    remove: dict[str, list[Any]] = field(default_factory=dict)
    category_id: str | None | type[UNSET] = UNSET
    tags: str = ""
    """"" (leave), set, append or remove."""
    tag_ids: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        return not (self.system or self.custom or self.append or self.remove or self.tags) and self.category_id is UNSET


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
            updated += _apply(schema, change, ids, actor_id, automation)
        _refuse_nothing(selection, matched)
        return matched, updated


def delete_contacts(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Flag the selected live contacts as deleted; returns how many there were. ContactNotFound_400 when ids name none."""
    with transaction.atomic():
        deleted = 0
        for ids in in_batches(_live(selection), lock=True):
            now = timezone.now()
            Contact.objects.filter(pk__in=ids).update(is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=actor_id)
            emit("contact.deleted", ids, actor_id=actor_id, automation=automation)
            deleted += len(ids)
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
    if update_type not in UPDATE_TYPES:
        raise Named("InvalidPayload_400", f"updateType: one of {', '.join(UPDATE_TYPES)}")
    unknown = [key for key in form_data if key not in SYSTEM_COLUMNS and key not in schema.fields]
    if unknown:
        raise Named(UNKNOWN, f"{unknown[0]}: there is no such field")
    _refuse_unique_key(schema, form_data)
    change = Change(category_id=category_id)
    if update_type == "set":
        _plan_set(schema, form_data, change)
    elif update_type == "clear":
        _plan_clear(schema, form_data, change)
        change.category_id = UNSET if category_id is UNSET else None
    else:
        _plan_items(schema, form_data, update_type, change)
    if tag_ids is not None:
        change.tags = "set" if update_type == "clear" else update_type
        change.tag_ids = () if update_type == "clear" else tag_ids
    return change


def _refuse_unique_key(schema: ContactSchema, form_data: Mapping[str, Any]) -> None:
    """Contacts that share what makes them unique would be one."""
    parts = set(KEY_PARTS[schema.unique_key])
    if "number" in parts:
        parts.add("countryCode")
    touched = sorted(parts & set(form_data))
    if touched:
        raise Named("CannotUpdateUniqueKey_400", f"{', '.join(touched)}: makes contacts unique and cannot be changed for many at once")


def _plan_set(schema: ContactSchema, form_data: Mapping[str, Any], change: Change) -> None:
    row, problems = schema.read(form_data, partial=True)
    if row is None:
        raise Named(problems[0].name, explain(problems))
    dangling = schema.check_references([row]).get(0)
    if dangling:
        raise Named(dangling[0].name, explain(dangling))
    if row.system.get("country_code") and "number" not in row.system:
        raise Named(BAD_SYSTEM, "countryCode: changes together with number only")
    change.system, change.custom = row.system, row.custom


def _plan_clear(schema: ContactSchema, form_data: Mapping[str, Any], change: Change) -> None:
    required = [key for key in form_data if key in schema.required_system or key in schema.required_custom]
    if required:
        raise Named(BAD_SYSTEM if required[0] in SYSTEM_COLUMNS else BAD_CUSTOM, f"{required[0]}: is required and cannot be empty")
    for key in form_data:
        if key not in SYSTEM_COLUMNS:
            change.custom[key] = None
        elif key == "name":
            change.system["name"] = ""
        elif key == "email":
            change.system["email"] = None
        else:
            change.system.update(number=None, contact_number=None, country_code=None)


def _plan_items(schema: ContactSchema, form_data: Mapping[str, Any], update_type: str, change: Change) -> None:
    if change.category_id is not UNSET:
        raise Named("InvalidPayload_400", f"category: a contact has one, so that there is nothing to {update_type}; use updateType set")
    for key, value in form_data.items():
        spec = schema.fields.get(key)
        if spec is None or not spec.many:
            raise Named(BAD_SYSTEM if spec is None else BAD_CUSTOM, f"{key}: only tags and fields with several values take {update_type}")
        row, problems = schema.read({key: value if isinstance(value, list) else [value]}, partial=True)
        if row is None or row.custom.get(key) is None:
            raise Named(BAD_CUSTOM, explain(problems) or f"{key}: needs at least one item")
        dangling = schema.check_references([row]).get(0)
        if dangling and update_type == "append":
            raise Named(dangling[0].name, explain(dangling))
        getattr(change, update_type)[key] = row.custom[key]


def _apply(schema: ContactSchema, change: Change, ids: list[str], actor_id: str, automation: bool) -> int:
    """Change one batch; returns how many contacts are different now."""
    changed = _set_columns(schema, change, ids, actor_id)
    for key, items in change.append.items():
        changed |= _change_items(schema, key, items, ids, actor_id, append=True)
    for key, items in change.remove.items():
        changed |= _change_items(schema, key, items, ids, actor_id, append=False)
    labelled = _change_tags(schema, change, ids) - changed
    if labelled:
        Contact.objects.filter(pk__in=labelled).update(updated_at=timezone.now(), updated_by_id=actor_id)
    touched = sorted(changed | labelled)
    if touched:
        payload = {"changes": _told(change)}
        emit("contact.updated", touched, payloads=dict.fromkeys(touched, payload), actor_id=actor_id, automation=automation)
    return len(touched)


def _told(change: Change) -> dict[str, Any]:
    """The change as an event tells it."""
    keys = {column: key for key, column in SYSTEM_COLUMNS.items()} | {"contact_number": "contactNumber"}
    told: dict[str, Any] = {keys[column]: {"to": value} for column, value in change.system.items()}
    told |= {key: {"to": value} for key, value in change.custom.items()}
    told |= {key: {"added": items} for key, items in change.append.items()} | {
        key: {"removed": items} for key, items in change.remove.items()
    }
    if change.category_id is not UNSET:
        told["category"] = {"to": change.category_id}
    if change.tags:
        told["tags"] = {{"set": "to", "append": "added", "remove": "removed"}[change.tags]: list(change.tag_ids)}
    return told


def _set_columns(schema: ContactSchema, change: Change, ids: list[str], actor_id: str) -> set[str]:
    """The values that are the same for all, in one statement; returns the contacts that had others."""
    columns = dict(change.system)
    if change.category_id is not UNSET:
        columns["category_id"] = change.category_id
    wanted: list[tuple[str, str, list[Any]]] = [(column, "%s", [value]) for column, value in columns.items()]
    given = {key: value for key, value in change.custom.items() if value is not None}
    if change.custom:
        emptied = [key for key in change.custom if key not in given]
        wanted.append(("custom", "(custom || %s::jsonb) - %s::text[]", [orjson.dumps(given).decode(), emptied]))
    if not wanted:
        return set()
    assignments = ", ".join(f"{column} = {expression}" for column, expression, _ in wanted)
    different = " OR ".join(f"{column} IS DISTINCT FROM {expression}" for column, expression, _ in wanted)
    values = [value for *_, part in wanted for value in part]
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE crm_contact SET {assignments}, updated_at = %s, updated_by_id = %s WHERE id = ANY(%s) AND ({different}) RETURNING id",
            [*values, timezone.now(), actor_id, ids, *values],
        )
        changed = {id for (id,) in cursor.fetchall()}
    if change.custom:
        _replace_values(schema, list(change.custom), dict.fromkeys(changed, given))
    return changed


def _change_items(schema: ContactSchema, key: str, items: list[Any], ids: list[str], actor_id: str, *, append: bool) -> set[str]:
    """Add items to a field with several values, or take them away; returns the contacts that are different now."""
    with connection.cursor() as cursor:
        cursor.execute(
            CHANGE_ITEMS.format(items=APPENDED if append else REMOVED),
            {"key": key, "items": orjson.dumps(items).decode(), "ids": ids, "append": append, "now": timezone.now(), "actor": actor_id},
        )
        values = {id: {key: orjson.loads(found)} for id, found in cursor.fetchall()}
    if any(len(value[key]) > MAX_ITEMS for value in values.values()):
        raise Named(BAD_CUSTOM, f"{key}: a contact would have more than {MAX_ITEMS} items")
    _replace_values(schema, [key], values)
    return set(values)


def _replace_values(schema: ContactSchema, keys: Sequence[str], values: Mapping[str, Mapping[str, Any]]) -> None:
    """The typed rows of the fields `keys`, for the contacts and values given."""
    if not values:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM crm_customfieldvalue WHERE contact_id = ANY(%s) AND field_id = ANY(%s)",
            [list(values), [schema.fields[key].id for key in keys]],
        )
    add_values(schema, values.items())


def _change_tags(schema: ContactSchema, change: Change, ids: list[str]) -> set[str]:
    if not change.tags:
        return set()
    if change.tags == "remove":
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM crm_contacttag WHERE contact_id = ANY(%s) AND tag_id = ANY(%s) RETURNING contact_id",
                [ids, list(change.tag_ids)],
            )
            return {id for (id,) in cursor.fetchall()}
    lost = remove_other_tags(dict.fromkeys(ids, change.tag_ids)) if change.tags == "set" else set()
    return lost | add_tags(schema.company_id, [(id, tag) for id in ids for tag in change.tag_ids])
