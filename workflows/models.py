from workflows.engine.models import RunInbox, RunReady, RunSkip, RunStep, RunTimer, ScheduleFiring, WorkflowRun
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion

__all__ = [
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
