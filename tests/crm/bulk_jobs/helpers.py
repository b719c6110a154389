"""Bulk jobs in tests: made of few records, and worked on here and now."""

from __future__ import annotations

import time
from typing import Any

import core.jobs
from crm.models import BulkJob
from tests.kit.cast import Cast


def work(job_id: str = "") -> dict[str, Any]:
    """Do waiting bulk jobs. Returns the row of the job with the id."""
    core.jobs.WORK["bulk-job"].drain(time.monotonic() + 30)
    return BulkJob.objects.filter(pk=job_id).values().first() or {}


def done(cast: Cast, job_id: str) -> dict[str, Any]:
    """Do waiting bulk jobs. Returns the job as the API shows it."""
    with cast.scope():
        work()
    return cast.key.get(f"/bulk-job/{job_id}").data
