"""The slice: one transaction that advances up to 200 runs of up to 20 companies as far as possible.

The row locks are the claim: they last as long as the transaction, so a worker that dies leaves nothing locked. A notice
(RunReady) that was not handled stays for the next slice. docs/decisions/0020-workflow-engine.md has the reasons.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Company
from core.internals.django import raw_delete
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from crm.contacts.schema import ContactSchema
from workflows.engine import claims, crash_markers, interpreter, locks, subjects, version_migration, writing
from workflows.engine.batches import CompanyContext, advance
from workflows.engine.cursor import SUBJECT_DELETED, Cursor
from workflows.engine.limits import limits
from workflows.engine.models import RunReady, RunTimer, WorkflowRun
from workflows.engine.plans import plan_of
from workflows.engine.run_state import TIMER
from workflows.engine.waits import inbox, requests
from workflows.engine.waits.listening import event_type_lock
from workflows.expressions.conditions import Subject
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.graphs.plan import Plan

__all__ = ["ACTIVE_STATUSES", "due_rows", "held_reason", "plan_of", "enqueue_due_timers", "work", "work_slice"]

log = logging.getLogger(__name__)

TIMERS = 5000
"""Number of due timers handled at once."""
Status = WorkflowRun.Status
PAUSED_TOGETHER = "paused"
"""The reason of runs that were paused together."""
ACTIVE_STATUSES = (Status.QUEUED, Status.RUNNING, Status.WAITING)
EARLY_ENDS = {"goal": (Status.COMPLETED, "goal"), "exit": (Status.CANCELLED, "exit")}
"""Cause of an early end of a run -> its status and reason."""

ENQUEUE = """
WITH due AS (
    SELECT id FROM workflows_runtimer WHERE NOT told AND due_at <= %(now)s ORDER BY due_at LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
), enqueued AS (
    UPDATE workflows_runtimer t SET told = true FROM due WHERE t.id = due.id RETURNING t.company_id, t.run_id
)
INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)
SELECT lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), company_id, run_id, 5, %(now)s, %(now)s FROM enqueued
"""


def work(deadline: float = float("inf")) -> int:
    """Move runs until none may move or monotonic() passes the deadline. Returns the number of moves."""
    run_count = 0
    while monotonic() < deadline:
        enqueue_due_timers()
        number = work_slice()
        if not number:
            break
        run_count += number
    return run_count


def due_rows(now: Moment) -> list[QuerySet[Any]]:
    """Return the notices and timers of runs that may move."""
    return [RunReady.objects.all(), RunTimer.objects.filter(is_enqueued=False, due_at__lte=now)]


def enqueue_due_timers() -> None:
    """Make a notice for each timer that is due. The timer stays until the slice takes it."""
    with unscoped(reason="timers of all companies"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ENQUEUE, {"now": timezone.now(), "most": TIMERS})


def work_slice() -> int:
    """Work one slice. Returns the number of its runs; 0 if no run is due and free."""
    with unscoped(reason="workflow engine: runs of all companies"):
        # Suspects go first and alone, so that no others are delayed by them in a slice that dies.
        deaths = crash_markers.crash_counts()
        if deaths and (run_count := _work_suspect(deaths)):
            return run_count
        # The mark has to outlive the slice's rollback, so it commits before it.
        with transaction.atomic():
            notices = claims.claim(claims.due_companies(), without=deaths)
            if not notices:
                return 0
            mark = crash_markers.create_marker(notices)
        return _work_marked(mark, notices)


def _work_suspect(deaths: Mapping[str, int]) -> int:
    """Retry one suspect run alone, the one with the fewest crashes first. Returns 0 if none may move."""
    for run_id, number in sorted(deaths.items(), key=lambda pair: (pair[1], pair[0])):
        notices = {run_id: list(RunReady.objects.filter(run=run_id).values_list("pk", flat=True))}
        if not notices[run_id]:
            # The run has no pending notices, so it cannot kill another worker.
            crash_markers.forget([run_id])
        elif number >= crash_markers.MAX_CRASHES:
            _fail_poisonous(run_id)
        else:
            # The mark commits before the run moves, since a killed worker cannot write it.
            with transaction.atomic():
                mark = crash_markers.create_marker([run_id])
            if _work_marked(mark, notices, forget=True):
                return 1
    return 0


@transaction.atomic
def _fail_poisonous(run_id: str) -> None:
    """Fail a run with which too many workers have died."""
    run = WorkflowRun.objects.select_for_update(of=("self",), no_key=True).filter(pk=run_id).first()
    if run is not None and run.status in ACTIVE_STATUSES:
        text = f"{crash_markers.MAX_CRASHES} workers have died with the run at this place"
        with company_scope(run.company_id):
            writing.fail_run(run, crash_markers.POISON, text)
        log.error("run %s failed: %s", run_id, text)
    raw_delete(RunReady.objects.filter(run=run_id))
    crash_markers.forget([run_id])


def _work_marked(mark: str, claimed: Mapping[str, list[str]], *, forget: bool = False) -> int:
    """Work a slice of the claimed runs under its mark, which only a worker's death leaves."""
    # A fresh claim: the locks of the first transaction ended with it, and others may have taken the notices.
    try:
        with transaction.atomic():
            crash_markers.delete(mark)
            run_count = _work_slice(claims.lock(claimed))
            if forget and run_count:
                crash_markers.forget(list(claimed))
            return run_count
    except OperationalError as error:  # a deadlock with some other writer: the tick comes back to it
        log.warning("a slice was rolled back: %s", error)
    with suppress(OperationalError):  # a lost connection leaves the mark
        crash_markers.delete(mark)
    return 0


