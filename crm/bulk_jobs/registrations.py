"""The registrations of bulk jobs."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.jobs import JobWork, PeriodicTask, register
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.notices import FINISHED, notify_ended
from crm.bulk_jobs.restore_jobs import restore_records
from crm.bulk_jobs.selectors import visible_jobs
from crm.bulk_jobs.services import BulkAction, run
from crm.bulk_jobs.under_way import Work, register_work
from crm.bulk_jobs.undo import purge_journals, undo
from crm.bulk_jobs.views import BulkJobViewSet
from crm.bulk_jobs.worker import change_records

protected.register("bulk-job", BulkJobViewSet)
register(
    JobWork("bulk-job", run, model=BulkJob, queue="bulk", task="crm.run_bulk_job", ended=notify_ended, while_held=True)
)
register(BulkAction("update", change_records))
register(BulkAction("delete", change_records))
register(BulkAction("restore", restore_records))
register(BulkAction("undo", undo))
register(PeriodicTask("journals", purge_journals, every=timedelta(hours=1)))
register_notice(FINISHED)
register_work(Work("bulk-job", "", partial(visible_jobs, method="GET"), "action", "panel"))
