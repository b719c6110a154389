"""The registrations of runs."""

from __future__ import annotations

from core.api.routes import protected
from core.jobs import register
from core.reports import register_report
from crm.bulk_jobs.services import BulkAction
from workflows.runs.reports import REPORTS
from workflows.runs.retries import redrive_runs
from workflows.runs.views import WorkflowRunViewSet

protected.register("workflow/runs", WorkflowRunViewSet)
register(BulkAction("redrive_runs", redrive_runs))
for report in REPORTS:
    register_report(report)
