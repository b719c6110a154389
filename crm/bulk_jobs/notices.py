"""The notice about a bulk job that has come to an end."""

from __future__ import annotations

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.changes import max_direct_records
from crm.bulk_jobs.models import BulkJob

FINISHED = Notice("bulk-job.finished", _("Bulk change completed"), "notice_bulk_job_finished", on=False)

RECORDS = {
    "contact": _("contacts"),
    "lead": _("leads"),
    "organization": _("organizations"),
    "productService": _("products"),
    "genie": _("messages"),
    "workflow": _("runs"),
}
ENDS = (BulkJob.Status.COMPLETED, BulkJob.Status.FAILED)


def is_small_undo(job: BulkJob) -> bool:
    """Return whether the job undid a change of request size completely: the user who pressed Undo has seen it."""
    done = job.status == BulkJob.Status.COMPLETED and not job.failed
    return done and job.action == BulkJob.Action.UNDO and (job.total or 0) <= max_direct_records()


def notify_ended(job: BulkJob) -> None:
    """Notify the member who started the job of its end, in the transaction that ends it (core.jobs.JobWork)."""
    if job.status in ENDS and not is_small_undo(job):
        context = {"job": job, "records": RECORDS.get(job.panel, _("records"))}
        notify(FINISHED.key, context, members=[job.created_by], about=("bulk-job", job.pk))
