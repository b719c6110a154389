"""The report about runs of workflows."""

from __future__ import annotations

from django.db.models import Q

from core.reports import By, Column, Report, Source, condition, count
from workflows.engine.models import WorkflowRun

Status = WorkflowRun.Status
UNDER_WAY = (Status.QUEUED, Status.RUNNING, Status.WAITING, Status.PAUSED)
STATUSES = {
    Status.QUEUED: "Ready",
    Status.RUNNING: "At work",
    Status.WAITING: "Waiting",
    Status.PAUSED: "Paused",
    Status.COMPLETED: "Done",
    Status.FAILED: "Failed",
    Status.CANCELLED: "Cancelled",
}
"""Status -> its label."""

WORKFLOWS = Report(
    name="workflows",
    title="Workflows",
    about="Runs of workflows that began in the period, and what has become of them since. Runs that were deleted, or"
    " whose time to be kept is over, are not among them.",
    modules=("workflow",),
    place=85,
    dated="by the day they began",
    sources=(
        Source(
            rows=lambda actor: WorkflowRun.objects.all(),
            at="created_at",
            path="workflow/runs",
            at_field="createdAt",
            by=(
                By("workflow", "Workflow", "workflow_id", label="workflow__name", field="workflow"),
                By("status", "State", "status", labels=STATUSES, field="status"),
            ),
            columns=(
                count("runs", "Runs"),
                count(
                    "underWay", "Under way", Q(status__in=UNDER_WAY), condition("status", "in", [*map(str, UNDER_WAY)])
                ),
                *(
                    count(str(status), STATUSES[status], Q(status=status), condition("status", "equals", str(status)))
                    for status in (Status.COMPLETED, Status.FAILED, Status.CANCELLED)
                ),
            ),
        ),
    ),
    ratios=(
        Column("completedRate", "Completion rate", type="percent", ratio=("completed", "runs")),
        Column("failureRate", "Failure rate", type="percent", ratio=("failed", "runs")),
    ),
)

REPORTS = (WORKFLOWS,)
