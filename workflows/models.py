from workflows.engine.limits.models import PlaceNotice, StartBucket
from workflows.engine.models import (
    NodeCount,
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
    WorkflowInterest,
    WorkflowRun,
)
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion
from workflows.secrets.models import WorkflowSecret

__all__ = [
    "PlaceNotice",
    "QueuedEvent",
    "NodeCount",
    "RunInbox",
    "RunApproval",
    "RunCall",
    "RunListener",
    "WorkflowInterest",
    "WorkflowSecret",
    "RunReady",
    "RunSkip",
    "RunStep",
    "RunTimer",
    "ScheduleFiring",
    "SliceMark",
    "StartBucket",
    "Workflow",
    "WorkflowRun",
    "WorkflowTrigger",
    "WorkflowVersion",
]
