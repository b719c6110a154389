"""Undo an import by a bulk job, which deletes the records that it created and restores those that it updated."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from core.errors import NamedError
from core.fields import ObjectIdField
from crm.bulk_jobs.models import BulkJob, Journal
from crm.bulk_jobs.services import ENDED
from crm.bulk_jobs.undo import enqueue_undo, refuse_late, refuse_twice
from crm.contacts.models import Contact
from crm.imports.models import Import
from crm.imports.services import find_import
from crm.records.models import CustomField
from crm.records.stored_fields import spec_of
from crm.records.types import kind_of


@dataclass(frozen=True, slots=True)
class Undoing:
    """The latest job that undoes an import, and the import's remaining records; its empty fields once that is
    completed."""

    job: BulkJob | None
    created_left: int
    """Live records that it created."""
    empty_fields: list[CustomField] = field(default_factory=list)
    """Fields that were made for its columns and that no live record has a value of."""


@transaction.atomic
def undo_import(*, id: str, import_type: str, actor_id: str | None, automation: bool = True) -> BulkJob:
    """Create a job that undoes an import, also a deleted one.

    It deletes the created records and restores the updated ones. Raises ImportNotFound_400, and InvalidRequest_400 if
    it is too old or undone already. Raises InvalidImportStatus_400 if it is neither completed nor cancelled.
    """
    job = find_import(id, import_type, deleted=True)
    # Two requests at once would create two jobs, of which the second would
    # undo what people did after the first.
    job = Import.objects.select_for_update(of=("self",)).get(pk=job.pk)
    if job.status not in ENDED:
        raise NamedError(
            "InvalidImportStatus_400",
            f"an import that is {job.status} cannot be undone; cancel it, or wait for its end",
            field="id",
        )
    refuse_late(job.started_at)
    refuse_twice(BulkJob.objects.filter(undoes_import=job))
    return enqueue_undo(job.import_type, actor_id, automation, undoes_import=job)


def changed_contacts(job: Import) -> list[str]:
    """Return the contact permissions that undoing an import of leads needs: DELETE for created ones, PUT for changed
    ones."""
    if job.import_type != Import.Type.LEAD:
        return []
    panel = CustomField.Panel.CONTACT
    rows_by_method = {
        "DELETE": Contact.objects.filter(import_job=job),
        "PUT": Journal.objects.filter(import_job=job, panel=panel, before__isnull=False),
    }
    return [method for method, rows in rows_by_method.items() if rows.exists()]


def undoing_of(job: Import) -> Undoing:
    """Return the job that undoes the import, and the remaining records."""
    bulk_job = BulkJob.objects.filter(undoes_import=job).order_by("-created_at", "-pk").first()
    left = kind_of(job.import_type).live().filter(import_job=job).count()
    if bulk_job is None or bulk_job.status != BulkJob.Status.COMPLETED:
        return Undoing(bulk_job, left)
    return Undoing(bulk_job, left, _empty_fields(job))


def _empty_fields(job: Import) -> list[CustomField]:
    """Return the fields created for the import's columns since its creation that have no value in a live record.

    Types without typed values are omitted, because only an index of these shows that there is no value.
    """
    kind = kind_of(job.import_type)
    fields = CustomField.objects.filter(
        panel=kind.panel,
        is_system=False,
        job=None,
        unique_field_id__in=[*job.column_mapping.values(), *job.kept_columns.values()],
        created_at__gte=job.created_at,
    ).annotate(values_of=Coalesce("stored_as_id", "pk", output_field=ObjectIdField()))
    values = kind.values._default_manager.filter(field_id=OuterRef("values_of"), **{f"{kind.link}__is_deleted": False})
    empty = fields.filter(~Exists(values)).order_by("order", "created_at", "pk")
    # For the others, only a scan of all records could tell whether there is a value.
    return [field for field in empty if spec_of(field).value_type.column is not None]
