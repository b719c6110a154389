"""Conversion of the values of fields: in the request for few records, by a worker in batches for many.

The jobs are BulkJobs (crm.bulk_jobs.services dispatches them), whose `change` has fieldId, key, definition (the new
columns) and dropInvalid.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.ids import new_id
from core.internals.django import raw_delete, referrers
from core.jobs import finish, notify_workers
from core.types import JsonObject
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import batch_rows, process_batches
from crm.custom_fields.conversion import (
    Check,
    Conversion,
    Stored,
    UnfitValue,
    count_staged,
    narrows,
    next_pending,
    next_values,
    oldest_transaction,
    remove_typed,
    stage_values,
    stale_values,
)
from crm.records.locks import lock_fields, lock_fields_shared, try_lock_fields
from crm.records.models import ConvertedValue, CustomField
from crm.records.pending import write_pending
from crm.records.schema import BAD_CUSTOM
from crm.records.stored_fields import spec_of
from crm.records.types import RECORD_TYPES, kind_of

INLINE_LIMIT = 1000
"""Up to this many records with a value, the request does all of the work."""
FEW = 100
"""The job stages up to this many new values while writers wait."""
LOCK_SECONDS = 0.3
"""The job waits no longer for the lock of the fields, since writers wait with it; it tries again later."""
MAX_CATCH_UPS = 200
"""Rounds of staging new values before writers have to wait for the last one, however long it takes."""
UNFINISHED = (BulkJob.Status.QUEUED, BulkJob.Status.RUNNING, BulkJob.Status.PAUSED)
DEFINITION = ("field_type", "value_type", "options", "children", "default_value")
"""Attributes that define the values of a field."""
ALL = 2**31 - 1
BEFORE_ALL = ""
"""Sorts before all ids."""
FIELD_CHANGED = "The field has been changed or deleted since."


def unfinished_job(field: CustomField) -> BulkJob | None:
    """Return the unfinished job that converts the field's values, if there is one."""
    jobs = BulkJob.objects.filter(pk=field.job_id)
    return (jobs if field.pending else jobs.filter(status__in=UNFINISHED)).first() if field.job_id else None


def conversion_of(before: CustomField, after: CustomField) -> Conversion | None:
    """Return the conversion that the change of a field needs; None when all values stay as they are."""
    old, new = spec_of(before), spec_of(after)
    return Conversion(kind_of(before.panel), old, new) if narrows(old, new) else None


def start_conversion(
    before: CustomField, after: CustomField, check: Check, *, actor_id: str, drop_invalid: bool
) -> BulkJob:
    """Queue a job that converts the values of many records and then gives the field its new definition."""
    job = _make_conversion(before, after, check, actor_id, drop_invalid, BulkJob.Status.QUEUED)
    notify_workers("bulk-job")
    return job


def convert_inline(before: CustomField, after: CustomField, check: Check, *, actor_id: str, drop_invalid: bool) -> None:
    """Convert the values of few records now. The caller holds the lock of the fields and saves `after`.

    Raises UnfitValue.
    """
    conversion = conversion_of(before, after)
    if conversion is None or not check.total:
        return
    job = _make_conversion(before, after, check, actor_id, drop_invalid, BulkJob.Status.RUNNING)
    place = BEFORE_ALL
    while values := next_values(conversion, place, batch_rows()):
        stage_values(conversion, job.pk, values, drop_invalid=drop_invalid)
        place = values[-1].record
    changed, lost = count_staged(job.pk)
    own = CustomField.objects.filter(pk=before.pk)
    # The same way as by a job: staged values count from now on, and are then written into their records.
    own.update(pending=True, job=job)
    schema = RECORD_TYPES[before.panel].schema.load()
    while ids := next_pending(conversion.kind, job.pk, batch_rows()):
        write_pending(schema, ids)
    own.update(pending=False, job=None)
    finish(job, BulkJob.Status.COMPLETED, processed=check.total, changed=changed, failed=lost)


