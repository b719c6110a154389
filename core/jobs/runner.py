"""The runner of jobs: it claims them one by one, runs them inside their company, and ends or retries them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, ClassVar, Generic, TypeVar

from billiard.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.database import may_succeed_later, retry_until_available
from core.jobs.leases import LeaseLost, backoff_delay, claim, update_owned
from core.jobs.liveness import release_lock
from core.jobs.models import Claimable, Job
from core.jobs.registry import DrainedWork, Moment, work_by_name
from core.logs import log_context
from core.tenancy import company_scope

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
DATABASE_PAUSE = timedelta(seconds=10)
"""The pause of a job that the database has interrupted, which is no attempt."""

J = TypeVar("J", bound=Job)


@dataclass(frozen=True)
class JobWork(DrainedWork, Generic[J]):
    """The work of a Job model. `run(job, deadline)` works on a claimed job inside its company.

    It ends by `finish`, `release` or an exception. `ended(job)` runs inside the company and in the transaction that
    gives a job its final status, so its writes happen exactly once, whichever worker dies when.
    """

    side_by_side: ClassVar[bool] = True

    run: Callable[[J, float], None]
    _: KW_ONLY
    model: type[J]
    queue: str
    task: str
    ended: Callable[[J], None] | None = None
    while_held: bool = False
    frees_claims: bool = True

    def drain(self, deadline: float) -> None:
        """Run due jobs until none is left or monotonic() passes the deadline."""
        while monotonic() < deadline:
            jobs = claim(self.model, limit=1)
            if not jobs:
                return
            run_job(jobs[0], self.run, deadline)

    def rows_due_at(self, now: Moment) -> list[QuerySet[Any]]:
        return [self.model.claimable(now)]


def save_progress(job: Job, **progress: Any) -> bool:
    """Save progress in the transaction of its batch. Returns False if the job was asked to pause or to stop."""
    update_owned(job, deaths=0, attempts=1, **progress)
    paused, cancelled = type(job).objects.values_list("pause_requested", "cancel_requested").get(pk=job.pk)
    job.pause_requested = paused
    job.cancel_requested = cancelled
    return not (paused or cancelled)


def finish(job: Job, status: str, **values: Any) -> None:
    """Give the job its final status and release its lease."""
    with transaction.atomic():
        update_owned(
            job,
            status=status,
            finished_at=timezone.now(),
            pause_requested=False,
            cancel_requested=False,
            worker=None,
            **values,
        )
        notify_ended(job)


def ended_hook(model: type[Claimable]) -> Callable[[Any], None] | None:
    """Return the hook that runs when a job of the model ends."""
    return next((work.ended for work in work_by_name(JobWork).values() if work.model is model), None)


def notify_ended(job: Claimable) -> None:
    """Call the hook of the job's model, in the transaction that gave the job its final status."""
    ended = ended_hook(type(job))
    if ended is not None:
        ended(job)


def release(job: Job, *, due_at: datetime | None = None, **values: Any) -> None:
    """Release the job's lease: pause or cancel the job if that was requested, otherwise queue it to continue."""
    if job.cancel_requested:
        finish(job, Job.Status.CANCELLED, **values)
    elif job.pause_requested:
        update_owned(job, status=Job.Status.PAUSED, pause_requested=False, worker=None, lease=None, **values)
    else:
        update_owned(job, status=Job.Status.QUEUED, due_at=due_at or timezone.now(), worker=None, lease=None, **values)


def run_job(job: J, run: Callable[[J, float], None], deadline: float) -> None:
    """Run one claimed job. An exception queues it again with backoff, and fails it after MAX_ATTEMPTS.

    A database that is away or takes no writes says nothing about the job, which then waits as long as that lasts.
    """
    started = monotonic()
    with company_scope(job.company_id), _job_log_context(job):
        try:
            # Read now, since the role may have changed since the job was made.
            own = job.maker.own_records if job.maker is not None else None
            with company_scope(job.company_id, own):
                run(job, deadline)
        except LeaseLost:
            log.warning("%s %s was taken over by another worker", type(job).__name__, job.pk)
        except Exception as error:  # noqa: BLE001  the edge of one job: its row stores the error
            log.exception("%s %s failed", type(job).__name__, job.pk)
            _requeue(job, error)
        else:
            spent = int((monotonic() - started) * 1000)
            type(job).objects.filter(pk=job.pk).update(busy_ms=F("busy_ms") + spent)


def _job_log_context(job: Job) -> AbstractContextManager[None]:
    """Add the job, and its original request, to lines of the log."""
    return log_context(job=job.pk, company=job.company_id, request=job.request_id)


def _requeue(job: Job, error: Exception) -> None:
    """Queue or fail the job, as soon as the database takes it: only its own worker frees a row while that lives."""
    try:
        retry_until_available(lambda: _retry_or_fail(job, error))
    except SoftTimeLimitExceeded:  # this process's only task ends, and leaves the row to the sweeper
        release_lock()
        raise


def _retry_or_fail(job: Job, error: Exception) -> None:
    detail = f"{type(error).__name__}: {error}"[:5000].replace("\0", "")
    try:
        if may_succeed_later(error):
            due_at, attempts = timezone.now() + DATABASE_PAUSE, job.attempts - 1
            update_owned(
                job,
                status=job.claim_policy.ready,
                due_at=due_at,
                worker=None,
                attempts=attempts,
                error_detail=detail,
            )
        elif job.attempts >= MAX_ATTEMPTS:
            finish(
                job,
                Job.Status.FAILED,
                error="It failed several times for an unexpected reason and was stopped.",
                error_detail=detail,
            )
        else:
            due_at = timezone.now() + backoff_delay(job.attempts)
            update_owned(job, status=job.claim_policy.ready, due_at=due_at, worker=None, error_detail=detail)
    except LeaseLost:
        log.warning("%s %s was taken over while it failed", type(job).__name__, job.pk)
