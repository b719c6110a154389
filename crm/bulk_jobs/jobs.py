"""The work of bulk jobs."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.notices import notify_ended
from crm.bulk_jobs.restore_jobs import restore_records
from crm.bulk_jobs.services import BulkAction, run
from crm.bulk_jobs.undo import purge_journals, undo
from crm.bulk_jobs.worker import change_records

register(
    JobWork("bulk-job", run, model=BulkJob, queue="bulk", task="crm.run_bulk_job", ended=notify_ended, while_held=True)
)
register(BulkAction("update", change_records))
register(BulkAction("delete", change_records))
register(BulkAction("restore", restore_records))
register(BulkAction("undo", undo))
register(PeriodicTask("journals", purge_journals, every=timedelta(hours=1)))
