"""Bulk jobs that change or delete records: those that matched when the job was created, in batches in the order of
their ids.

The job skips a record that no longer matches, or that was created after the job.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import ApiError
from core.lists import BulkSelection
from core.types import JsonObject
from crm.bulk_jobs.changes import UNDOABLE_FOR, batch_action, change_batch, judge
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import batch_rows, process_batches
from crm.records.kinds import RecordKind
from crm.records.types import RECORD_TYPES, Apply

MAX_REPORTED = 1000
"""The largest number of records in a job's report."""


def change_records(job: BulkJob, deadline: float) -> None:
    """Work on a job of action update or delete."""
    process_batches(job, deadline, _change_next)


def _change_next(job: BulkJob) -> JsonObject | None:
    what = RECORD_TYPES[job.panel]
    totals: JsonObject = {}
    apply = batch_action(what, job.action, job.created_by_id, job.change)
    selected = selected_records(job, what.kind.live())
    if job.total is None:
        totals["total"] = selected.count()
        totals["undo_until"] = timezone.now() + UNDOABLE_FOR
    ids = lock_next(job, what.kind.live())
    if not ids:
        return None
    report = dict(job.report)
    changed, failed = _change(job, what.kind, apply, ids, report)
    return {
        **totals,
        "position": ids[-1],
        "processed": job.processed + len(ids),
        "changed": job.changed + changed,
        "failed": job.failed + failed,
        "report": report,
    }


def selected_records(job: BulkJob, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return those of the rows that the job is about."""
    fields = RECORD_TYPES[job.panel].fields
    # By the time of the job's creation: a filter such as "in the last 7 days"
    # must not move while the job runs.
    selection = BulkSelection.parse(job.selection, job.selection.get("query", {}), fields, now=job.created_at)
    return selection.apply(rows).filter(pk__lte=job.until)


def lock_next(job: BulkJob, rows: QuerySet[Any]) -> list[str]:
    """Lock the next of the rows that the job is about. Returns their ids, in order."""
    size = batch_rows(job)
    locked = rows.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk", flat=True)
    if job.selection.get("selectAll"):
        return list(selected_records(job, locked.filter(pk__gt=job.position or ""))[:size])
    # Not by the whole selection, which may have a hundred thousand ids.
    named = sorted(set(job.selection["ids"]).difference(job.selection.get("nids", ())))
    for place in range(bisect_right(named, job.position or ""), len(named), size):
        if ids := list(locked.filter(pk__in=named[place : place + size])):
            return ids
    return []


def _change(job: BulkJob, kind: RecordKind, apply: Apply, ids: list[str], report: JsonObject) -> tuple[int, int]:
    """Change a batch. A record that cannot be changed, for example because a list would become too long, does not
    affect the others. Returns the number of changed records and of those that could not be changed."""
    try:
        with transaction.atomic():
            source = Source.bulk_job(job.pk)
            moved = change_batch(
                kind, job.action, apply, ids, source, actor_id=job.created_by_id, automation=job.automation
            )
            warned = judge(RECORD_TYPES[kind.panel], job.action, moved)
    except ApiError as error:
        # A refused batch is halved until the one record stands alone: a few queries
        # more, and only where one is refused.
        if len(ids) == 1:
            add_to_report(report, "failed", {ids[0]: error.detail})
            return 0, 1
    else:
        add_to_report(report, "warned", warned)
        return len(moved), 0
    middle = len(ids) // 2
    changed, failed = _change(job, kind, apply, ids[:middle], report)
    more, worse = _change(job, kind, apply, ids[middle:], report)
    return changed + more, failed + worse


def add_to_report(report: JsonObject, name: str, texts: Mapping[str, str]) -> None:
    """Add records and their texts to a part of the report, up to the limit."""
    if texts:
        listed = report.setdefault(name, {})
        listed.update(list(texts.items())[: max(0, MAX_REPORTED - len(listed))])
