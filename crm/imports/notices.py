"""Notices about imports."""

from __future__ import annotations

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy
from crm.imports.models import Import

NOTICES = {
    Import.Status.COMPLETED: Notice("import.finished", gettext_lazy("Import completed"), "notice_import_finished"),
    Import.Status.FAILED: Notice("import.failed", gettext_lazy("Import stopped"), "notice_import_failed"),
}


def notify_ended(job: Import) -> None:
    """Notify the member who created the import of its end, in the transaction that ends it (core.jobs.JobWork)."""
    notice = NOTICES.get(Import.Status(job.status))
    if notice is not None and not job.is_deleted:
        about = (f"{job.import_type}/import", job.pk)
        notify(notice.key, {"job": job, "file": job.file}, members=[job.created_by], about=about)
