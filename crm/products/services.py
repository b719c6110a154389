"""Use cases of products and services: create, update, bulk update, bulk delete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction

from core.access import reserve_quota
from core.errors import NamedError, shorten
from core.events import emit
from core.ids import new_id
from core.lists import BulkSelection
from core.types import Values
from crm.bulk_jobs.changes import DELETE, UPDATE, Outcome, change_many, complete, new_job
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob
from crm.products.kind import PRODUCT_SERVICE
from crm.products.models import ProductService
from crm.products.schema import ProductSchema
from crm.records.results import Saved
from crm.records.types import Apply
from crm.records.values import add_values
from crm.records.writes.bulk_change import apply_change, plan_change
from crm.records.writes.updates import load_states, without_held, write_states, write_values


@transaction.atomic
def create_product(
    *,
    actor_id: str,
    form_data: Values,
    drop_invalid: bool = False,
    automation: bool = True,
    own_id: str = "",
) -> Saved:
    """Create a product or service. `own_id` is the _id of one that was one elsewhere.

    Raises ProductServiceDataRequired_400, InvalidCustomField_400, InvalidCustomFieldValue_400 and
    InvalidSystemField_400 (every problem in the warning). Raises ProductServiceNameAlreadyExists_400 and
    PlanLimitExceeded_403.
    """
    schema = ProductSchema.load()
    row, problems = schema.read_record(form_data, drop_invalid=drop_invalid)
    reserve_quota("product-service")
    id, custom = own_id or new_id(), schema.stored_custom(row)
    values = {**schema.system_defaults, **row.system}
    with _names_are_unique(values["name"]):
        ProductService.objects.create(id=id, custom=custom, created_by_id=actor_id, updated_by_id=actor_id, **values)
    add_values(schema, [(id, custom)])
    emit("product-service.created", [id], actor_id=actor_id, automation=automation)
    return Saved(id, problems)


@transaction.atomic
def update_product(*, id: str, actor_id: str, form_data: Values, automation: bool = True) -> BulkJob | None:
    """Change the given values of a live product or service, and write it only if it is different.

    Null or empty text empties a value. Returns the job that can undo the change, None if nothing is different. Raises
    ProductServiceNotFound_400, and the errors of create_product for values.
    """
    schema = ProductSchema.load()
    state = load_states(schema, [id]).get(id)
    if state is None:
        raise PRODUCT_SERVICE.missing("id", id)
    row, _ = schema.read_record(without_held(schema, form_data, state.before, state.custom_before), partial=True)
    state.apply(row, row.system)
    changes = state.changes(schema.names)
    if not changes:
        return None
    job = new_job(
        PRODUCT_SERVICE,
        UPDATE,
        actor_id=actor_id,
        selection={"ids": [id]},
        change={"formData": dict(form_data), "updateType": "set"},
        automation=automation,
    )
    source = Source.bulk_job(job.pk)
    journal.record_before(PRODUCT_SERVICE, [id], source)
    with _names_are_unique(state.after["name"]):
        write_states(schema, [state], actor_id)
    write_values(schema, [state], {id: changes})
    payloads = {id: {"changes": changes}}
    emit("product-service.updated", [id], payloads=payloads, actor_id=actor_id, automation=automation)
    journal.record_after(PRODUCT_SERVICE, [id], source)
    return complete(job, 1, 1)


def update_products(
    *,
    actor_id: str,
    selection: BulkSelection,
    form_data: Values,
    update_type: str = "set",
    automation: bool = True,
) -> Outcome:
    """Apply one change set to the selected live products and services, or leave it to a job.

    Raises CannotUpdateUniqueKey_400 (a name), InvalidPayload_400, the errors of create_product for values, and
    ProductServiceNotFound_400 when ids name none.
    """
    change = {"formData": dict(form_data), "updateType": update_type}
    return change_many(
        PRODUCT_SERVICE, UPDATE, actor_id=actor_id, selection=selection, change=change, automation=automation
    )


def delete_products(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> Outcome:
    """Flag the selected live products and services as deleted, or leave it to a job. Leads keep them.

    Raises ProductServiceNotFound_400 when ids name none.
    """
    return change_many(PRODUCT_SERVICE, DELETE, actor_id=actor_id, selection=selection, automation=automation)


def prepare_change(actor_id: str | None, payload: Values) -> Apply:
    """Read a bulk change of products and services (RecordType.prepare)."""
    schema = ProductSchema.load()
    if "name" in payload["formData"]:
        raise NamedError(
            "CannotUpdateUniqueKey_400",
            "makes products and services unique and cannot be changed for many at once",
            field="name",
        )
    change = plan_change(schema, payload["formData"], payload["updateType"], None)
    if change.empty:
        raise NamedError("InvalidPayload_400", "name at least one value to change", field="formData")
    return lambda ids: apply_change(schema, change, ids, actor_id)


@contextmanager
def _names_are_unique(name: str) -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if not PRODUCT_SERVICE.violates_unique(error):
            raise
        detail = f"{shorten(name, 60)!r} is already in use"
        raise NamedError(PRODUCT_SERVICE.exists, detail, field="name") from None
