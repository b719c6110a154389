"""Conversion and removal of the values of fields: in the request for few records, by a worker in batches for many.

The jobs are BulkJobs (crm.bulk_jobs.services dispatches them). The `change` of a conversion has fieldId, key,
definition (the new columns) and dropInvalid; that of a removal has fieldIds and keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError
from core.jobs import finish, notify_workers, update_owned
from core.tenancy import company_scope
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import batch_rows, work
from crm.custom_fields.conversion import (
    Check,
    Conversion,
    Stored,
    UnfitValue,
    count_with_values,
    narrows,
    next_values,
    remove_values_of,
    stage_values,
    stale_values,
    write_all,
)
from crm.custom_fields.models import ConvertedValue
from crm.records.kinds import RecordKind
from crm.records.locks import lock_fields
from crm.records.models import CustomField
from crm.records.schema import BAD_CUSTOM, spec_of
from crm.records.types import kind_of

INLINE_LIMIT = 1000
"""Up to this many records with a value, the request does all of the work."""
MAX_CATCH_UPS = 200
"""Rounds of staging new values before writers have to wait for the last one."""
UNFINISHED = (BulkJob.Status.QUEUED, BulkJob.Status.RUNNING, BulkJob.Status.PAUSED)
DEFINITION = ("field_type", "value_type", "options", "children", "default_value")
"""Attributes that define the values of a field."""
BEFORE_ALL = ""
"""Sorts before all ids."""
KEEP_STAGED = timedelta(days=1)
"""Keep the staged values of a failed conversion this long, so that it can be resumed."""
FIELD_CHANGED = "The field has been changed or deleted since."


def unfinished_job(field: CustomField) -> BulkJob | None:
    """Return the unfinished job that converts the field's values, if there is one."""
    return BulkJob.objects.filter(pk=field.job_id, status__in=UNFINISHED).first() if field.job_id else None


def conversion_of(before: CustomField, after: CustomField) -> Conversion | None:
    """Return the conversion that the change of a field needs; None when all values stay as they are."""
    old, new = spec_of(before), spec_of(after)
    return Conversion(kind_of(before.panel), old, new) if narrows(old, new) else None


def start_conversion(
    before: CustomField, after: CustomField, found: Check, *, actor_id: str, drop_invalid: bool
) -> BulkJob:
    """Queue a job that converts the values of many records and then gives the field its new definition."""
    job = _make_conversion(before, after, found, actor_id, drop_invalid, BulkJob.Status.QUEUED)
    notify_workers("bulk-job")
    return job


def convert_inline(before: CustomField, after: CustomField, found: Check, *, actor_id: str, drop_invalid: bool) -> None:
    """Convert the values of few records now. The caller holds the lock of the fields and saves `after`.

    Raises UnfitValue.
    """
    conversion = conversion_of(before, after)
    if conversion is None or not found.total:
        return
    job = _make_conversion(before, after, found, actor_id, drop_invalid, BulkJob.Status.RUNNING)
    place = BEFORE_ALL
    while values := next_values(conversion, place, batch_rows()):
        stage_values(conversion, job.pk, values, drop_invalid=drop_invalid)
        place = values[-1].record
    changed, lost = write_all(conversion, job.pk)
    finish(job, BulkJob.Status.COMPLETED, processed=found.total, changed=changed, failed=lost)


def _make_conversion(
    before: CustomField, after: CustomField, found: Check, actor_id: str, drop_invalid: bool, status: BulkJob.Status
) -> BulkJob:
    change = {
        "fieldId": before.pk,
        "key": before.unique_field_id,
        "definition": {name: getattr(after, name) for name in DEFINITION},
        "dropInvalid": drop_invalid,
    }
    return BulkJob.objects.create(
        action=BulkJob.Action.CONVERT_FIELD,
        panel=before.panel,
        change=change,
        total=found.total,
        status=status,
        started_at=timezone.now() if status == BulkJob.Status.RUNNING else None,
        created_by_id=actor_id,
    )


def convert_field(job: BulkJob, deadline: float) -> None:
    """Work on a claimed conversion.

    Stages the converted values in batches, in the order of the records' ids, and then values written in the meantime
    until few are left. Finally writes all of them together.
    """
    field = _field_of(job)
    if field is None:
        finish(job, BulkJob.Status.CANCELLED, error=FIELD_CHANGED)
        return
    conversion = Conversion(
        kind_of(job.panel), spec_of(field), spec_of(_with_definition(field, job.change["definition"]))
    )
    rounds = iter(range(MAX_CATCH_UPS))

    def step(job: BulkJob) -> dict[str, Any] | None:
        values = next_values(conversion, job.position or BEFORE_ALL, batch_rows())
        if values:
            _stage_values(job, conversion, values)
            return {"processed": job.processed + len(values), "position": values[-1].record}
        values = stale_values(conversion, job.pk, batch_rows())
        _stage_values(job, conversion, values)
        many = len(values) == batch_rows() and next(rounds, None) is not None
        return {"processed": job.processed} if many else None

    work(job, deadline, step, lambda job: _finish_conversion(job, conversion))


