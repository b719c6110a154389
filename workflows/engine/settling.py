"""Statuses that follow from a change of a whole workflow. The change itself holds its runs at once, by a number or a
status that each slice reads; their own rows follow in batches."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.jobs import notify_workers
from core.tenancy import company_scope, unscoped
from workflows.engine import carrying, locks, writing
from workflows.engine.models import WorkflowRun
from workflows.engine.slices import GOING, held_reason
from workflows.engine.starts import WORK
from workflows.graphs.models import Workflow

BATCH = 5000
"""How many runs get their status in one transaction."""
OF_WORKFLOW = ("unpublished", "workflowPaused")
"""Reasons of runs that go on when their workflow is published again."""
Status = WorkflowRun.Status


def settle_some() -> bool:
    """Settle a batch of some workflow that is to be settled. Returns whether there may be more."""
    with unscoped(reason="workflows whose runs are still being settled"):
        found = Workflow.objects.filter(settling=True).order_by("pk").values_list("pk", "company_id").first()
    if found is None:
        return False
    with company_scope(found[1]):
        settle(found[0])
    return True


def has_unsettled() -> bool:
    """Tell whether a workflow of any company is to be settled."""
    with unscoped(reason="tick: workflows whose runs are still being settled"):
        return bool(Workflow.objects.filter(settling=True).exists())


@transaction.atomic
def settle(workflow_id: str) -> None:
    """Give a batch of the workflow's runs the status that follows from the workflow's, behind its fence."""
    locks.lock_alone([workflow_id])
    workflow = Workflow.objects.get(pk=workflow_id)
    runs = WorkflowRun.objects.filter(workflow=workflow).order_by("pk")
    moved = 0
    if workflow.is_deleted:
        open = runs.exclude(status__in=(Status.COMPLETED, Status.FAILED, Status.CANCELLED))
        moved = writing.cancel(list(open.values_list("pk", flat=True)[:BATCH]), "workflowDeleted")
    elif (moved := carrying.carry(workflow, BATCH)) == BATCH:
        pass
    elif workflow.status != Workflow.Status.PUBLISHED:
        going = runs.filter(status__in=GOING)
        moved += writing.pause(list(going.values_list("pk", flat=True)[:BATCH]), held_reason(workflow))
    else:
        held = runs.filter(status__in=GOING, hold_no__lt=workflow.hold_no)
        moved += writing.pause(list(held.values_list("pk", flat=True)[:BATCH]), "paused")
        moved += release(
            runs.filter(status=Status.PAUSED, reason__in=OF_WORKFLOW, hold_no=workflow.hold_no), workflow, BATCH
        )
    if moved < BATCH:
        Workflow.objects.filter(pk=workflow_id).update(settling=False, carry="")
    else:
        notify_workers(WORK)


def release(runs: object, workflow: Workflow, most: int | None = None) -> int:
    """Let paused runs (a queryset) go on. Returns how many."""
    rows = list(runs.values_list("pk", "priority")[:most])  # type: ignore[attr-defined]
    WorkflowRun.objects.filter(pk__in=[id for id, _ in rows]).update(
        status=Status.QUEUED, reason="", hold_no=workflow.hold_no, updated_at=timezone.now()
    )
    writing.notify_ready(rows)
    if rows:
        notify_workers(WORK)
    return len(rows)


def live_runs(workflow_id: str) -> int:
    """Count the runs of the workflow that are under way."""
    return int(WorkflowRun.objects.filter(Q(workflow=workflow_id), status__in=GOING).count())