def _make_conversion(
    before: CustomField, after: CustomField, check: Check, actor_id: str, drop_invalid: bool, status: BulkJob.Status
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
        total=check.total,
        status=status,
        started_at=timezone.now() if status == BulkJob.Status.RUNNING else None,
        created_by_id=actor_id,
    )


@dataclass(slots=True)
class CatchUp:
    """A worker's progress with values that others write while it stages."""

    rounds: int = 0
    since: str | None = None
    """All writes of transactions older than this one are staged."""
    close: bool = False
    """So little is left that writers can wait for it."""
    counts: tuple[int, int] = (0, 0)
    """The result of count_staged at that time, cached because the count is slow."""

    @property
    def has_given_up(self) -> bool:
        return self.rounds > MAX_CATCH_UPS


def convert_field(job: BulkJob, deadline: float) -> None:
    """Work on a claimed conversion, in batches.

    Stages the converted values in the order of the records' ids, and then values written in the meantime until few are
    left. Stages these while writers wait, and gives the field its new definition. Finally writes the values into their
    records, and removes the old typed ones.
    """
    if _field_of(job) is None:
        finish(job, BulkJob.Status.CANCELLED, error=FIELD_CHANGED)
        return
    done = CatchUp()

    def step(job: BulkJob) -> JsonObject | None:
        if done.close:
            done.close = False
            done.rounds = done.rounds + 1
            # Writers that never rest would let the job stage for ever. After so many rounds
            # they wait once, for as long as it takes.
            if done.has_given_up:
                lock_fields()
            elif not try_lock_fields(LOCK_SECONDS):
                # While the exclusive lock is waited for, new writers queue after it. A
                # short try keeps their wait short.
                return _progress(job)
            return _switch(job, _present_field(job), done)
        lock_fields_shared()  # so that the field stays what it is until the batch is written
        field = _present_field(job)
        return _write_next(job, field) if field.pending else _stage_next(job, field, done)

    process_batches(job, deadline, step, _end_conversion)


def _progress(job: BulkJob, rows: int = 0, **values: Any) -> JsonObject:
    return {"processed": job.processed, "rows": rows, **values}


def _field_of(job: BulkJob) -> CustomField | None:
    return CustomField.objects.filter(pk=job.change["fieldId"], job=job.pk).first()


def _present_field(job: BulkJob) -> CustomField:
    field = _field_of(job)
    if field is None:
        raise NamedError("CustomFieldNotFound_400", FIELD_CHANGED)
    return field


def hidden_of(*jobs: str | None) -> QuerySet[CustomField]:
    """Return the hidden fields that a conversion stages typed values under, or, after the switch, removes."""
    return CustomField.every.exclude(deleted_at=None).filter(job__in=[job for job in jobs if job])


def _conversion_by(job: BulkJob, field: CustomField, staging: str) -> Conversion:
    after = copy(field)
    for name in DEFINITION:
        setattr(after, name, job.change["definition"][name])
    return Conversion(kind_of(job.panel), spec_of(field), replace(spec_of(after), id=staging))


def _stage_next(job: BulkJob, field: CustomField, done: CatchUp) -> JsonObject:
    """Stage the next values; after the last one, values that have been written since."""
    staging = hidden_of(job.pk).values_list("pk", flat=True).first()
    if staging is None:
        _make_hidden(job, field)
        return _progress(job) | {"processed": 0, "position": None}
    conversion, size = _conversion_by(job, field, staging), batch_rows(job)
    # In the order of ids, so that the position alone says what is done.
    values = next_values(conversion, job.position or BEFORE_ALL, size)
    if len(values) == size:
        _stage_values(job, conversion, values)
        return {"processed": job.processed + size, "position": values[-1].record}
    _stage_values(job, conversion, values)
    # Read before the stale values: what older transactions wrote is visible to the next statement, so that
    # the following round has to look only at what newer ones write.
    now = oldest_transaction()
    stale = stale_values(conversion, job.pk, done.since, size)
    _stage_values(job, conversion, stale)
    done.rounds += 1
    if len(stale) < size:
        done.since = now
    done.close = len(stale) <= min(FEW, size - 1) or done.has_given_up
    if done.close:
        # Counted while writers go on. Under their lock only the few last values are counted.
        done.counts = count_staged(job.pk)
    processed = job.processed + len(values)
    position = values[-1].record if values else job.position
    return {"processed": processed, "position": position, "rows": len(values) + len(stale)}


