"""Statuses that follow from a change of a whole workflow. The change itself holds its runs at once, by a number or a
status that each slice reads; their own rows follow in batches."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.jobs import notify_workers
from core.tenancy import company_scope, unscoped
from outreach.runs.genie.automated import release_messages_of
from workflows.engine import locks, version_migration, writing
from workflows.engine.models import WORK, WorkflowRun
from workflows.engine.slices import ACTIVE_STATUSES, PAUSED_TOGETHER, held_reason
from workflows.graphs.models import Workflow

BATCH = 5000
"""Number of runs that get their status in one transaction."""
OF_WORKFLOW = ("unpublished", "workflowPaused")
"""Reasons of runs that continue when their workflow is published again."""
Status = WorkflowRun.Status


def settle_some() -> bool:
    """Settle a batch of some workflow that is to be settled. Returns whether there may be more."""
    with unscoped(reason="workflows whose runs are still being settled"):
        row = Workflow.objects.filter(settling=True).order_by("pk").values_list("pk", "company_id").first()
    if row is None:
        return False
    with company_scope(row[1]):
        settle(row[0])
    return True


def unsettled_workflows() -> QuerySet[Workflow]:
    """Return the workflows that are to be settled."""
    rows: QuerySet[Workflow] = Workflow.objects.filter(settling=True)
    return rows


def has_unsettled() -> bool:
    """Return whether a workflow of any company is to be settled."""
    with unscoped(reason="workflows whose runs are still being settled"):
        return unsettled_workflows().exists()


@transaction.atomic
def settle(workflow_id: str) -> None:
    """Give a batch of the workflow's runs the status that follows from the workflow's, under its exclusive fence."""
    # No slice is in between, so a status that is set here is not overwritten by one.
    locks.lock_alone([workflow_id])
    workflow = Workflow.objects.get(pk=workflow_id)
    runs = WorkflowRun.objects.filter(workflow=workflow).order_by("pk")
    if workflow.is_deleted:
        open = runs.exclude(status__in=(Status.COMPLETED, Status.FAILED, Status.CANCELLED))
        run_count = writing.cancel(_lock_runs(open), "workflowDeleted")
    # Versions first: a run that is released should already go on in the new one.
    elif (run_count := version_migration.migrate_runs(workflow, BATCH)) < BATCH:
        run_count += _follow(runs, workflow)
    if run_count < BATCH:
        # Only when nothing was left: the flag is what brings the task back after a kill.
        Workflow.objects.filter(pk=workflow_id).update(settling=False, carry="")
    else:
        notify_workers(WORK)


def _lock_runs(runs: QuerySet[WorkflowRun]) -> list[str]:
    """Lock a batch of runs in the order of their ids, as slices and members do. Returns the ids."""
    rows = runs.select_for_update(of=("self",), no_key=True).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:BATCH])


def _follow(runs: QuerySet[WorkflowRun], workflow: Workflow) -> int:
    """Pause a batch of held runs, or release one that is no longer held. Return the number of runs."""
    run_count = _hold_together(runs, workflow)
    if workflow.status != Workflow.Status.PUBLISHED:
        return run_count + writing.pause(_lock_runs(runs.filter(status__in=ACTIVE_STATUSES)), held_reason(workflow))
    held_runs = runs.filter(status=Status.PAUSED, reason__in=OF_WORKFLOW, hold_no=workflow.hold_no)
    return run_count + release(held_runs, workflow, BATCH)


def _hold_together(runs: QuerySet[WorkflowRun], workflow: Workflow) -> int:
    """Give the runs that were paused together the reason for which they stay so until they are resumed, those of a
    workflow that is not published, too. Returns how many."""
    runs_to_hold = runs.filter(hold_no__lt=workflow.hold_no)
    run_count = writing.pause(_lock_runs(runs_to_hold.filter(status__in=ACTIVE_STATUSES)), PAUSED_TOGETHER)
    # Their reason changes although they are paused already: publishing again must not release them.
    paused_ids = _lock_runs(runs_to_hold.filter(status=Status.PAUSED, reason__in=OF_WORKFLOW))
    renamed: int = WorkflowRun.objects.filter(pk__in=paused_ids).update(reason=PAUSED_TOGETHER)
    return run_count + renamed


def release(runs: object, workflow: Workflow, most: int | None = None) -> int:
    """Resume paused runs (a queryset). Return their number."""
    locked = runs.select_for_update(of=("self",), no_key=True)  # type: ignore[attr-defined]
    paused = list(locked.values_list("pk", "priority", "place")[:most])
    rows = [(id, priority) for id, priority, _ in paused]
    WorkflowRun.objects.filter(pk__in=[id for id, _ in rows]).update(
        status=Status.QUEUED, reason="", hold_no=workflow.hold_no, updated_at=timezone.now()
    )
    release_messages_of([id for id, _ in rows])
    writing.notify_ready(rows)
    # Runs that wait for a place are admitted by the notices, and not by their own.
    if any(place for _, _, place in paused):
        writing.notify_places([workflow.pk, None])
    if rows:
        notify_workers(WORK)
    return len(rows)


def open_runs(workflow_id: str) -> int:
    """Count the runs of the workflow that are under way, or will be as soon as it is published."""
    is_held = Q(status=Status.PAUSED, reason__in=OF_WORKFLOW)
    return int(WorkflowRun.objects.filter(Q(status__in=ACTIVE_STATUSES) | is_held, workflow=workflow_id).count())
