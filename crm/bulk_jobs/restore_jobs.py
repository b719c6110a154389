"""Restore deleted records: within the request, or by a job in batches if there are very many."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from core.access import is_limited, quota_exceeded, remaining_quota
from core.errors import ApiError, NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.types import JsonObject
from crm.bulk_jobs.changes import RESTORE, UNDOABLE_FOR, complete, new_job, queue_if_many
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.history.restore import RestoreResult
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import process_batches, within_plan
from crm.bulk_jobs.worker import add_to_report, lock_next, selected_records
from crm.records.kinds import RecordKind
from crm.records.types import RECORD_TYPES


@dataclass(slots=True)
class Restored:
    """The number of restored records, the errors of those that stay deleted, and warnings about the others, by id.

    `job` is the queued job if there are too many for a request, otherwise the one by which the restoring can be undone,
    if any.
    """

    count: int = 0
    failed: dict[str, ApiError] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)
    job: BulkJob | None = None

    def add(self, other: Restored) -> Restored:
        """Add the results of other records."""
        self.count += other.count
        self.failed |= other.failed
        self.warnings |= other.warnings
        return self


@transaction.atomic
def restore_many(
    kind: RecordKind, *, actor_id: str | None, selection: BulkSelection, automation: bool = True
) -> Restored:
    """Restore the selected deleted records, each on its own, or queue a job for it. Emits <module>.restored for each.

    A record stays deleted if a live one has its unique key, if the plan's limit is reached, or if the company refuses
    it as a duplicate. Raises the kind's `not_found` if ids select none.
    """
    job = new_job(kind, RESTORE, actor_id=actor_id, selection=selection.raw, automation=automation)
    job.limited = is_limited()
    selected = selection.apply(kind.deleted())
    if queue_if_many(job, kind, selection, selected):
        return Restored(job=job)
    _lock_before_rows(kind)
    restored, matched = Restored(), 0
    if not selection.everything:
        # A merged record is no deleted one to its readers, so the answer is that of an unknown id.
        restored.failed = {id: kind.missing("ids", id) for id in _merged_ids(kind, selection)}
    for ids in in_batches(selected, lock=True, no_key=True):
        matched += len(ids)
        restored.add(_restore_batch(kind, ids, job))
    if not matched and not restored.failed and not selection.everything:
        raise NamedError(kind.not_found, f"none of them is one of the company's deleted {kind.noun}", field="ids")
    restored.job = complete(job, matched, restored.count)
    return restored


def restore_one(kind: RecordKind, id: str, *, actor_id: str | None) -> None:
    """Restore a deleted record. Raises the reason if it stays deleted."""
    restored = restore_many(kind, actor_id=actor_id, selection=BulkSelection.of_ids([id]))
    for error in restored.failed.values():
        raise error


def restore_records(job: BulkJob, deadline: float) -> None:
    """Work on a job of action restore."""
    within_plan(job, lambda: process_batches(job, deadline, _restore_next))


def _restore_next(job: BulkJob) -> JsonObject | None:
    what = RECORD_TYPES[job.panel]
    kind, totals = what.kind, JsonObject()
    _lock_before_rows(kind)
    selected = selected_records(job, kind.deleted())
    if job.total is None:
        totals = {"total": selected.count(), "undo_until": timezone.now() + UNDOABLE_FOR}
    ids = lock_next(job, kind.deleted())
    if not ids:
        return None
    restored, report = _restore_batch(kind, ids, job), dict(job.report)
    add_to_report(report, "failed", {id: error.detail for id, error in restored.failed.items()})
    add_to_report(report, "warned", restored.warnings)
    return {
        **totals,
        "position": ids[-1],
        "processed": job.processed + len(ids),
        "changed": job.changed + restored.count,
        "failed": job.failed + len(restored.failed),
        "report": report,
    }


def _lock_before_rows(kind: RecordKind) -> None:
    """Take the locks of references, unique keys and quota, which writers of new records take before they lock rows."""
    schema = RECORD_TYPES[kind.panel].schema.load()
    # Writers of new records take these locks before they lock rows. The other order would deadlock with them.
    schema.lock_references()
    schema.lock_unique_values()
    remaining_quota(kind.resource)


def _restore_batch(kind: RecordKind, ids: list[str], job: BulkJob) -> Restored:
    """Restore a batch of locked records in the caller's transaction. One that the company refuses does not affect the
    others."""
    try:
        with transaction.atomic():
            result = _revive(kind, ids, job)
            warnings = RECORD_TYPES[kind.panel].judge_restored(result.revived)
    except ApiError as error:
        if len(ids) == 1:
            return Restored(failed={ids[0]: error})
    else:
        return Restored(len(result.revived), _errors(kind, result), dict(warnings))
    middle = len(ids) // 2
    return _restore_batch(kind, ids[:middle], job).add(_restore_batch(kind, ids[middle:], job))


def _revive(kind: RecordKind, ids: list[str], job: BulkJob) -> RestoreResult:
    """Restore records with journal and events."""
    source = Source.bulk_job(job.pk)
    journal.record_before(kind, ids, source)
    result = journal.revive(kind, ids, actor_id=job.created_by_id)
    emit(f"{kind.resource}.restored", sorted(result.revived), actor_id=job.created_by_id, automation=job.automation)
    journal.record_after(kind, ids, source)
    return result


def _errors(kind: RecordKind, result: RestoreResult) -> dict[str, ApiError]:
    """Return the reasons of the records that stay deleted."""
    taken: dict[str, ApiError] = {
        id: NamedError(
            kind.exists, f"another {kind.singular} has it by now; change or delete that one first", field=part
        )
        for id, part in result.taken.items()
    }
    return taken | {id: quota_exceeded(kind.resource) for id in result.over_quota}


def _merged_ids(kind: RecordKind, selection: BulkSelection) -> list[str]:
    """Return the selected records that were merged into another one; undoing the merge brings them back."""
    if all(field.name != "merged_into" for field in kind.model._meta.local_fields):
        return []
    merged = kind.model._default_manager.filter(is_deleted=True, merged_into__isnull=False)
    return list(selection.apply(merged).order_by("pk").values_list("pk", flat=True))