def _make_hidden(job: BulkJob, field: CustomField) -> None:
    """Create the hidden field under which the typed values are staged, and drop values staged before it."""
    raw_delete(ConvertedValue.objects.filter(job=job.pk))
    id = new_id()
    CustomField.every.create(
        id=id,
        unique_field_id=id,
        name=id,
        panel=field.panel,
        field_type=field.field_type,
        deleted_at=timezone.now(),
        job=job,
    )


def _stage_values(job: BulkJob, conversion: Conversion, values: Sequence[Stored]) -> None:
    try:
        stage_values(conversion, job.pk, values, drop_invalid=job.change["dropInvalid"])
    except UnfitValue as error:
        raise NamedError(
            BAD_CUSTOM, f"Nothing was changed, since a value that was written meanwhile does not fit: {error}"
        ) from None


def _switch(job: BulkJob, field: CustomField, done: CatchUp) -> JsonObject:
    """Stage the last values, and give the field its new definition, while writers wait."""
    staging = hidden_of(job.pk).get()
    conversion = _conversion_by(job, field, staging.pk)
    stale = stale_values(conversion, job.pk, done.since, ALL if done.has_given_up else FEW + 1)
    records = [stored.record for stored in stale]
    before = count_staged(job.pk, records)
    _stage_values(job, conversion, stale)
    # More was written than expected. These are staged, but the switch waits for a quieter moment.
    if len(stale) > FEW and not done.has_given_up:
        return _progress(job, len(stale))
    changed, lost = (
        counted - was + now
        for counted, was, now in zip(done.counts, before, count_staged(job.pk, records), strict=True)
    )
    CustomField.every.filter(pk=field.stored_as_id).update(job=job)
    CustomField.every.filter(pk=staging.pk).update(job=None)
    CustomField.objects.filter(pk=field.pk).update(
        **{name: job.change["definition"][name] for name in DEFINITION},
        # The staged typed values become the field's by one update of the field, instead of one of each row.
        stored_as=staging.pk,
        pending=True,
        updated_at=timezone.now(),
        updated_by_id=job.created_by_id or field.updated_by_id,
    )
    return _progress(job, changed=changed, failed=lost, rate=None)


def _write_next(job: BulkJob, field: CustomField) -> JsonObject | None:
    """Write the next pending values into their records, without the typed values of before."""
    ids = next_pending(kind_of(job.panel), job.pk, batch_rows(job))
    if not ids:
        return None
    write_pending(RECORD_TYPES[job.panel].schema.load(), ids)
    remove_typed(kind_of(job.panel), _old_ids(job, field), ids)
    return _progress(job, len(ids))


def _old_ids(job: BulkJob, field: CustomField) -> list[str]:
    """Return the ids under which the field's typed values were stored before the switch: its own, or a hidden
    field's."""
    return [field.pk, *hidden_of(job.pk).values_list("pk", flat=True)]


def _end_conversion(job: BulkJob) -> None:
    """Remove the remaining old typed values of the records that others wrote, and the fields that stored them."""
    field = _present_field(job)
    remove_typed(kind_of(job.panel), _old_ids(job, field))
    raw_delete(hidden_of(job.pk), cleared=referrers(CustomField))
    CustomField.objects.filter(pk=field.pk).update(pending=False, job=None)
