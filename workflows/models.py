from workflows.engine.models import (
    RunApproval,
    RunCall,
    RunInbox,
    RunListener,
    RunReady,
    RunSkip,
    RunStep,
    RunTimer,
    ScheduleFiring,
    WorkflowInterest,
    WorkflowRun,
)
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion
from workflows.secrets.models import WorkflowSecret

__all__ = [
    "RunApproval",
    "RunCall",
    "RunListener",
    "WorkflowInterest",
    "WorkflowSecret",
    "RunInbox",
    "RunReady",
    "RunSkip",
    "RunStep",
    "RunTimer",
    "ScheduleFiring",
    "Workflow",
    "WorkflowRun",
    "WorkflowTrigger",
    "WorkflowVersion",
]
