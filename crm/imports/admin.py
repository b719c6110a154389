"""Back office pages of imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.columns import choice_text
from core.backoffice.dialogs import has_status
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.backoffice.values import duration_text
from core.jobs.progress import ProgressMixin, progress_bar
from core.text.labels.words import name_label
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.changes import UNDOABLE_FOR
from crm.bulk_jobs.models import BulkJob
from crm.imports.models import Import, ImportRowError
from crm.imports.pages.targets import TARGETS
from crm.imports.rows.row_errors import errors_csv
from crm.imports.services import update_import
from crm.imports.undo import undo_import
from crm.records.models import CustomField

Status = Import.Status
COUNTS = {
    "created": _("Created"),
    "updated": _("Updated"),
    "skipped": _("Skipped (already exist)"),
    "failed": _("Failed"),
}


def may_be_undone(job: Import) -> bool:
    """Return whether the import's records can be taken back now."""
    if job.status not in (Status.COMPLETED, Status.CANCELLED) or job.started_at is None:
        return False
    return job.started_at + UNDOABLE_FOR >= timezone.now() and undoing_of(job) is None


def undoing_of(job: Import) -> BulkJob | None:
    """Return the bulk job that undoes the import, or has undone it."""
    stopped = (BulkJob.Status.FAILED, BulkJob.Status.CANCELLED)
    undoing: BulkJob | None = BulkJob.objects.filter(undoes_import=job).exclude(status__in=stopped).first()
    return undoing


@admin.register(Import)
class ImportAdmin(ProgressMixin, CompanyRecordAdmin):
    """Imports and their progress."""

    icon = "upload_file"
    finds = True
    title_needs = ("file",)
    list_display = ("file_name", "company", "status", "progress", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "file__name", "company__name")
    hides = ("sample", "columns", "worker", "lease")
    folds = (
        *("file", "headers", "column_mapping", "total", "processed", "created", "updated", "skipped", "failed", "rate"),
        *("header_row", "last_row", "row_count", "next_row", "limited", "may_create_contacts"),
        *("may_change_contacts", "may_create_fields", "kept_columns"),
        "started_at",
    )
    commands = ("resume", "download_errors", "undo", "pause", "cancel")
    when: ClassVar[Any] = {
        "resume": has_status(Status.PAUSED, Status.FAILED),
        "pause": has_status(Status.QUEUED, Status.RUNNING),
        "cancel": has_status(Status.QUEUED, Status.RUNNING, Status.PAUSED, Status.FAILED),
        "undo": may_be_undone,
        "download_errors": lambda job: job.row_errors.exists(),
    }

    @admin.display(description=_("file"), ordering="file__name")
    def file_name(self, job: Import) -> str:
        return str(job.file.name)

    @admin.display(description=_("progress"))
    def progress(self, job: Import) -> SafeString:
        return progress_bar(job, {name: getattr(job, name) for name in COUNTS})

    def summary(self, record: Import) -> Iterable[tuple[str, Any]]:
        """Yield the status, the row counts, the company, the author and the times."""
        status: Any = self.column("status", brief=True)
        yield _("Status"), status(record)
        for name, label in COUNTS.items():
            if number := getattr(record, name):
                yield label, f"{number:,}"
        yield _("Company"), render_link(record.company)
        yield _("By"), render_link(record.created_by) if record.created_by else _("API")
        yield _("Started"), record.started_at
        if record.finished_at:
            yield _("Took"), duration_text(record.busy_ms / 1000)
        if undoing := undoing_of(record):
            yield _("Undone by"), render_link(undoing)

    @admin.display(description=_("Resume"))
    def resume(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Status.RUNNING, _("Resumed"))

    @admin.display(description=_("Pause"))
    def pause(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Status.PAUSED, _("Pause requested"))

    @admin.display(description=_("Cancel"))
    def cancel(self, request: HttpRequest, rows: QuerySet[Import]) -> None:
        self._move(request, rows, Status.CANCELLED, _("Cancel requested"))

    undo = command(
        _("Undo"), lambda job: undo_import(id=job.pk, import_type=job.import_type, actor_id=None), _("Undo queued")
    )

    @admin.display(description=_("Download rows with problems"))
    def download_errors(self, request: HttpRequest, rows: QuerySet[Import]) -> StreamingHttpResponse | None:
        job = rows.select_related("file").first()
        if job is None:
            return None
        name = f"{job.file.name.rpartition('.')[0] or job.file.name}-problems.csv"
        self.log_change(request, job, _("Downloaded the rows with problems."))
        headers = {"Content-Disposition": f'attachment; filename="{name.encode("ascii", "replace").decode()}"'}
        return StreamingHttpResponse(errors_csv(job), content_type="text/csv; charset=utf-8", headers=headers)

    def _move(self, request: HttpRequest, rows: QuerySet[Import], status: str, done: str) -> None:
        def move(job: Import) -> None:
            update_import(import_id=job.pk, member_id=None, changes={"status": status})

        self.each(request, rows, move, done, atomic=False)


