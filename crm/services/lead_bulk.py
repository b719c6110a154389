"""One change, or deletion, of many leads, in batches and in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.errors import Named
from core.events import emit
from core.lists import BulkSelection, in_batches
from crm.records import LEAD
from crm.selectors import live_leads
from crm.services.lead_references import missing_references
from crm.services.lead_schema import CONTACT_KEYS, LeadRow, LeadSchema
from crm.services.lead_updates import PRODUCTS
from crm.services.leads import NOT_FOUND, Relations
from crm.services.record_bulk import Change, Moved, apply_change, delete_records, plan_change
from crm.services.record_schema import BAD_SYSTEM, explain
from crm.services.record_updates import touch
from crm.services.record_values import add_links, remove_links, remove_other_links


def update_many(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Mapping[str, Any],
    update_type: str = "set",
    relations: Relations = Relations(),  # noqa: B008  immutable
    automation: bool = True,
) -> tuple[int, int]:
    """Apply one change set to the selected live leads; returns how many matched and how many are different now.

    As with contacts; `append` and `remove` also add products and take them away. InvalidSystemField_400 for values of contacts, and what
    plan_change and missing_references raise; LeadNotFound_400 when ids name none.
    """
    with transaction.atomic():
        schema = LeadSchema.load()
        row = LeadRow()
        relations.put_into(row)
        absent = missing_references([row]).get(0)
        if absent:
            raise Named(absent[0].name, explain(absent))
        change = _plan(schema, form_data, update_type, row)
        if change.empty and row.product_ids is None:
            raise Named("InvalidPayload_400", "formData: name at least one value, tag, product, team or member to change")
        matched = updated = 0
        for ids in in_batches(selection.apply(live_leads()), lock=True):
            matched += len(ids)
            moved = apply_change(schema, change, ids, actor_id)
            if row.product_ids is not None:
                _change_products(schema, list(row.product_ids), update_type, ids, moved, actor_id)
            payloads = {id: {"changes": found} for id, found in moved.items()}
            emit("lead.updated", sorted(moved), payloads=payloads, actor_id=actor_id, automation=automation)
            updated += len(moved)
        _refuse_nothing(selection, matched)
        return matched, updated


def delete_leads(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Flag the selected live leads as deleted; returns how many there were. LeadNotFound_400 when ids name none."""
    with transaction.atomic():
        deleted = delete_records(LEAD, selection, actor_id=actor_id, event="lead.deleted", automation=automation)
        _refuse_nothing(selection, deleted)
        return deleted


def _refuse_nothing(selection: BulkSelection, count: int) -> None:
    if not count and not selection.everything:
        raise Named(NOT_FOUND, "ids: none of them is a lead of this company")


def _plan(schema: LeadSchema, form_data: Mapping[str, Any], update_type: str, row: LeadRow) -> Change:
    foreign = [key for key in form_data if key in CONTACT_KEYS]
    if foreign:
        raise Named(BAD_SYSTEM, f"{', '.join(foreign)}: belongs to the leads' contacts; change it with PUT /contact")
    change = plan_change(schema, form_data, update_type, row.tag_ids)
    for column, name in (("team_id", "team"), ("team_member_id", "teamMember")):
        if column not in row.system:
            continue
        if update_type in ("append", "remove"):
            raise Named("InvalidPayload_400", f"{name}: a lead has one, so that there is nothing to {update_type}; use updateType set")
        change.columns[column] = row.system[column] if update_type == "set" else None
    return change


def _change_products(schema: LeadSchema, products: list[str], update_type: str, ids: list[str], moved: Moved, actor_id: str) -> None:
    """Give the leads products, or take them away; those that are different then are told in `moved`."""
    wanted = {"clear": []}.get(update_type, products)
    changed: set[str] = set()
    if update_type == "remove":
        changed = remove_links(PRODUCTS, ids, wanted)
    else:
        changed = set() if update_type == "append" else remove_other_links(PRODUCTS, dict.fromkeys(ids, wanted))
        changed |= add_links(schema.company_id, PRODUCTS, [(id, product) for id in ids for product in wanted])
    touch(schema.kind, sorted(changed - moved.keys()), actor_id)
    verb = {"append": "added", "remove": "removed"}.get(update_type, "to")
    for id in changed:
        moved.setdefault(id, {})["productServices"] = {verb: wanted}
