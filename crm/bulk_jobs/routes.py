"""Addresses of bulk jobs."""

from __future__ import annotations

from core.api.router import Route
from crm.bulk_jobs import views as bulk_job_views

BULK_JOB_ROUTES = [
    Route("bulk-job", bulk_job_views.BulkJobs),
    Route("bulk-job/<str:id>", bulk_job_views.BulkJobDetail),
    Route("bulk-job/<str:id>/undo", bulk_job_views.BulkJobUndoing),
]
