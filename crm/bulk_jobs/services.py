"""Bulk jobs: people change their state, and workers process them in batches. Each domain registers its actions here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.access import entitlement, limited_creation
from core.errors import NamedError
from core.events import QUEUE, start_mode
from core.jobs import Work, finish, has_due, notify_workers, release, save_progress, work_by_name
from core.types import JsonObject
from crm.bulk_jobs.models import BulkJob
from crm.records.automation import is_queued

PAUSED = BulkJob.Status.PAUSED
QUEUED = BulkJob.Status.QUEUED
RUNNING = BulkJob.Status.RUNNING
COMPLETED = BulkJob.Status.COMPLETED
FAILED = BulkJob.Status.FAILED
CANCELLED = BulkJob.Status.CANCELLED
ENDED = (COMPLETED, FAILED, CANCELLED)
NOT_FOUND, WRONG_STATE = "NotFound_404", "InvalidRequest_400"
BATCH_ROWS = 2000
FIRST_ROWS = 500
MIN_ROWS = 50
BATCH_SECONDS = 0.3
"""About how long a batch takes: writers of its records wait for it."""
SMOOTHING = 0.2
LAPSED = "The company's subscription has ended. Renew it, then resume the job: it goes on where it stopped."

Step = Callable[[BulkJob], JsonObject | None]
"""Processes one batch in the caller's transaction. It returns the job's new fields (`processed` among them), or None
if nothing is left. `rows` is the size of the batch if `processed` doesn't give it."""


@dataclass(frozen=True)
class BulkAction(Work):
    """An action of bulk jobs. `run(job, deadline)` works on a claimed job, like that of a core.jobs.JobWork."""

    run: Callable[[BulkJob, float], None]

    part_of: ClassVar[str] = "bulk-job"


def run(job: BulkJob, deadline: float) -> None:
    """Work on a claimed job."""
    if job.cancel_requested or job.pause_requested:
        release(job)  # the request came while no worker had the job
        return
    work_by_name(BulkAction)[job.action].run(job, deadline)


def process_batches(job: BulkJob, deadline: float, step: Step, end: Callable[[BulkJob], None] | None = None) -> None:
    """Process batches, each with its progress in one transaction, until nothing is left, the job must stop, or the
    deadline passes.

    `end` is called in the transaction that ends the job. A named error of `step` ends the job as failed.
    """
    while True:
        started = monotonic()
        try:
            with transaction.atomic():
                queued = is_queued(job.automation_queued, job.total)
                with start_mode(QUEUE if queued else "run"):
                    # The step and its progress commit together: a worker that dies in between leaves neither.
                    progress = step(job)
                if progress is None:
                    if end is not None:
                        end(job)
                    finish(job, COMPLETED, total=job.processed)
                    return
                rows = progress.pop("rows", progress["processed"] - job.processed)
                rate = _smooth(job.rate, rows / max(monotonic() - started, 0.001)) if rows else job.rate
                go_on = save_progress(job, **{"started_at": job.started_at or timezone.now(), "rate": rate, **progress})
        except NamedError as error:
            finish(job, FAILED, error=error.detail, error_detail=str(error))
            return
        # Given back only where another job waits. Otherwise it would just be claimed again.
        if not go_on or (monotonic() > deadline and has_due(BulkJob)):
            release(job)
            return


def _smooth(before: float | None, rate: float) -> float:
    return rate if before is None else before * (1 - SMOOTHING) + rate * SMOOTHING


def within_plan(job: BulkJob, do: Callable[[], None]) -> None:
    """Do the work, within the company's plan if the job is limited. A lapsed subscription ends the job as failed."""
    if not job.limited:
        do()
        return
    try:
        allowed = entitlement(job.company_id)
    except NamedError as error:
        finish(job, FAILED, error=LAPSED, error_detail=str(error))
        return
    with limited_creation(allowed):
        do()


def batch_rows(job: BulkJob | None = None) -> int:
    """Return the number of records in the next batch: as many as the job does in BATCH_SECONDS, or for None, where a
    batch locks no records, the largest number. Chaos tests lower it to interrupt a job at more points."""
    largest = int(getattr(settings, "BULK_BATCH_ROWS", BATCH_ROWS))
    if job is None:
        return largest
    # Sized by time and not by number: a record with many values takes long,
    # and its writers wait for the batch.
    size = FIRST_ROWS if job.rate is None else max(MIN_ROWS, int(job.rate * BATCH_SECONDS))
    return min(size, largest)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no job that the caller may see."""
    return NamedError(NOT_FOUND, "there is no such bulk job in this company", field="id")


@transaction.atomic
def move_job(*, id: str, status: str) -> BulkJob:
    """Pause (`paused`), resume (`queued`) or cancel (`cancelled`) a job: at once while it waits, otherwise after the
    worker's current batch.

    Raises NotFound_404, and InvalidRequest_400 for a job whose state does not allow it.
    """
    job = BulkJob.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if job is None:
        raise not_found()
    if not _MOVES[status](job):
        doing = {PAUSED: "paused", QUEUED: "resumed", CANCELLED: "cancelled"}[BulkJob.Status(status)]
        raise NamedError(WRONG_STATE, f"a job that is {job.status} cannot be {doing}", field="status")
    # Do not write the worker's own columns: it may be at work, and only its lease protects the row.
    job.save(
        update_fields=[
            *(
                "status",
                "pause_requested",
                "cancel_requested",
                "due_at",
                "finished_at",
                "error",
                "error_detail",
                "updated_at",
            ),
            *(("lease", "worker", "attempts", "deaths") if job.status != RUNNING else ()),
        ]
    )
    if job.status == QUEUED:
        notify_workers("bulk-job")
    return job


def _pause(job: BulkJob) -> bool:
    if job.status == QUEUED:
        job.status = PAUSED
    elif job.status == RUNNING and not job.cancel_requested:
        job.pause_requested = True
    else:
        return False
    return True


def _resume(job: BulkJob) -> bool:
    if job.status == RUNNING and job.pause_requested:
        job.pause_requested = False
    elif job.status in (PAUSED, FAILED):
        job.status = QUEUED
        job.due_at = timezone.now()
        job.lease = None
        job.worker = None
        job.attempts = job.deaths = 0
        job.pause_requested = False
        job.finished_at = None
        job.error = ""
        job.error_detail = ""
    else:
        return False
    return True


def _cancel(job: BulkJob) -> bool:
    if job.action not in CANCELLABLE:
        return False
    if job.status in (PAUSED, QUEUED):
        job.status = CANCELLED
        job.finished_at = timezone.now()
        job.lease = None
    elif job.status == RUNNING and not job.cancel_requested:
        job.cancel_requested = True
    else:
        return False
    return True


CANCELLABLE = frozenset(BulkJob.Action) - {
    BulkJob.Action.CONVERT_FIELD,
    BulkJob.Action.DELETE_FIELD,
    BulkJob.Action.CANCEL_MESSAGES,
}
"""Actions that may stop at any point. The others may not, since the field's definition has changed or the run is
cancelled already."""
_MOVES = {PAUSED.value: _pause, QUEUED.value: _resume, CANCELLED.value: _cancel}