def _stage_values(job: BulkJob, conversion: Conversion, values: Sequence[Stored]) -> None:
    try:
        stage_values(conversion, job.pk, values, drop_invalid=job.change["dropInvalid"])
    except UnfitValue as error:
        raise NamedError(
            BAD_CUSTOM, f"Nothing was changed, since a value that was written meanwhile does not fit: {error}"
        ) from None


def _field_of(job: BulkJob) -> CustomField | None:
    return CustomField.objects.filter(pk=job.change["fieldId"], job=job.pk).first()


def _with_definition(field: CustomField, definition: Mapping[str, Any]) -> CustomField:
    after = copy(field)
    for name in DEFINITION:
        setattr(after, name, definition[name])
    return after


def _finish_conversion(job: BulkJob, conversion: Conversion) -> None:
    """Write the field's new definition and all its values, in the transaction that ends the job; writers wait."""
    lock_fields()
    field = _field_of(job)
    if field is None:
        raise NamedError("CustomFieldNotFound_400", FIELD_CHANGED)
    while values := stale_values(conversion, job.pk, batch_rows()):
        _stage_values(job, conversion, values)
    changed, lost = write_all(conversion, job.pk)
    definition = {name: job.change["definition"][name] for name in DEFINITION}
    CustomField.objects.filter(pk=field.pk).update(
        **definition, job=None, updated_at=timezone.now(), updated_by_id=job.created_by_id or field.updated_by_id
    )
    update_owned(job, changed=changed, failed=lost)


def remove_fields(fields: Sequence[CustomField], *, actor_id: str | None) -> None:
    """Delete fields of one panel with their values, in the caller's transaction, which holds the lock of the fields.

    Where many records have values, the fields disappear for everybody at once, and a job removes the values and then
    the fields.
    """
    kind = kind_of(fields[0].panel)
    keys, ids = [field.unique_field_id for field in fields], [field.pk for field in fields]
    total = count_with_values(kind, keys, INLINE_LIMIT + 1)
    if total <= INLINE_LIMIT:
        remove_values_of(kind, keys, ids, BEFORE_ALL, INLINE_LIMIT + 1)
        _delete_fields(kind, ids)
        return
    job = _make_removal(kind, keys, ids, count_with_values(kind, keys, 2**31), actor_id)
    CustomField.objects.filter(pk__in=ids).update(deleted_at=timezone.now(), job=job, updated_at=timezone.now())


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
    """Delete the fields and the rest of their typed rows, without Django's cascade, which would load the rows."""
    kind.values.objects.filter(field_id__in=ids)._raw_delete("default")
    CustomField.every.filter(pk__in=ids)._raw_delete("default")


def delete_field(job: BulkJob, deadline: float) -> None:
    """Work on a claimed removal."""
    kind, keys, ids = kind_of(job.panel), job.change["keys"], job.change["fieldIds"]

    def step(job: BulkJob) -> dict[str, Any] | None:
        removed = remove_values_of(kind, keys, ids, job.position or BEFORE_ALL, batch_rows(job))
        processed = job.processed + len(removed)
        return {"processed": processed, "changed": processed, "position": removed[-1]} if removed else None

    work(job, deadline, step, lambda job: _delete_fields(kind, ids))


def clean_up() -> bool:
    """Clean up after jobs that ended early: delete old staged values, and remove values of deleted fields."""
    ended = BulkJob.objects.exclude(status__in=UNFINISHED)
    gone = ConvertedValue.objects.filter(job__in=ended, job__updated_at__lt=timezone.now() - KEEP_STAGED)
    ConvertedValue.objects.filter(job_id__in=list(gone.values_list("job_id", flat=True).distinct()[:1000]))._raw_delete(
        "default"
    )
    abandoned = CustomField.every.exclude(deleted_at=None).filter(job__in=ended).order_by("pk")[:100]
    for field in abandoned:
        with company_scope(field.company_id), transaction.atomic():
            kind = kind_of(field.panel)
            job = _make_removal(
                kind, [field.unique_field_id], [field.pk], count_with_values(kind, [field.unique_field_id], 2**31), None
            )
            CustomField.every.filter(pk=field.pk).update(job=job)
    return False