def _work_slice(notices: Mapping[str, list[str]]) -> int:
    if not notices:
        return 0
    claimed = WorkflowRun.objects.filter(pk__in=list(notices))
    # The fences first, as everything that locks all runs of a workflow does: otherwise there would be a deadlock.
    locks.lock_shared(claimed.order_by().values_list("workflow_id", flat=True).distinct())
    runs = list(claimed.select_for_update(of=("self",), no_key=True, skip_locked=True).order_by("pk"))
    workflows = Workflow.objects.in_bulk({run.workflow_id for run in runs})
    groups: dict[str, list[WorkflowRun]] = defaultdict(list)
    for run in runs:
        groups[run.company_id].append(run)
    run_ids: set[str] = set()
    for company_id, group in sorted(groups.items()):  # in one order, as starts lock companies' buckets
        with company_scope(company_id):
            run_ids |= _work_company(company_id, group, workflows)
    writing.remove_notices([id for run_id in run_ids for id in notices[run_id]])
    return len(run_ids)


def _work_company(company_id: str, runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow]) -> set[str]:
    """Move a company's runs. Returns the runs whose notices are done, without those whose records are locked.

    If the batch raises, each run is retried alone, and a run that raises alone is failed.
    """
    try:
        with transaction.atomic():
            return _advance_company(company_id, runs, workflows)
    except OperationalError:
        raise
    except Exception as error:  # the edge of a run: it fails, the others go on
        if len(runs) > 1:
            log.warning("%s runs failed at once; they go one by one", len(runs), exc_info=error)
            return set().union(*(_work_company(company_id, [_reload(run)], workflows) for run in runs))
        log.exception("run %s failed", runs[0].pk)
        text = f"{type(error).__name__}: the run could not go on"
        writing.fail_run(runs[0], "internal", text)
        return {runs[0].pk}


def _reload(run: WorkflowRun) -> WorkflowRun:
    """Return the locked run as it is stored, since the attempt before may have changed it."""
    fresh: WorkflowRun = WorkflowRun.objects.get(pk=run.pk)
    return fresh


def _advance_company(company_id: str, runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow]) -> set[str]:
    now = timezone.now()
    movable_runs, finished_ids = _admit(runs, workflows, now)
    # Most notices of a held workflow end here, before anything of its plan is read.
    if not movable_runs:
        return finished_ids
    versions = WorkflowVersion.objects.filter(pk__in={run.version_id for run in movable_runs}).defer("graph")
    actors = {version.pk: version.published_by_id for version in versions}
    plans = {id: plan_of(id) for id in actors}
    # Event types before records and waits: the lock order of publishers of events (workflows.engine.locks).
    locks.lock_event_types(
        event_type_lock(run, kind) for run in movable_runs for kind in plans[run.version_id].awaited_events
    )
    present = _hold_subjects(movable_runs, plans, now)
    company = Company.objects.values("name", "timezone").get(pk=company_id)
    names = {run.workflow_id: workflows[run.workflow_id].name for run in present}
    context = CompanyContext(company_id, company["name"], company["timezone"], now, actors, names)
    cursors = [Cursor.from_run(run, plans[run.version_id], now) for run in present]
    # Arrivals before ends: a run that reaches its goal must still receive its last event.
    _wake(cursors, now)
    _end_early(cursors, now)
    advance(cursors, context)
    # Waits opened below refer to the runs' rows, and to the tokens that are written here.
    writing.write(cursors, now)
    requests.open_asks(cursors, now)
    cancelled_ids = {run.pk for run in movable_runs if run.status == Status.CANCELLED}
    return finished_ids | cancelled_ids | {run.pk for run in present}


