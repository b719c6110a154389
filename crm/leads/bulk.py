"""Bulk changes and deletions of leads (crm.bulk_jobs.changes)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from core.errors import NamedError
from core.lists import BulkSelection
from core.types import Values
from crm.bulk_jobs.changes import DELETE, UPDATE, Outcome, change_many
from crm.leads.duplicates import OPENING, check_duplicates, duplicate_rule, lock_duplicates, reopened_leads
from crm.leads.kind import LEAD
from crm.leads.places import settled_changes
from crm.leads.references import missing_references
from crm.leads.relations import Relations
from crm.leads.schema import CONTACT_KEYS, LeadRow, LeadSchema, closed_statuses
from crm.leads.writes.updates import PRODUCTS
from crm.records.problems import problems_error
from crm.records.schema import BAD_SYSTEM
from crm.records.types import Apply
from crm.records.values import add_links, remove_links, remove_other_links
from crm.records.writes.bulk_change import Change, ChangesById, apply_change, plan_change
from crm.records.writes.updates import mark_updated

SINGLE = {
    "team_id": "team",
    "team_member_id": "teamMember",
    "organization_id": "organization",
    "pipeline_id": "pipeline",
    "stage_id": "stage",
    "lost_reason_id": "lostReason",
    "expected_close_at": "expectedCloseAt",
}
"""Columns beside formData -> their names in the API."""


def update_many(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Values,
    update_type: str = "set",
    relations: Relations = Relations(),  # noqa: B008  immutable
    automation: bool = True,
) -> Outcome:
    """Apply one change set to the selected live leads, or leave it to a job.

    As with contacts; `append` and `remove` also add and remove products. Raises InvalidSystemField_400 for values of
    contacts, and DuplicateField if the company refuses duplicate open leads. Raises the errors of plan_change and
    missing_references, and LeadNotFound_400 when no id exists.
    """
    change = {"formData": dict(form_data), "updateType": update_type, "relations": relations.given_references()}
    return change_many(LEAD, UPDATE, actor_id=actor_id, selection=selection, change=change, automation=automation)


def delete_leads(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> Outcome:
    """Flag the selected live leads as deleted, or leave it to a job. Raises LeadNotFound_400 when ids name none."""
    return change_many(LEAD, DELETE, actor_id=actor_id, selection=selection, automation=automation)


def prepare_change(actor_id: str | None, payload: Values) -> Apply:
    """Read a bulk change of leads (RecordType.prepare)."""
    schema = LeadSchema.load()
    row = LeadRow()
    update_type = payload["updateType"]
    relations = Relations(**payload["relations"])
    relations.put_into(row)
    if update_type == "set" and None in (relations.pipeline, relations.stage):
        raise NamedError("InvalidPayload_400", "a lead is always in one; name another", field=("pipeline", "stage"))
    absent = missing_references([row]).get(0)
    if absent:
        raise problems_error(absent)
    lock_duplicates(schema)
    change = _plan(schema, payload["formData"], update_type, row)
    if change.empty and row.product_ids is None:
        raise NamedError(
            "InvalidPayload_400",
            "name at least one value, tag, product, team, member, organization or stage to change",
            field="formData",
        )

    def apply(ids: list[str]) -> ChangesById:
        changes_by_id: ChangesById = {}
        for group, columns in settled_changes(schema, ids, change.columns):
            changes_by_id |= apply_change(schema, replace(change, columns=columns), group, actor_id)
        if row.product_ids is not None:
            _change_products(schema, list(row.product_ids), update_type, ids, changes_by_id, actor_id)
        return changes_by_id

    return apply


def judge_change(moved: ChangesById) -> dict[str, str]:
    """Find the changed leads that repeat another open lead now (RecordType.judge)."""
    touched = {id: changes for id, changes in moved.items() if changes.keys() & OPENING}
    if not touched:
        return {}
    closed = closed_statuses()
    return check_duplicates(reopened_leads(touched, closed), duplicate_rule(), closed)


def check_restored(ids: Collection[str]) -> dict[str, str]:
    """Find the restored leads that repeat another open lead (RecordType.judge_restored)."""
    return check_duplicates(ids, duplicate_rule(), closed_statuses())


def _plan(schema: LeadSchema, form_data: Values, update_type: str, row: LeadRow) -> Change:
    foreign = [key for key in form_data if key in CONTACT_KEYS]
    if foreign:
        text = "belongs to the leads' contacts; change it there"
        raise NamedError(BAD_SYSTEM, text, field=foreign, operation="PUT /contact")
    change = plan_change(schema, form_data, update_type, row.tag_ids)
    for column, name in SINGLE.items():
        if column not in row.system:
            continue
        if update_type in ("append", "remove"):
            raise NamedError(
                "InvalidPayload_400",
                f"a lead has one, so that there is nothing to {update_type}; use updateType set",
                field=name,
            )
        change.columns[column] = row.system[column] if update_type == "set" else None
    if update_type == "clear" and change.columns.keys() & {"pipeline_id", "stage_id"} - _emptied_with_status(change):
        raise NamedError(
            "InvalidPayload_400", "a lead is always in one, so that it cannot be cleared", field=("pipeline", "stage")
        )
    return change


def _emptied_with_status(change: Change) -> set[str]:
    """Return the columns that an empty status empties with it."""
    return {"pipeline_id", "stage_id"} if "status" in change.columns else set()


def _change_products(
    schema: LeadSchema,
    products: list[str],
    update_type: str,
    ids: list[str],
    changes_by_id: ChangesById,
    actor_id: str | None,
) -> None:
    """Add products to the leads, or remove them, and put the leads that changed into `changes_by_id`."""
    product_ids = {"clear": []}.get(update_type, products)
    changed: set[str] = set()
    if update_type == "remove":
        changed = remove_links(PRODUCTS, ids, product_ids)
    else:
        changed = set() if update_type == "append" else remove_other_links(PRODUCTS, dict.fromkeys(ids, product_ids))
        changed |= add_links(schema.company_id, PRODUCTS, [(id, product) for id in ids for product in product_ids])
    mark_updated(schema.kind, sorted(changed - changes_by_id.keys()), actor_id)
    verb = {"append": "added", "remove": "removed"}.get(update_type, "to")
    for id in changed:
        changes_by_id.setdefault(id, {})["productServices"] = {verb: product_ids}
