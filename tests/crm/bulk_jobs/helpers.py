"""Bulk jobs in tests: made of few records, and worked on here and now."""

from __future__ import annotations

import time
from typing import Any

import core.jobs
from crm.models import BulkJob
from tests.kit.cast import Cast


def work(job_id: str = "") -> dict[str, Any]:
    """Have waiting bulk jobs done; the job of the id as the database has it then."""
    core.jobs.WORK["bulk-job"].drain(time.monotonic() + 30)
    return BulkJob.objects.filter(pk=job_id).values().first() or {}


def done(cast: Cast, job_id: str) -> dict[str, Any]:
    """The job as the API tells it, once a worker has been at it."""
    with cast.scope():
        work()
    return cast.key.get(f"/bulk-job/{job_id}").data