def _admit(
    runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow], now: datetime
) -> tuple[list[WorkflowRun], set[str]]:
    """Split runs into movable runs, and the ids of ended and held ones."""
    movable_runs = []
    finished_ids = set()
    early: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        workflow = workflows[run.workflow_id]
        if run.status not in ACTIVE_STATUSES:
            finished_ids.add(run.pk)
        elif workflow.is_deleted:
            writing.cancel([run.pk], "workflowDeleted")
            finished_ids.add(run.pk)
        elif workflow.carry == version_migration.CANCEL and run.version_id != workflow.version_id:
            writing.cancel([run.pk], version_migration.REPLACED)  # its turn in settling has not come yet
            finished_ids.add(run.pk)
        elif run.hold_no < workflow.hold_no or workflow.status != Workflow.Status.PUBLISHED:
            writing.pause([run.pk], PAUSED_TOGETHER if run.hold_no < workflow.hold_no else held_reason(workflow))
            finished_ids.add(run.pk)
        elif reason := limits.queue_reason(run, now):  # a later notice or timer starts it
            early[reason].append(run.pk)
            finished_ids.add(run.pk)
        else:
            movable_runs.append(run)
    for reason, ids in early.items():
        WorkflowRun.objects.filter(pk__in=ids).exclude(reason=reason).update(status=Status.QUEUED, reason=reason)
    return movable_runs, finished_ids


def held_reason(workflow: Workflow) -> str:
    """Return why the runs of a workflow are held."""
    return {"unpublished": "unpublished", "paused": "workflowPaused"}.get(workflow.status, PAUSED_TOGETHER)


def _hold_subjects(runs: Sequence[WorkflowRun], plans: Mapping[str, Plan], now: object) -> list[WorkflowRun]:
    """Lock the records that the runs may write, first the contacts' unique values, as all writers do.

    Returns the runs whose records exist. Runs of records that others have locked are retried later, and those of
    deleted ones are cancelled.
    """
    run_plans = [plans[run.version_id] for run in runs]
    if any(plan.writes_keys for plan in run_plans):
        # Writers of contacts take these before the rows; the other order would deadlock with an import.
        ContactSchema.load().lock_unique_values()
    write = any(plan.writes for plan in run_plans)
    contacts = subjects.lock_contacts((run.contact_id for run in runs if run.contact_id), write=write)
    leads = subjects.lock_leads((run.lead_id for run in runs if run.lead_id), write=write)
    present: list[WorkflowRun] = []
    deleted_runs: list[WorkflowRun] = []
    for run in runs:
        about_deleted = str(run.trigger.get("kind", "")).endswith(
            ".deleted"
        )  # the event reports a deletion, so the record is missing
        states = []
        for name, records in (("contact_id", contacts), ("lead_id", leads)):
            id = getattr(run, name)
            if id is None:
                continue
            # Another transaction holds the record. The notice stays, and the run comes with a later slice.
            if id not in records:
                break
            deleted, heir = records[id]
            if heir is not None:
                setattr(run, name, heir)
            states.append(deleted and heir is None and not about_deleted)
        else:
            (deleted_runs if any(states) else present).append(run)
    writing.cancel([run.pk for run in deleted_runs], SUBJECT_DELETED)
    for run in deleted_runs:
        run.status = Status.CANCELLED
    return present


def _end_early(cursors: Sequence[Cursor], now: datetime) -> None:
    """End the runs whose records have come to the goal or the exit of their workflow."""
    groups: dict[str, list[Cursor]] = defaultdict(list)
    for cursor in cursors:
        if cursor.plan.ends:
            groups[cursor.run.version_id].append(cursor)
    for group in groups.values():
        cases = [
            Subject(
                {"contact": run_cursor.run.contact_id, "lead": run_cursor.run.lead_id},
                {"vars": run_cursor.state.variables},
            )
            for run_cursor in group
        ]
        for name, conditions in group[0].plan.ends.items():
            for cursor, holds in zip(group, conditions.holds(cases, now), strict=True):
                # The goal is asked first, so that a run that reached both counts as a success.
                if holds and cursor.ended is None:
                    cursor.end(*EARLY_ENDS[name])


def _wake(cursors: Sequence[Cursor], now: object) -> None:
    """Consume the arrivals of the runs, and continue their tokens: of several arrivals the first one counts."""
    by_id = {cursor.run.pk: cursor for cursor in cursors}
    timers = writing.take_due_timers(list(by_id), now)
    wake_events = [(due_at, run_id, token, by_id[run_id].run.epoch, TIMER, None) for due_at, run_id, token in timers]
    woken: list[tuple[str, str]] = []
    for _, run_id, token, epoch, kind, payload in sorted(
        [*wake_events, *inbox.pop(list(by_id))], key=lambda row: row[:3]
    ):
        cursor = by_id[run_id]
        # An answer to what the run waited for before it was cancelled or restarted.
        if epoch != cursor.run.epoch:
            continue
        if kind in EARLY_ENDS:
            cursor.end(*EARLY_ENDS[kind])
        elif interpreter.wake(cursor.plan, cursor.state, token, kind, payload):
            woken.append((run_id, token))
    writing.close_waits(woken)
