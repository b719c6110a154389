"""What people are told of imports."""

from __future__ import annotations

from accounts.members.notices import Notice, notify, register_notice
from crm.imports.models import Import

NOTICES = {
    Import.Status.COMPLETED: Notice("import.finished", "An import of yours is done", "notice_import_finished"),
    Import.Status.FAILED: Notice("import.failed", "An import of yours was stopped", "notice_import_failed"),
}
for notice in NOTICES.values():
    register_notice(notice)


def notify_ended(job: Import) -> None:
    """Tell who made the import that it is done, or has failed; in the transaction of that (core.jobs.JobWork)."""
    told = NOTICES.get(Import.Status(job.status))
    if told is not None and not job.is_deleted:
        notify(told.key, {"job": job, "file": job.file}, members=[job.created_by])
