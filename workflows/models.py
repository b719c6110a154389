from workflows.engine.models import (
    NodeCount,
    PlaceNotice,
    QueuedEvent,
    RunInbox,
    RunReady,
    RunSkip,
    RunStep,
    RunTimer,
    ScheduleFiring,
    SliceMark,
    StartBucket,
    WorkflowRun,
)
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion

__all__ = [
    "PlaceNotice",
    "QueuedEvent",
    "NodeCount",
    "RunInbox",
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
