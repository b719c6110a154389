"""The report about runs of workflows."""

from __future__ import annotations

from django.db.models import Q

from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from workflows.engine.models import WorkflowRun

Status = WorkflowRun.Status
UNDER_WAY = (Status.QUEUED, Status.RUNNING, Status.WAITING, Status.PAUSED)
STATUSES = {
    Status.QUEUED: gettext_lazy("Ready"),
    Status.RUNNING: gettext_lazy("Running"),
    Status.WAITING: gettext_lazy("Waiting"),
    Status.PAUSED: gettext_lazy("Paused"),
    Status.COMPLETED: gettext_lazy("Completed"),
    Status.FAILED: gettext_lazy("Failed"),
    Status.CANCELLED: gettext_lazy("Cancelled"),
}
"""Status -> its label."""

WORKFLOWS = Report(
    name="workflows",
    title=gettext_lazy("Workflows"),
    about=gettext_lazy("Workflow runs started in the period, by status. Deleted runs are not counted."),
    modules=("workflow",),
    place=85,
    dated=gettext_lazy("by start day"),
    sources=(
        Source(
            rows=lambda actor: WorkflowRun.objects.all(),
            at="created_at",
            path="workflow/runs",
            at_field="createdAt",
            by=(
                Grouping("workflow", gettext_lazy("Workflow"), "workflow_id", label="workflow__name", field="workflow"),
                Grouping("status", gettext_lazy("Status"), "status", labels=STATUSES, field="status"),
            ),
            columns=(
                count("runs", gettext_lazy("Runs")),
                count(
                    "underWay",
                    gettext_lazy("Active"),
                    Q(status__in=UNDER_WAY),
                    filter_condition("status", "in", [*map(str, UNDER_WAY)]),
                ),
                *(
                    count(
                        str(status),
                        STATUSES[status],
                        Q(status=status),
                        filter_condition("status", "equals", str(status)),
                    )
                    for status in (Status.COMPLETED, Status.FAILED, Status.CANCELLED)
                ),
            ),
        ),
    ),
    ratios=(
        Column("completedRate", gettext_lazy("Completion rate"), type="percent", ratio=("completed", "runs")),
        Column("failureRate", gettext_lazy("Failure rate"), type="percent", ratio=("failed", "runs")),
    ),
)

REPORTS = (WORKFLOWS,)
