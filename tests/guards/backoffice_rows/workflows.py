"""Makers of rows of workflows."""

from __future__ import annotations

from django.utils import timezone

from core.ids import new_id
from tests.guards.backoffice_rows.shared import SECRET, Makers
from workflows.models import (
    NodeCount,
    PlaceNotice,
    QueuedEvent,
    RunApproval,
    RunCall,
    RunInbox,
    RunListener,
    RunReady,
    RunSkip,
    RunStep,
    RunTimer,
    ScheduleFiring,
    SliceMark,
    StartBucket,
    Workflow,
    WorkflowInterest,
    WorkflowRun,
    WorkflowSecret,
    WorkflowTrigger,
    WorkflowVersion,
)


def make_workflow(n: int) -> Workflow:
    return Workflow.objects.create(name=f"Workflow {new_id()[-8:]}")


def make_workflow_version(n: int) -> WorkflowVersion:
    graph = {"triggerEventType": "manual", "config": {}, "nodes": [], "edges": [], "schedule": None}
    return WorkflowVersion.objects.create(workflow=make_workflow(n), number=n, graph=graph)


def make_node_count(n: int) -> NodeCount:
    version = make_workflow_version(n)
    return NodeCount.objects.create(
        workflow=version.workflow, version=version, node="a", hour=timezone.now(), outcome="out", number=n
    )


def make_workflow_run(n: int) -> WorkflowRun:
    version = make_workflow_version(n)
    return WorkflowRun.objects.create(workflow=version.workflow, version=version, entry_key=f"manual:{n}")


ROWS: Makers = {
    Workflow: make_workflow,
    WorkflowVersion: make_workflow_version,
    WorkflowTrigger: lambda n: WorkflowTrigger.objects.create(workflow=make_workflow(n), kind="contact.created"),
    WorkflowRun: make_workflow_run,
    NodeCount: make_node_count,
    RunReady: lambda n: RunReady.objects.create(run=make_workflow_run(n)),
    RunTimer: lambda n: RunTimer.objects.create(run=make_workflow_run(n), token="1", due_at=timezone.now()),
    RunInbox: lambda n: RunInbox.objects.create(run=make_workflow_run(n), token="1", epoch=0, kind="event"),
    RunCall: lambda n: RunCall.objects.create(
        run=make_workflow_run(n),
        key=str(n),
        node="a",
        token="1",
        epoch=0,
        kind="http",
        host="x",
        keyed=True,
        request={},
    ),
    RunApproval: lambda n: RunApproval.objects.create(
        run=make_workflow_run(n), node="a", token="1", epoch=0, text="Go on?", until=timezone.now()
    ),
    RunListener: lambda n: RunListener.objects.create(
        run=make_workflow_run(n), node="a", token="1", epoch=0, kind="contact.updated", object_id=""
    ),
    WorkflowInterest: lambda n: WorkflowInterest.objects.create(workflow=make_workflow(n), kind="contact.updated"),
    WorkflowSecret: lambda n: WorkflowSecret.objects.create(name=f"Secret {n}", host="a.example", value=SECRET),
    RunStep: lambda n: RunStep.objects.create(run=make_workflow_run(n), node="start", visit=n, status="done"),
    RunSkip: lambda n: RunSkip.objects.create(workflow=make_workflow(n), day=timezone.now().date(), reason="filter"),
    ScheduleFiring: lambda n: ScheduleFiring.objects.create(workflow=make_workflow(n), due_at=timezone.now()),
    StartBucket: lambda n: StartBucket.objects.create(
        key=new_id(), next_at=timezone.now(), month=timezone.now().date().replace(day=1)
    ),
    PlaceNotice: lambda n: PlaceNotice.objects.create(workflow=make_workflow(n)),
    QueuedEvent: lambda n: QueuedEvent.objects.create(event_id=new_id()),
    SliceMark: lambda n: SliceMark.objects.create(runs=[new_id()]),
}
