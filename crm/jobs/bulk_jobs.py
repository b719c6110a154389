"""The work of bulk jobs."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from crm.models import BulkJob
from crm.services.bulk_jobs import BulkAction, run
from crm.services.bulk_work import change_records
from crm.services.undo import forget_journals, undo

register(JobWork("bulk-job", run, model=BulkJob, queue="bulk"))
register(BulkAction("update", change_records))
register(BulkAction("delete", change_records))
register(BulkAction("undo", undo))
register(PeriodicTask("journals", forget_journals, every=timedelta(hours=1)))
