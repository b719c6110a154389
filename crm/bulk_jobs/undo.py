"""Undo a bulk change, a deletion or an import by a job that restores the records (crm.bulk_jobs.history.journal)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access import is_limited, quota_exceeded
from core.errors import ApiError, NamedError
from core.events import emit, requested_queueing
from core.jobs import notify_workers
from core.types import JsonObject
from crm.bulk_jobs.changes import UNDO_DAYS, UNDOABLE_FOR
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.history.restore import RestoreResult
from crm.bulk_jobs.models import BulkJob, Journal
from crm.bulk_jobs.services import ENDED, WRONG_STATE, batch_rows, not_found, process_batches, within_plan
from crm.bulk_jobs.worker import MAX_REPORTED, add_to_report
from crm.records.kinds import RecordKind
from crm.records.results import MAX_BULK
from crm.records.types import RECORD_TYPES, kind_of

UNDOABLE = (BulkJob.Action.UPDATE, BulkJob.Action.DELETE, BulkJob.Action.RESTORE)
KEPT_FOR = UNDOABLE_FOR + timedelta(days=1)
"""Longer than the time in which a change may be undone, so that no undo loses its journal on the way."""
SWEEP = 5000


@transaction.atomic
def undo_bulk_job(*, id: str, actor_id: str | None, automation: bool = True) -> BulkJob:
    """Create a job that undoes another one. Raises NotFound_404, and InvalidRequest_400 for a job that cannot be
    undone, or not now."""
    # The lock makes two requests see each other: the second finds the job of the first, and is refused.
    job = BulkJob.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if job is None:
        raise not_found()
    if job.action not in UNDOABLE:
        raise NamedError(WRONG_STATE, f"a job of action {job.action} cannot be undone", field="id")
    if job.status not in ENDED:
        raise NamedError(WRONG_STATE, f"the job is {job.status}; cancel it, or wait for its end", field="id")
    refuse_late(job.started_at)
    refuse_twice(BulkJob.objects.filter(undoes=job))
    return enqueue_undo(job.panel, actor_id, automation, undoes=job)


def other_changed_panels(job: BulkJob) -> list[str]:
    """Return the panels of further records that the job changed: the contact of a lead, which only a change of few
    leads can change."""
    few = job.action in UNDOABLE and job.total is not None and job.total <= MAX_BULK
    panels = kind_of(job.panel).made_with if few else ()
    return [panel for panel in panels if Journal.objects.filter(bulk_job=job, panel=panel).exists()]


def is_undoable(action: str, status: str, started_at: datetime | None) -> bool:
    """Return whether a job is of the kind and age that can be undone; it may have been undone already."""
    return (
        action in UNDOABLE
        and status in ENDED
        and started_at is not None
        and started_at + UNDOABLE_FOR >= timezone.now()
    )


def refuse_late(started_at: datetime | None) -> None:
    """Refuse to undo a job that has not started or started too long ago (InvalidRequest_400)."""
    if started_at is None:
        raise NamedError(WRONG_STATE, "nothing has been done that could be undone", field="id")
    if started_at + UNDOABLE_FOR < timezone.now():
        raise NamedError(WRONG_STATE, f"can be undone for {UNDO_DAYS} days only", field="id")


def refuse_twice(undoings: QuerySet[BulkJob]) -> None:
    """Refuse a second undo if one of these jobs undoes the same or has undone it (InvalidRequest_400)."""
    # One that failed or was cancelled has undone a part. A second undo resumes the rest.
    other = undoings.exclude(status__in=(BulkJob.Status.FAILED, BulkJob.Status.CANCELLED)).first()
    if other is not None:
        raise NamedError(
            WRONG_STATE,
            "another bulk job has undone it" if other.finished_at else "another bulk job is undoing it",
            field="id",
        )


def enqueue_undo(panel: str, actor_id: str | None, automation: bool, **source: Any) -> BulkJob:
    """Create the job that undoes `source`: `undoes`, a bulk job, or `undoes_import`, an import.

    Where the plan's limits apply to the request, they apply to the job as well.
    """
    job = BulkJob.objects.create(
        action=BulkJob.Action.UNDO,
        panel=panel,
        automation=automation,
        automation_queued=requested_queueing(),
        limited=is_limited(),
        created_by_id=actor_id,
        **source,
    )
    notify_workers("bulk-job")
    return job


def undo(job: BulkJob, deadline: float) -> None:
    """Work on a job of action undo."""
    within_plan(job, lambda: process_batches(job, deadline, _undo_next, _mark_undone))


def _undo_next(job: BulkJob) -> JsonObject | None:
    source = Source.bulk_job(job.undoes_id) if job.undoes_id else Source.import_job(job.undoes_import_id or "")
    # Leads before the contacts that were created or changed with them.
    panels = (job.panel, *kind_of(job.panel).made_with)
    totals: JsonObject = (
        {} if job.total is not None else {"total": sum(_count(kind_of(panel), source) for panel in panels)}
    )
    stage = job.change.get("stage", 0)
    position = job.position
    # The stage is stored with the position, so that a worker that takes over goes on in the right kind.
    while not (ids := _next_ids(kind_of(panels[stage]), source, position, batch_rows(job))):
        stage, position = stage + 1, None
        if stage == len(panels):
            return None
    kind = kind_of(panels[stage])
    report = dict(job.report)
    result, refused = _restore(kind, source, ids, job.created_by_id, report)
    _emit_events(kind, result, job)
    return {
        **totals,
        "change": {"stage": stage},
        "position": ids[-1],
        "processed": job.processed + len(ids),
        "changed": job.changed + len(result.changed) + len(result.deleted),
        "failed": job.failed + len(result.taken) + len(result.over_quota) + refused,
        "report": _report(report, result, kind),
    }


def _restore(
    kind: RecordKind, source: Source, ids: list[str], actor_id: str | None, report: JsonObject
) -> tuple[RestoreResult, int]:
    """Restore a batch. A record that the company refuses does not affect the others.

    Returns the outcome, and the number of refused records; the report names these.
    """
    what = RECORD_TYPES[kind.panel]
    try:
        with transaction.atomic():
            result = journal.restore(kind, source, ids, actor_id=actor_id)
            # Revived records are judged by another rule below: all of their values are new to the company.
            changed = {id: outcome for id, outcome in result.changed.items() if id not in result.revived}
            warned = {**what.judge(changed), **what.judge_restored(result.revived)}
    except ApiError as error:
        if len(ids) == 1:
            add_to_report(report, "failed", {ids[0]: error.detail})
            return RestoreResult(), 1
    else:
        add_to_report(report, "warned", warned)
        return result, 0
    middle = len(ids) // 2
    outcome, refused = _restore(kind, source, ids[:middle], actor_id, report)
    more, others = _restore(kind, source, ids[middle:], actor_id, report)
    return outcome.add(more), refused + others


def _journal_rows(kind: RecordKind, source: Source) -> QuerySet[Journal]:
    return Journal.objects.filter(panel=kind.panel, **{source.column: source.id})


def _created_records(kind: RecordKind, source: Source) -> QuerySet[Any] | None:
    """Return the records that an import created."""
    return kind.model._default_manager.filter(import_job_id=source.id) if source.column == "import_job_id" else None


def _next_ids(kind: RecordKind, source: Source, position: str | None, size: int) -> list[str]:
    record_ids: set[str] = set()
    for rows, column in ((_journal_rows(kind, source), "record_id"), (_created_records(kind, source), "pk")):
        if rows is not None:
            # Both sources are read up to the size and merged, since their ids lie between each other.
            behind = rows.filter(**{f"{column}__gt": position or ""}).order_by(column)
            record_ids |= set(behind.values_list(column, flat=True)[:size])
    return sorted(record_ids)[:size]


def _count(kind: RecordKind, source: Source) -> int:
    created = _created_records(kind, source)
    if created is None:
        return _journal_rows(kind, source).count()
    # Records that the import created may be journaled too, when it updated them later. They count once.
    return created.count() + _journal_rows(kind, source).filter(before__isnull=False).count()


def _emit_events(kind: RecordKind, result: RestoreResult, job: BulkJob) -> None:
    """Emit the events of the differences; revived records are reported as restored."""
    common: JsonObject = {"actor_id": job.created_by_id, "automation": job.automation}
    deleted = result.deleted_again.union(result.deleted)
    changed = sorted(result.changed.keys() - result.revived - deleted)
    payloads = {id: {"changes": changes} for id, changes in result.changed.items()}
    for verb, ids in (("updated", changed), ("restored", sorted(result.revived)), ("deleted", sorted(deleted))):
        emit(f"{kind.resource}.{verb}", ids, payloads=payloads if verb == "updated" else None, **common)


def _report(report: JsonObject, result: RestoreResult, kind: RecordKind) -> JsonObject:
    """Return the report with the records that stayed: `kept`, `taken` and `failed` by record, up to the limit, and the
    numbers of the first two."""
    new = dict(report)
    if result.over_quota:
        listed = dict(new.get("failed", {}))
        detail = quota_exceeded(kind.resource).detail
        new["failed"] = listed | dict.fromkeys(result.over_quota[: max(0, MAX_REPORTED - len(listed))], detail)
    for name, records in (("kept", result.kept), ("taken", result.taken)):
        listed = dict(new.get(name, {}))
        listed.update(list(records.items())[: max(0, MAX_REPORTED - len(listed))])
        new[name] = listed
        new[f"{name}Count"] = new.get(f"{name}Count", 0) + len(records)
    return new


def _mark_undone(job: BulkJob) -> None:
    if job.undoes_id:
        BulkJob.objects.filter(pk=job.undoes_id).update(undone_at=timezone.now(), updated_at=timezone.now())


PURGE_JOURNALS = """
DELETE FROM crm_journal WHERE id IN (SELECT id FROM crm_journal WHERE created_at < %s ORDER BY created_at LIMIT %s)
"""
PURGE_SINGLE_CHANGES = """
DELETE FROM crm_bulkjob WHERE id IN (
    SELECT id FROM crm_bulkjob b
    WHERE total = 1 AND finished_at < %s AND action IN ('update', 'delete', 'restore', 'undo')
        AND NOT EXISTS (SELECT FROM crm_journal j WHERE j.bulk_job_id = b.id)
        AND NOT EXISTS (SELECT FROM crm_bulkjob u WHERE u.undoes_id = b.id)
    ORDER BY finished_at LIMIT %s)
"""


def purge_journals() -> bool:
    """Delete one batch of journals that no undo needs any more, and of the jobs of single records, which are only kept
    for undoing. Returns whether there may be more."""
    until = timezone.now() - KEPT_FOR
    with connection.cursor() as cursor:
        cursor.execute(PURGE_JOURNALS, [until, SWEEP])
        more: bool = cursor.rowcount == SWEEP
        cursor.execute(PURGE_SINGLE_CHANGES, [until, SWEEP])
        return more or bool(cursor.rowcount == SWEEP)
