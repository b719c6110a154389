"""One change or deletion of records of a type: within the request, or by a job in batches if there are very many.

Both work alike: batches of rows, locked in the order of their ids, are journaled so that the change can be undone, and
emit events.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.events import emit, requested_queueing
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.types import Values
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob, Journal
from crm.records.kinds import RecordKind
from crm.records.locks import lock_fields_shared
from crm.records.types import RECORD_TYPES, Apply, RecordType
from crm.records.writes.bulk_change import ChangesById

UPDATE = BulkJob.Action.UPDATE
DELETE = BulkJob.Action.DELETE
RESTORE = BulkJob.Action.RESTORE
MAX_DIRECT_RECORDS = 1000
"""The largest number of records that a request changes, while writers of these wait; a job changes more."""
UNDO_DAYS = 30
UNDOABLE_FOR = timedelta(days=UNDO_DAYS)


class Outcome(NamedTuple):
    """The numbers of selected and of changed records, with warnings by record.

    `job` is the queued job if the change is too large for a request (`queued`; nothing has changed yet). Otherwise it
    is the job by which the change can be undone, if any.
    """

    matched: int
    changed: int
    job: BulkJob | None = None
    warnings: Mapping[str, str] = {}

    @property
    def queued(self) -> bool:
        return self.job is not None and self.job.status == BulkJob.Status.QUEUED


def batch_action(what: RecordType, action: str, actor_id: str | None, change: Values) -> Apply:
    """Return the function that applies the action to a batch of locked records in the current transaction."""
    if action == UPDATE:
        return what.prepare(actor_id, change)
    lock_fields_shared()  # so that the journal doesn't take a conversion for a part of the deletion
    return lambda ids: _flag_deleted(what.kind, ids, actor_id)


def new_job(
    kind: RecordKind,
    action: str,
    *,
    actor_id: str | None,
    selection: Values,
    change: Values | None = None,
    automation: bool = True,
) -> BulkJob:
    """Return a job, not saved yet, whose id the journal of a change can refer to in the same transaction."""
    job = BulkJob(
        action=action,
        panel=kind.panel,
        selection=dict(selection),
        change=dict(change or {}),
        automation=automation,
        automation_queued=requested_queueing(),
        created_by_id=actor_id,
    )
    job.pk = new_id()
    return job


def complete(job: BulkJob, matched: int, changed: int) -> BulkJob | None:
    """Save the job of a change that was made within the request, so that it can be undone. Returns None, and saves
    nothing, if nothing changed."""
    if not changed:
        return None
    now = timezone.now()
    job.status = BulkJob.Status.COMPLETED
    job.total = matched
    job.processed = matched
    job.changed = changed
    job.started_at = now
    job.finished_at = now
    job.undo_until = now + UNDOABLE_FOR
    job.save()
    return job


def record_change(source: Source, *kinds: RecordKind, actor_id: str | None, automation: bool = True) -> str | None:
    """Create the job by which records that a request journaled for `source`, a bulk job's id, can be undone.

    It counts as one of the first of the kinds that was journaled; records of this kind are `made_with` the others.
    Returns its id, or None if nothing was journaled.
    """
    ids_by_panel: dict[str, list[str]] = {}
    rows = Journal.objects.filter(**{source.column: source.id}).order_by("record_id")
    for panel, id in rows.values_list("panel", "record_id"):
        ids_by_panel.setdefault(panel, []).append(id)
    kind = next((kind for kind in kinds if kind.panel in ids_by_panel), None)
    if kind is None:
        return None
    ids = ids_by_panel[kind.panel]
    selection = {"ids": ids, "nids": [], "query": {}}
    job = new_job(kind, UPDATE, actor_id=actor_id, selection=selection, automation=automation)
    job.pk = source.id
    return source.id if complete(job, len(ids), len(ids)) else None


def queue_if_many(job: BulkJob, kind: RecordKind, selection: BulkSelection, selected: QuerySet[Any]) -> bool:
    """Queue the job for a worker if more records are selected than a request changes. Returns whether it did."""
    # Counted up to the limit only. The whole count of a large company would take longer than the change.
    if selected.order_by()[: max_direct_records() + 1].count() <= max_direct_records():
        return False
    # Ids ascend by time, so that the job leaves alone whatever is created after it.
    job.until = kind.model._default_manager.aggregate(last=Max("pk"))["last"]
    job.save()
    notify_workers("bulk-job")
    return True


@transaction.atomic
def change_many(
    kind: RecordKind,
    action: str,
    *,
    actor_id: str,
    selection: BulkSelection,
    change: Values | None = None,
    automation: bool = True,
) -> Outcome:
    """Change or delete the selected live records, all or none, or queue a job for it. Raises the kind's `not_found` if
    ids select none."""
    what = RECORD_TYPES[kind.panel]
    job = new_job(kind, action, actor_id=actor_id, selection=selection.raw, change=change, automation=automation)
    # Before the rows are locked, since it locks the fields: their other holders may wait for these rows.
    apply = batch_action(what, action, actor_id, job.change)
    selected = selection.apply(kind.live())
    if queue_if_many(job, kind, selection, selected):
        return Outcome(0, 0, job)
    matched = changed = 0
    warnings: dict[str, str] = {}
    source = Source.bulk_job(job.pk)
    # NO KEY UPDATE lets rows that refer to the records be inserted during the change.
    for ids in in_batches(selected, lock=True, no_key=True):
        matched += len(ids)
        moved = change_batch(kind, action, apply, ids, source, actor_id=actor_id, automation=automation)
        changed += len(moved)
        warnings |= judge(what, action, moved)
    if not matched and not selection.everything:
        raise NamedError(kind.not_found, f"none of them is one of the company's {kind.noun}", field="ids")
    return Outcome(matched, changed, complete(job, matched, changed), warnings)


def judge(what: RecordType, action: str, moved: ChangesById) -> Mapping[str, str]:
    """Return the warnings about changed records: id -> text. Raises the error of a change that the company refuses."""
    return what.judge(moved) if action == UPDATE else {}


def change_batch(
    kind: RecordKind,
    action: str,
    apply: Apply,
    ids: list[str],
    source: Source,
    *,
    actor_id: str | None,
    automation: bool,
) -> ChangesById:
    """Change a batch of locked records with journal and events, in the caller's transaction. Returns the differences by
    record."""
    journal.record_before(kind, ids, source)
    with journal.apply_journaled(source):
        moved = apply(ids)
    payloads = {id: {"changes": changes} for id, changes in moved.items()} if action == UPDATE else None
    verb = "updated" if action == UPDATE else "deleted"
    # In the order of the ids, which is the order of the locks on the counters of objects.
    emit(f"{kind.resource}.{verb}", sorted(moved), payloads=payloads, actor_id=actor_id, automation=automation)
    journal.record_after(kind, ids, source)
    return moved


def _flag_deleted(kind: RecordKind, ids: list[str], actor_id: str | None) -> ChangesById:
    now = timezone.now()
    kind.model._default_manager.filter(pk__in=ids).update(
        is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=actor_id
    )
    return {id: {} for id in ids}


def max_direct_records() -> int:
    """Return MAX_DIRECT_RECORDS, or less in tests."""
    return int(getattr(settings, "BULK_AT_ONCE", MAX_DIRECT_RECORDS))
