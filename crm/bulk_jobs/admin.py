"""Back office page of bulk jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.dialogs import has_status
from core.jobs.progress import ProgressMixin, progress_bar
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.services import move_job
from crm.bulk_jobs.undo import is_undoable, undo_bulk_job


def _moved_to(status: str) -> Callable[[BulkJob], None]:
    def move_one(job: BulkJob) -> None:
        move_job(id=job.pk, status=status)

    return move_one


@admin.register(BulkJob)
class BulkJobAdmin(ProgressMixin, CompanyRecordAdmin):
    """Changes of many records, and how far they are."""

    icon = "library_add_check"
    list_display = ("action", "panel", "company", "status", "progress", "created_by", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), ("action", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "company__name")
    hides = ("worker", "lease")
    commands = ("undo", "resume", "pause", "cancel")
    when: ClassVar[Any] = {
        "resume": has_status(BulkJob.Status.PAUSED, BulkJob.Status.FAILED),
        "pause": has_status(BulkJob.Status.QUEUED, BulkJob.Status.RUNNING),
        "cancel": has_status(BulkJob.Status.QUEUED, BulkJob.Status.RUNNING, BulkJob.Status.PAUSED),
        "undo": lambda job: is_undoable(job.action, job.status, job.started_at),
    }

    def progress(self, job: BulkJob) -> SafeString:
        return progress_bar(job, {"changed": job.changed, "failed": job.failed})

    progress.short_description = "progress"  # type: ignore[attr-defined]

    undo = command(_("Undo"), lambda job: undo_bulk_job(id=job.pk, actor_id=None), _("Undo queued"))

    pause = command(_("Pause"), _moved_to("paused"), _("Pause requested"))

    resume = command(_("Resume"), _moved_to("queued"), _("Resumed"))

    cancel = command(_("Cancel"), _moved_to("cancelled"), _("Cancel requested"))
