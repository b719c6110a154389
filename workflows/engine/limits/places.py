"""Concurrency limits: start, delay or queue new runs.

A slot that becomes free writes a notice (PlaceNotice), as do new runs that wait for one. The handler of a workflow's
notices counts its slots under a lock and admits as many runs as are free. Later commits have written notices of their
own, so that no slot stays empty.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Company
from core.internals.django import raw_delete
from core.jobs import notify_workers
from core.tenancy import company_id, company_scope, unscoped
from workflows.engine import writing
from workflows.engine.limits import limits
from workflows.engine.limits.limits import CONCURRENCY, QUOTA, RATE, WINDOW, StartReservations
from workflows.engine.limits.models import PlaceNotice, StartBucket
from workflows.engine.models import WORK, WorkflowRun
from workflows.engine.plans import plan_of
from workflows.engine.writing import HELD
from workflows.graphs.models import Workflow
from workflows.graphs.plan import Plan

LOCK = 0x6C77_0016
"""First key of the advisory locks under which slots are counted; the second is the workflow's, or the company's."""
BATCH = 2000
"""Number of runs admitted in one transaction."""
Status = WorkflowRun.Status


def begin(workflow: Workflow, plan: Plan, ids: Sequence[str], now: dt.datetime, priority: int) -> None:
    """Let new runs begin, each as soon as the window of its workflow, the rates, the quota and the places allow."""
    # The month and the rates are counted for all of them at once, under one lock.
    times = StartReservations.reserve(len(ids), workflow.pk, plan.config, now).times
    if over := ids[len(times) :]:
        WorkflowRun.objects.filter(pk__in=over).update(place=QUOTA, reason=QUOTA)
    run_ids = ids[: len(times)]
    window = plan.config.window
    opens = now if window is None or not run_ids else window.opening(now, _zone())
    later = [(id, max(at, opens)) for id, at in zip(run_ids, times, strict=True) if max(at, opens) > now]
    if later:
        # The timer's token is none of the run's: it only tells that the run may be looked at again.
        writing.insert_timers([(id, "0", at) for id, at in later], now)
        writing.delay_starts(later, WINDOW if opens > now else RATE)
        if opens > now:
            WorkflowRun.objects.filter(pk__in=[id for id, _ in later]).update(status=Status.WAITING)
    if plan.config.concurrency is not None:
        values = {"place": CONCURRENCY, "reason": CONCURRENCY, "status": Status.QUEUED}
        WorkflowRun.objects.filter(pk__in=run_ids).update(**values)
        # Even if places are free: only who handles the notice counts them, under its lock.
        writing.notify_places([workflow.pk])
    else:
        delayed = {id for id, _ in later}
        writing.notify_ready([(id, priority) for id in run_ids if id not in delayed])
    notify_workers(WORK)


def _zone() -> str:
    return str(Company.objects.values_list("timezone", flat=True).get(pk=company_id()))


def admit_batch() -> bool:
    """Handle the notices of one workflow, or of one company's quota. Returns whether there may be more."""
    with unscoped(reason="places that may be free, of all companies"):
        notice = PlaceNotice.objects.order_by("pk").values_list("company_id", "workflow_id").first()
    if notice is None:
        return False
    with company_scope(notice[0]):
        admit(notice[1])
    return True


def has_notices() -> bool:
    """Return whether a place of any company may be free."""
    with unscoped(reason="places that may be free, of all companies"):
        return bool(PlaceNotice.objects.exists())


def _count_alone(id: str) -> None:
    """Wait until no other process counts the places of the workflow or the company, and keep others from it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK, id])


@transaction.atomic
def admit(workflow_id: str | None) -> int:
    """Admit the next runs of a workflow, or without one of the active company's quota. Returns how many."""
    _count_alone(workflow_id or company_id())
    # Read before the places are counted. A place that is freed later has a notice of its own, which stays.
    notices = list(PlaceNotice.objects.filter(workflow=workflow_id).values_list("pk", flat=True)[: BATCH * 5])
    admitted = _admit_by_quota() if workflow_id is None else _admit_by_concurrency(workflow_id)
    if admitted < BATCH:  # or else there may be more to admit
        raw_delete(PlaceNotice.objects.filter(pk__in=notices))
    return admitted


def _admit_by_concurrency(workflow_id: str) -> int:
    workflow = Workflow.objects.get(pk=workflow_id)
    most = plan_of(workflow.version_id).config.concurrency if workflow.version_id else None
    runs = WorkflowRun.objects.filter(workflow=workflow_id)
    free = BATCH
    if most is not None:
        free = min(BATCH, most - runs.filter(place=HELD).count())
    if free <= 0:
        return 0
    rows = _lock_next(runs.filter(place=CONCURRENCY, status=Status.QUEUED), free)
    now = timezone.now()
    # Counted from the rows themselves, so a kill can lose no place.
    WorkflowRun.objects.filter(pk__in=[run.pk for run in rows]).update(place=None if most is None else HELD, reason="")
    writing.notify_ready([(run.pk, run.priority) for run in rows])
    writing.delay_starts([(run.pk, run.begins_at) for run in rows if run.begins_at and run.begins_at > now], RATE)
    return len(rows)


def _lock_next(runs: object, most: int) -> list[WorkflowRun]:
    """Lock the next runs that wait, the most urgent and oldest first."""
    locked = runs.order_by("priority", "pk").select_for_update(of=("self",), no_key=True)  # type: ignore[attr-defined]
    return list(locked.only("pk", "workflow_id", "priority", "begins_at")[:most])


def _admit_by_quota() -> int:
    """Admit runs that waited for the plan's next month, or for a larger plan."""
    now = timezone.now()
    allowed = limits.plan_limits().month
    # The company's bucket first, as all starts do.
    StartBucket.objects.select_for_update(no_key=True).filter(key="").first()
    free = BATCH if allowed is None else min(BATCH, allowed - limits.started_this_month())
    if free <= 0:
        return 0
    rows = _lock_next(WorkflowRun.objects.filter(place=QUOTA, status=Status.QUEUED), free)
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for run in rows:
        groups[run.workflow_id, run.priority].append(run.pk)
    WorkflowRun.objects.filter(pk__in=[run.pk for run in rows]).update(place=None, reason="")
    workflows = Workflow.objects.in_bulk({id for id, _ in groups})
    for (id, priority), ids in groups.items():
        # They reserve a turn now, since they got none when they were refused.
        begin(workflows[id], plan_of(workflows[id].version_id), ids, now, priority)
    return len(rows)


def poll() -> bool:
    """Write a notice for each workflow and company with runs that wait for a slot.

    The plan may be larger, or the month a new one. A slot that became free without a notice is detected here too.
    """
    waiting = WorkflowRun.objects.filter(status=Status.QUEUED).order_by()
    places = [
        *waiting.filter(place=CONCURRENCY).values_list("company_id", "workflow_id").distinct(),
        *((company, None) for company in waiting.filter(place=QUOTA).values_list("company_id", flat=True).distinct()),
    ]
    for company, workflow_id in places:
        with company_scope(company):
            writing.notify_places([workflow_id])
    if places:
        notify_workers(WORK)
    return False
