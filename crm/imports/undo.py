"""Undo an import by a bulk job, which deletes the records that it created and restores those that it updated."""

from __future__ import annotations

from django.db import transaction

from core.errors import NamedError
from crm.bulk_jobs.models import BulkJob, Journal
from crm.bulk_jobs.services import ENDED
from crm.bulk_jobs.undo import enqueue_undo, refuse_late, refuse_twice
from crm.contacts.models import Contact
from crm.imports.models import Import
from crm.imports.services import find_import
from crm.records.models import CustomField


@transaction.atomic
def undo_import(*, id: str, import_type: str, actor_id: str, automation: bool = True) -> BulkJob:
    """Create a job that undoes an import, also a deleted one: it deletes the created records and restores the updated
    ones.

    Raises ImportNotFound_400, InvalidImportStatus_400 for an import that is neither completed nor cancelled, and
    InvalidRequest_400 if it is too old or undone already.
    """
    job = find_import(id, import_type, deleted=True)
    job = Import.objects.select_for_update(of=("self",)).get(pk=job.pk)
    if job.status not in ENDED:
        raise NamedError(
            "InvalidImportStatus_400",
            f"id: an import that is {job.status} cannot be undone; cancel it, or wait for its end",
        )
    refuse_late(job.started_at)
    refuse_twice(BulkJob.objects.filter(undoes_import=job))
    return enqueue_undo(job.import_type, actor_id, automation, undoes_import=job)


def changed_contacts(job: Import) -> list[str]:
    """Return the methods that undoing an import of leads needs on contacts: DELETE for those that it created, PUT for
    those that it changed."""
    if job.import_type != Import.Type.LEAD:
        return []
    panel = CustomField.Panel.CONTACT
    found = {
        "DELETE": Contact.objects.filter(import_job=job),
        "PUT": Journal.objects.filter(import_job=job, panel=panel, before__isnull=False),
    }
    return [method for method, rows in found.items() if rows.exists()]
