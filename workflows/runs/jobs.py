"""The work on many runs."""

from __future__ import annotations

from core.jobs import register
from crm.bulk_jobs.services import BulkAction
from workflows.runs.retries import redrive_runs

register(BulkAction("redrive_runs", redrive_runs))