@register_panel(Import, _("Rows with problems"), permission="crm.view_importrowerror")
def _row_errors(job: Import) -> SafeString:
    rows = ImportRowError.objects.filter(job=job).order_by("row", "id")
    cells = [
        (render_link(row, _("Row %(number)s") % {"number": row.row}), row.column or "–", row.message, _in_row(job, row))
        for row in rows[:ROWS]
    ]
    return render_table(
        (_("Row"), _("Column"), _("Problem"), _("Value")),
        cells,
        more=list_address(ImportRowError, job__id__exact=job.pk),
        empty=_("No problems."),
    )


def _in_row(job: Import, error: ImportRowError) -> str:
    """Return the cell that is wrong, or the row if the problem is not one of a column."""
    place = job.headers.index(error.column) if error.column in job.headers else -1
    if 0 <= place < len(error.values):
        return str(error.values[place] or "")
    return " · ".join(str(value) for value in error.values if value)


@register_panel(Import, _("Columns"))
def _columns(job: Import) -> SafeString:
    """Show where each column of the file goes, and what it holds."""
    targets = TARGETS[job.import_type]
    own = CustomField.objects.filter(company=job.company_id, unique_field_id__in=list(job.column_mapping.values()))
    names = {**dict(own.values_list("unique_field_id", "name")), **targets}
    columns = dict(zip(job.headers, job.columns, strict=False))
    cells = [
        (
            header,
            names.get(job.column_mapping[header], _("Deleted field")) if header in job.column_mapping else "–",
            columns[header]["filled"] if header in columns else "–",
            name_label(columns[header]["fieldType"]) if header in columns else "–",
        )
        for header in job.headers
    ]
    return render_table(
        (_("Column"), _("Field"), _("Filled cells"), _("Detected type")),
        cells,
        empty=_("The file is not read yet."),
    )


@admin.register(ImportRowError)
class ImportRowErrorAdmin(CompanyRecordAdmin):
    """Rows of files that failed, were skipped or lost values."""

    icon = "error"
    operators_only = True
    list_display = ("__str__", "message", "skipped", "file_name", "company", "created_at")
    list_select_related = ("company", "job__file")
    search_fields = ("=id", "=job__id", "=code")
    search_help_text = _("Id of the import or code of the problem")

    @admin.display(description=_("file"))
    def file_name(self, error: ImportRowError) -> str:
        return str(error.job.file.name)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "job__id__exact" or super().lookup_allowed(lookup, value, request)


@register_panel(Company, _("Imports"), permission="crm.view_import")
def _imports_of_company(company: Company) -> SafeString:
    rows = Import.objects.filter(company=company, is_deleted=False).select_related("file").order_by("-id")[:ROWS]
    address = f"{list_address(Import)}progress/"
    cells = [
        (
            render_link(row, row.file.name),
            choice_text(row, "status"),
            progress_bar(row, address=address),
            row.created_at,
        )
        for row in rows
    ]
    return render_table(
        (_("File"), _("Status"), _("Progress"), _("Created")),
        cells,
        more=list_address(Import, company__id__exact=company.pk),
    )
