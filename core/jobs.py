"""Work: PostgreSQL owns it, Celery only wakes the workers.

A kind of work registers how it is drained and how to see that some is due. `wake` publishes a hint after the commit; the tick
(core.tasks) frees what dead workers held and wakes every kind that has something due, so that a lost, repeated or late hint changes
nothing but the time.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, TypeVar, cast

from celery import current_app
from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone
from kombu.exceptions import OperationalError

from core.ids import ObjectIdField, new_id
from core.liveness import ALIVE, NAMESPACE, worker_number
from core.models.jobs import Claimable, Job
from core.tenancy import company_scope, unscoped

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
MAX_DEATHS = 10
POISONED = f"{MAX_DEATHS} workers in a row died while they worked on it, so that it was stopped."
SLICE_SECONDS = 20.0
"""How long one Celery task works before it makes room for others."""

Row = TypeVar("Row", bound=Claimable)
Held = TypeVar("Held", bound=Job)


class LeaseLost(Exception):
    """Another worker has taken the row over; whatever this one was about to write must not be written."""


@dataclass(frozen=True)
class Work:
    """A kind of work. `drain(deadline)` works until nothing is due or monotonic() passes the deadline; `due()` says whether anything is."""

    name: str
    queue: str
    drain: Callable[[float], object]
    due: Callable[[], bool]
    model: type[Claimable] | None = None


WORK: dict[str, Work] = {}
_ended: dict[type[Claimable], Callable[[Any], None]] = {}


def register(work: Work) -> None:
    """Make a kind of work known to the tick and the workers."""
    WORK[work.name] = work


def register_job(
    name: str, model: type[Held], run: Callable[[Held, float], None], *, queue: str, ended: Callable[[Held], None] | None = None
) -> None:
    """Register a Job model; `run(job, deadline)` works inside the job's company and ends by `finish`, `release` or an exception.

    `ended(job)` is called inside the company whenever work has given a job its final status, in that transaction: what it writes is
    there exactly once, whichever worker died when.
    """
    if ended is not None:
        _ended[model] = ended

    def drain(deadline: float) -> None:
        while monotonic() < deadline:
            jobs = claim(model, limit=1)
            if not jobs:
                return
            run_job(jobs[0], run, deadline)

    register(Work(name, queue, drain, lambda: has_due(model), model))


def notify_workers(name: str) -> None:
    """After the commit, tell the workers that there is work of the kind."""
    transaction.on_commit(lambda: publish(name))


def publish(name: str, *, expires: float | None = None) -> None:
    """Send the hint now; without a broker the tick finds the work later."""
    try:
        current_app.send_task("core.drain", args=[name], queue=WORK[name].queue, expires=expires, retry=False, ignore_result=True)
    except OperationalError as error:
        log.warning("no broker to wake %s (%s); the tick will find the work", name, error)


def _ready(model: type[Claimable]) -> Q:
    return Q(status=model.claim_policy.ready, due_at__lte=timezone.now())


def has_due(model: type[Claimable], extra: Q | None = None) -> bool:
    """Whether rows of any company wait to be claimed."""
    with unscoped(reason="tick: due work of all companies"):
        return cast(Any, model)._default_manager.filter(_ready(model), extra or Q()).exists()


def claim(model: type[Row], *, limit: int, extra: Q | None = None, order_by: tuple[str, ...] = ("due_at", "id")) -> list[Row]:
    """Take up to `limit` due rows under a fresh lease; rows that others hold are skipped."""
    policy, number, lease = model.claim_policy, worker_number(), new_id()
    with unscoped(reason="worker: claims the work of all companies"), transaction.atomic():
        ids = list(
            model._default_manager.select_for_update(skip_locked=True, of=("self",))
            .filter(_ready(model), extra or Q())
            .order_by(*order_by)
            .values_list("pk", flat=True)[:limit]
        )
        if not ids:
            return []
        model._default_manager.filter(pk__in=ids).update(
            status=policy.claimed, lease=lease, worker=number, attempts=F("attempts") + 1, updated_at=timezone.now()
        )
        rows = model._default_manager.in_bulk(ids)
    return [rows[pk] for pk in ids]


def update_owned(row: Claimable, **values: Any) -> None:
    """Update the row under its lease; raises LeaseLost when the lease has changed hands."""
    changed = type(row)._default_manager.filter(pk=row.pk, lease=row.lease).update(updated_at=timezone.now(), **values)
    if changed != 1:
        raise LeaseLost(f"{type(row).__name__} {row.pk}")
    for name, value in values.items():
        setattr(row, name, value)


def checkpoint(job: Job, **progress: Any) -> bool:
    """Save progress in the transaction of the batch it tells of; False when the job has been asked to pause or to stop."""
    update_owned(job, deaths=0, attempts=1, **progress)
    paused, cancelled = type(job).objects.values_list("pause_requested", "cancel_requested").get(pk=job.pk)
    job.pause_requested, job.cancel_requested = paused, cancelled
    return not (paused or cancelled)


def finish(job: Job, status: str, **values: Any) -> None:
    """Give the job its final status and let go of it."""
    with transaction.atomic():
        update_owned(job, status=status, finished_at=timezone.now(), pause_requested=False, cancel_requested=False, worker=None, **values)
        _notify_ended(job)


def _notify_ended(job: Claimable) -> None:
    if type(job) in _ended:
        _ended[type(job)](job)


def release(job: Job, *, due_at: datetime | None = None, **values: Any) -> None:
    """Let go of the job: paused or cancelled when that was asked for, otherwise queued to be gone on with."""
    if job.cancel_requested:
        finish(job, Job.Status.CANCELLED, **values)
    elif job.pause_requested:
        update_owned(job, status=Job.Status.PAUSED, pause_requested=False, worker=None, lease=None, **values)
    else:
        update_owned(job, status=Job.Status.QUEUED, due_at=due_at or timezone.now(), worker=None, lease=None, **values)


def run_job(job: Held, run: Callable[[Held, float], None], deadline: float) -> None:
    """Run one claimed job; an exception puts it back with backoff, and parks it as failed in the end."""
    started = monotonic()
    with company_scope(job.company_id):
        try:
            run(job, deadline)
        except LeaseLost:
            log.warning("%s %s was taken over by another worker", type(job).__name__, job.pk)
        except Exception as error:  # noqa: BLE001  the edge of one job: its row says what happened
            log.exception("%s %s failed", type(job).__name__, job.pk)
            _retry_or_fail(job, error)
        else:
            spent = int((monotonic() - started) * 1000)
            type(job).objects.filter(pk=job.pk).update(busy_ms=F("busy_ms") + spent)


def _retry_or_fail(job: Job, error: Exception) -> None:
    detail = f"{type(error).__name__}: {error}"[:5000]
    try:
        if job.attempts >= MAX_ATTEMPTS:
            finish(job, Job.Status.FAILED, error="It failed several times for an unexpected reason and was stopped.", error_detail=detail)
        else:
            update_owned(
                job, status=job.claim_policy.ready, due_at=timezone.now() + backoff(job.attempts), worker=None, error_detail=detail
            )
    except LeaseLost:
        log.warning("%s %s was taken over while it failed", type(job).__name__, job.pk)


def backoff(attempt: int, *, base: float = 2.0, most: float = 3600.0) -> timedelta:
    """Exponential wait with full jitter, at least half a second."""
    return timedelta(seconds=0.5 + random.uniform(0, min(most, base**attempt)))


def sweep() -> int:
    """Free the rows that dead workers held; returns how many."""
    freed = 0
    for model in {work.model for work in WORK.values() if work.model is not None}:
        for held, status in model.claim_policy.orphans.items():
            freed += _sweep(model, held, status)
    return freed


def _sweep(model: type[Claimable], held: str, status: str) -> int:
    company = F("company_id") if hasattr(model, "company_id") else Value(None, output_field=ObjectIdField(null=True))
    objects: Any = model._default_manager
    with unscoped(reason="sweeper: rows of dead workers in all companies"), transaction.atomic():
        rows = list(
            objects.select_for_update(skip_locked=True, of=("self",))
            .filter(status=held)
            .extra(where=[f"(worker IS NULL OR worker NOT IN ({ALIVE}))"], params=[NAMESPACE])
            .values_list("pk", company)[:5000]
        )
        if not rows:
            return 0
        after: Any = Value(status)
        if status == model.claim_policy.ready:  # only what would be tried again can be poison
            after = Case(When(deaths__gte=MAX_DEATHS - 1, then=Value(model.claim_policy.poisoned)), default=after)
        objects.filter(pk__in=[pk for pk, _ in rows]).update(
            status=after, lease=None, worker=None, deaths=F("deaths") + 1, updated_at=timezone.now()
        )
        poisoned = objects.filter(pk__in=[pk for pk, _ in rows], status=model.claim_policy.poisoned)
        poisoned.update(error=POISONED)
        model.freed(rows, held, status)
        for job in poisoned if model in _ended else ():
            with company_scope(job.company_id):
                _notify_ended(job)
    return len(rows)
