"""Removal of fields with their values: in the request for few records, by a worker in batches for many.

The jobs are BulkJobs (crm.bulk_jobs.services dispatches them), whose `change` has fieldIds and keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.internals.django import raw_delete, referrers
from core.jobs import notify_workers
from core.tenancy import company_scope
from core.types import JsonObject
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import batch_rows, move_job, process_batches
from crm.custom_fields.conversion import (
    count_with_values,
    remove_typed,
    remove_values_of,
)
from crm.custom_fields.conversion_jobs import ALL, BEFORE_ALL, INLINE_LIMIT, UNFINISHED, hidden_of
from crm.records.kinds import RecordKind
from crm.records.models import ConvertedValue, CustomField
from crm.records.types import kind_of

KEEP_STAGED = timedelta(days=1)
"""Keep the staged values of a failed conversion this long, so that it can be resumed."""


def remove_fields(fields: Sequence[CustomField], *, actor_id: str | None) -> None:
    """Delete fields of one panel with their values, in the caller's transaction, which holds the lock of the fields.

    Where many records have values, the fields disappear for everybody at once, and a job removes the values and then
    the fields.
    """
    kind = kind_of(fields[0].panel)
    keys = [field.unique_field_id for field in fields]
    hidden = Q(pk__in=[field.stored_as_id for field in fields if field.stored_as_id])
    hidden |= Q(pk__in=hidden_of(*(field.job_id for field in fields)).values("pk"))
    ids = [field.pk for field in fields] + list(CustomField.every.filter(hidden).values_list("pk", flat=True))
    total = count_with_values(kind, keys, INLINE_LIMIT + 1)
    if total <= INLINE_LIMIT:
        remove_values_of(kind, keys, ids, BEFORE_ALL, INLINE_LIMIT + 1)
        _delete_fields(kind, ids)
        return
    job = _make_removal(kind, keys, ids, count_with_values(kind, keys, ALL), actor_id)
    now = timezone.now()
    # Hidden at once for everybody. Their keys stay reserved until no record has such a value any more.
    CustomField.every.filter(pk__in=ids).update(deleted_at=now, job=job, stored_as=None, pending=False, updated_at=now)


def _make_removal(kind: RecordKind, keys: list[str], ids: list[str], total: int, actor_id: str | None) -> BulkJob:
    job = BulkJob.objects.create(
        action=BulkJob.Action.DELETE_FIELD,
        panel=kind.panel,
        change={"fieldIds": ids, "keys": keys},
        total=total,
        created_by_id=actor_id,
    )
    notify_workers("bulk-job")
    return job


def _delete_fields(kind: RecordKind, ids: Sequence[str]) -> None:
    """Delete the fields and the rest of their values, without Django's cascade, which would load the rows."""
    remove_typed(kind, ids)
    conversions = BulkJob.objects.filter(action=BulkJob.Action.CONVERT_FIELD, change__fieldId__in=list(ids))
    raw_delete(ConvertedValue.objects.filter(job__in=list(conversions.values_list("pk", flat=True))))
    # The typed values are removed, and a field is deleted together with the hidden one that stores them.
    raw_delete(CustomField.every.filter(pk__in=ids), cleared=referrers(CustomField))


def delete_field(job: BulkJob, deadline: float) -> None:
    """Work on a claimed removal."""
    kind = kind_of(job.panel)
    keys = job.change["keys"]
    ids = job.change["fieldIds"]

    def step(job: BulkJob) -> JsonObject | None:
        removed = remove_values_of(kind, keys, ids, job.position or BEFORE_ALL, batch_rows(job))
        processed = job.processed + len(removed)
        return {"processed": processed, "changed": processed, "position": removed[-1]} if removed else None

    process_batches(job, deadline, step, lambda job: _delete_fields(kind, ids))


def clean_up() -> bool:
    """Clean up after jobs that ended early.

    Resumes conversions that have already switched, deletes the staged values of others, and removes values of deleted
    fields.
    """
    ended = BulkJob.objects.exclude(status__in=UNFINISHED)
    # Once the field has switched, there is no way back: its records' own values are of the former type.
    for field in CustomField.objects.filter(pending=True, job__in=ended)[:100]:
        with company_scope(field.company_id):
            move_job(id=field.job_id or "", status=BulkJob.Status.QUEUED)
    old = ended.filter(action=BulkJob.Action.CONVERT_FIELD, updated_at__lt=timezone.now() - KEEP_STAGED)
    for field in CustomField.every.exclude(deleted_at=None).filter(job__in=old)[:100]:
        # A transaction per field, so that a failure undoes one field alone.
        with company_scope(field.company_id), transaction.atomic():
            _delete_fields(kind_of(field.panel), [field.pk])
    gone = ConvertedValue.objects.filter(job__in=old)
    raw_delete(ConvertedValue.objects.filter(job_id__in=list(gone.values_list("job_id", flat=True).distinct()[:1000])))
    abandoned = CustomField.every.exclude(deleted_at=None).filter(
        job__in=ended.filter(action=BulkJob.Action.DELETE_FIELD)
    )
    for field in abandoned.order_by("pk")[:100]:
        with company_scope(field.company_id), transaction.atomic():
            kind = kind_of(field.panel)
            job = _make_removal(
                kind, [field.unique_field_id], [field.pk], count_with_values(kind, [field.unique_field_id], ALL), None
            )
            CustomField.every.filter(pk=field.pk).update(job=job)
    return False
