from workflows.engine.models import NodeCount, RunReady, RunSkip, RunStep, RunTimer, ScheduleFiring, WorkflowRun
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion

__all__ = [
    "NodeCount",
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
