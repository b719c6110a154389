"""Back office pages of imports."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table
from core.jobs.progress import ProgressMixin, progress_bar
from crm.imports.models import Import, ImportRowError
from crm.imports.services import update_import


@admin.register(Import)
class ImportAdmin(ProgressMixin, CompanyRecordAdmin):
    """Imports and their progress."""

    icon = "upload_file"
    list_display = ("file_name", "company", "status", "progress", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "file")
    search_fields = ("=id", "file__name", "company__name")
    hides = ("sample", "worker", "lease")
    commands = ("resume", "pause", "cancel")

    @admin.display(description="file", ordering="file__name")
    def file_name(self, job: Import) -> str:
        return job.file.name

    @admin.display(description="progress")
    def progress(self, job: Import) -> SafeString:
        return progress_bar(job, {name: getattr(job, name) for name in ("created", "updated", "skipped", "failed")})

    @admin.display(description="Resume")
    def resume(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Import.Status.RUNNING, "goes on")

    @admin.display(description="Pause")
    def pause(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Import.Status.PAUSED, "asked to pause")

    @admin.display(description="Cancel")
    def cancel(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Import.Status.CANCELLED, "asked to stop")

    def _move(self, request: HttpRequest, rows: QuerySet[Import], status: str, done: str) -> None:
        def move(job: Import) -> None:
            update_import(import_id=job.pk, member_id=None, changes={"status": status})

        self.each(request, rows, move, done, atomic=False)


@panel(Import, "Row errors", permission="crm.view_importrowerror")
def _row_errors(job: Import) -> SafeString:
    rows = ImportRowError.objects.filter(job=job).order_by("row", "id")
    cells = [(row.row, row.column or "–", row.code, row.message) for row in rows[:ROWS]]
    return table(
        ("Row", "Column", "Code", "What is wrong"),
        cells,
        more=list_address(ImportRowError, job__id__exact=job.pk),
        empty="No row failed.",
    )


@admin.register(ImportRowError)
class ImportRowErrorAdmin(CompanyRecordAdmin):
    """Rows of files that failed, were skipped or lost values."""

    icon = "error"
    list_display = ("row", "column", "code", "message", "skipped", "file_name", "company", "created_at")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "job__file")
    search_fields = ("=id", "=job__id", "=code")
    search_help_text = "Id of the import, or a code"

    @admin.display(description="file")
    def file_name(self, error: ImportRowError) -> str:
        return error.job.file.name

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "job__id__exact" or super().lookup_allowed(lookup, value, request)


@panel(Company, "Imports", permission="crm.view_import")
def _imports_of_company(company: Company) -> SafeString:
    rows = Import.objects.filter(company=company, is_deleted=False).select_related("file").order_by("-id")[:ROWS]
    address = f"{list_address(Import)}progress/"
    cells = [
        (link(row, row.file.name), row.get_status_display(), progress_bar(row, address=address), row.created_at)
        for row in rows
    ]
    return table(
        ("File", "Status", "Progress", "Made"), cells, more=list_address(Import, company__id__exact=company.pk)
    )
