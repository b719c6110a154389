"""One change or deletion of many records of a type: within the request, or by a job in batches if there are very many.

Both work alike: batches of rows, locked in the order of their ids, are journaled so that the change can be undone, and
emit events.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.models import BulkJob
from crm.records.bulk_change import ChangesById
from crm.records.kinds import RecordKind
from crm.records.types import RECORD_TYPES, Apply, RecordType

UPDATE, DELETE = BulkJob.Action.UPDATE, BulkJob.Action.DELETE
MAX_AT_ONCE = 10_000
"""The largest number of records that selectAll changes within a request; a job changes more."""
UNDO_DAYS = 30
UNDOABLE_FOR = timedelta(days=UNDO_DAYS)


class Outcome(NamedTuple):
    """The number of selected records and of changed ones. `job` is the queued job if the change is too large for a
    request (`queued`; nothing has changed yet), otherwise the job by which the change can be undone, if more than one
    record was selected."""

    matched: int
    changed: int
    job: BulkJob | None = None

    @property
    def queued(self) -> bool:
        return self.job is not None and self.job.status == BulkJob.Status.QUEUED


def batch_action(what: RecordType, action: str, actor_id: str | None, change: Mapping[str, Any]) -> Apply:
    """Return the function that applies the action to a batch of locked records in the current transaction."""
    return what.prepare(actor_id, change) if action == UPDATE else lambda ids: _flag_deleted(what.kind, ids, actor_id)


@transaction.atomic
def change_many(
    kind: RecordKind,
    action: str,
    *,
    actor_id: str,
    selection: BulkSelection,
    change: Mapping[str, Any] | None = None,
    automation: bool = True,
) -> Outcome:
    """Change or delete the selected live records, all or none, or queue a job for it. Raises the kind's `not_found` if
    ids select none."""
    what = RECORD_TYPES[kind.panel]
    job = BulkJob(
        action=action,
        panel=kind.panel,
        selection=dict(selection.raw),
        change=dict(change or {}),
        automation=automation,
        created_by_id=actor_id,
    )
    job.pk = new_id()
    apply = batch_action(what, action, actor_id, job.change)
    selected = selection.apply(kind.live())
    if selection.everything and selected.order_by()[: at_once() + 1].count() > at_once():
        job.until = kind.model._default_manager.aggregate(last=Max("pk"))["last"]
        job.save()
        notify_workers("bulk-job")
        return Outcome(0, 0, job)
    matched = changed = 0
    for ids in in_batches(selected, lock=True):
        source = Source.bulk_job(job.pk) if len(ids) > 1 or matched else None
        matched += len(ids)
        changed += len(change_batch(kind, action, apply, ids, source, actor_id=actor_id, automation=automation))
    if not matched and not selection.everything:
        raise NamedError(kind.not_found, f"ids: none of them is one of the company's {kind.noun}")
    if matched < 2 or not changed:
        return Outcome(matched, changed)
    now = timezone.now()
    job.status, job.total, job.processed, job.changed = BulkJob.Status.COMPLETED, matched, matched, changed
    job.started_at, job.finished_at, job.undo_until = now, now, now + UNDOABLE_FOR
    job.save()
    return Outcome(matched, changed, job)


def change_batch(
    kind: RecordKind,
    action: str,
    apply: Apply,
    ids: list[str],
    source: Source | None,
    *,
    actor_id: str | None,
    automation: bool,
) -> ChangesById:
    """Change a batch of locked records with journal and events, in the caller's transaction. Returns the differences by
    record."""
    if source is not None:
        journal.before(kind, ids, source)
    moved = apply(ids)
    payloads = {id: {"changes": found} for id, found in moved.items()} if action == UPDATE else None
    verb = "updated" if action == UPDATE else "deleted"
    emit(f"{kind.panel}.{verb}", sorted(moved), payloads=payloads, actor_id=actor_id, automation=automation)
    if source is not None:
        journal.after(kind, ids, source)
    return moved


def _flag_deleted(kind: RecordKind, ids: list[str], actor_id: str | None) -> ChangesById:
    now = timezone.now()
    kind.model._default_manager.filter(pk__in=ids).update(
        is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=actor_id
    )
    return {id: {} for id in ids}


def at_once() -> int:
    """Return MAX_AT_ONCE, or less in tests."""
    return int(getattr(settings, "BULK_AT_ONCE", MAX_AT_ONCE))
