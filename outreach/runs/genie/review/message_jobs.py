"""Changes of all messages of a run: within the request, or by a bulk job in batches if there are very many.

A run has one such change at a time, and a later one replaces the one before it. Every batch locks the run first and
ends the job if the run names another one by then, so that the last decision wins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from core.jobs import notify_workers
from core.types import JsonObject, Values
from crm.bulk_jobs.services import batch_rows, process_batches
from crm.models import BulkJob
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery import services as delivery
from outreach.messaging.delivery.approving.approvals import turn_into_drafts
from outreach.messaging.delivery.models import SendJob
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.rewrites import retry

Action, Status = BulkJob.Action, SendJob.Status
MAX_DIRECT_CHANGES = 1000
"""The largest number of messages that a request changes; a job changes more."""
ACTIVE_STATUSES = (BulkJob.Status.QUEUED, BulkJob.Status.RUNNING)
REPLACED = "A later change of the run's messages has replaced it."


@dataclass(frozen=True, slots=True)
class Changed:
    """The number of changed messages, or None and the id of the job that changes them."""

    count: int | None
    job: str | None = None


def change_messages(
    run: GenieScheduler,
    action: BulkJob.Action,
    statuses: Collection[str],
    member_id: str | None,
    *,
    details: Mapping[str, str] | None = None,
) -> Changed:
    """Apply the action to the messages of a locked run that have one of the statuses, or queue a job for it.

    `details` has the state that a person has seen: contentHash and times. Messages changed after `draftsUntil` are left
    alone. A job also leaves those whose contact or sender changes after `seenUntil`. With `approvedSince` only the
    messages change that the member has approved since. Approved messages are held until `sendAfter`.

    A running job with the same action continues, unless there are messages that are newer than it. Any other job of the
    run is cancelled.
    """
    change: JsonObject = {"statuses": sorted(statuses), **(details or {})}
    rows = _messages(run.pk, change, member_id)
    # The run is locked by the caller, and then its job: the order in which a batch takes them.
    current = BulkJob.objects.select_for_update(of=("self",)).filter(pk=run.message_job_id).first()
    if current is not None:
        # A repeated click must not begin the same work again from the start.
        if _does(current, action, change) and not rows.filter(created_at__gt=current.created_at).exists():
            return Changed(None, current.pk)
        _replace(current)
    # Counted up to the limit only, whatever the run has.
    few = rows.order_by()[: MAX_DIRECT_CHANGES + 1].count() <= MAX_DIRECT_CHANGES
    job = None if few else _queue(run, action, change, member_id)
    if run.message_job_id != (job and job.pk):
        GenieScheduler.objects.filter(pk=run.pk).update(message_job=job)
    return Changed(_apply(action, change, rows, member_id)) if job is None else Changed(None, job.pk)


def _messages(run_id: str, change: Values, member_id: str | None) -> QuerySet[SendJob]:
    rows = SendJob.objects.filter(run_id=run_id, status__in=change["statuses"])
    if "draftsUntil" in change:
        rows = rows.filter(updated_at__lte=datetime.fromisoformat(change["draftsUntil"]))
    if "approvedSince" in change:
        since = datetime.fromisoformat(change["approvedSince"])
        rows = rows.filter(approved_at__gte=since, approved_by_id=member_id)
    return rows


def _apply(action: BulkJob.Action, change: Values, rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Apply the action to the messages. Returns how many have changed."""
    if action == Action.APPROVE_MESSAGES and "sendAfter" in change:
        return delivery.approve_together(rows, member_id, datetime.fromisoformat(change["sendAfter"]))
    return _APPLY[action](rows, member_id)


def _does(job: BulkJob, action: BulkJob.Action, change: JsonObject) -> bool:
    """Return whether the job does the same, and no stop was requested."""
    going = job.status in ACTIVE_STATUSES and not (job.pause_requested or job.cancel_requested)
    return going and job.action == action and job.change == change


def _replace(job: BulkJob) -> None:
    """Cancel a locked job that has not ended: at once, or when its worker asks for the next batch."""
    now = timezone.now()
    rows = BulkJob.objects.filter(pk=job.pk)
    rows.filter(status=BulkJob.Status.RUNNING).update(cancel_requested=True, error=REPLACED, updated_at=now)
    rows.filter(status__in=(BulkJob.Status.QUEUED, BulkJob.Status.PAUSED)).update(
        status=BulkJob.Status.CANCELLED, error=REPLACED, finished_at=now, lease=None, updated_at=now
    )


def _queue(run: GenieScheduler, action: BulkJob.Action, change: JsonObject, member_id: str | None) -> BulkJob:
    job: BulkJob = BulkJob.objects.create(
        action=action, panel=BulkJob.Panel.GENIE, selection={"run": run.pk}, change=change, created_by_id=member_id
    )
    notify_workers("bulk-job")
    return job


def work_on_messages(job: BulkJob, deadline: float) -> None:
    """Work on a job that changes the messages that its run had when it was made, in the order of their ids."""
    process_batches(job, deadline, _change_next)


def _change_next(job: BulkJob) -> JsonObject | None:
    run = lock_run(job.selection["run"])
    # A later decision has replaced this one; its messages may have been decided by it.
    if run is None or run.message_job_id != job.pk:
        return {"processed": job.processed, "cancel_requested": True, "error": REPLACED}
    rows = _messages(run.pk, job.change, job.created_by_id)
    if job.action != Action.CANCEL_MESSAGES:  # a cancelled run gets no new ones
        # What came later was not part of what the member decided about.
        rows = rows.filter(created_at__lte=job.created_at)
    if "seenUntil" in job.change:
        seen = datetime.fromisoformat(job.change["seenUntil"])
        # A person has approved what the sample showed; a contact that changed since was not in it.
        rows = rows.filter(contact__updated_at__lte=seen)
        rows = rows.exclude(smtp__updated_at__gt=seen).exclude(mail_app__updated_at__gt=seen)
    progress = {} if job.total is not None else {"total": rows.count()}
    ids = list(rows.filter(pk__gt=job.position or "").order_by("pk").values_list("pk", flat=True)[: batch_rows(job)])
    if not ids:
        return None
    changed = _apply(Action(job.action), job.change, rows.filter(pk__in=ids), job.created_by_id)
    return {
        **progress,
        "position": ids[-1],
        "processed": job.processed + len(ids),
        "changed": job.changed + changed,
    }


def held_until(delay_seconds: int) -> dict[str, str]:
    """Return the detail of an approval that holds its messages for the seconds; nothing for 0."""
    send_after = delivery.after_delay(delay_seconds)
    return {"sendAfter": send_after.isoformat()} if send_after else {}


def _cancel(rows: QuerySet[SendJob], member_id: str | None) -> int:
    return ledger.transition_all(rows, to=Status.CANCELLED, reason="run_cancelled", actor_id=member_id)


_APPLY: dict[BulkJob.Action, Callable[[QuerySet[SendJob], str | None], int]] = {
    Action.APPROVE_MESSAGES: delivery.approve_together,
    Action.HOLD_MESSAGES: turn_into_drafts,
    Action.RETRY_MESSAGES: retry,
    Action.CANCEL_MESSAGES: _cancel,
}
"""Action -> the function that does it to messages for a member (id). Returns how many have changed."""
