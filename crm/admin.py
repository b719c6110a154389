"""Back office pages of contacts, labels, custom fields, files and imports."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.paginator import EXACT, capped_count
from core.backoffice.panels import ROWS, facts, link, list_address, panel, table
from core.backoffice.progress import ProgressMixin, progress_bar
from crm.models import Contact, ContactCategory, ContactTag, CustomField, File, Import, ImportRowError, Tag
from crm.services.imports.control import update_import


@admin.register(Contact)
class ContactAdmin(CompanyRecordAdmin):
    """Contacts, shown only: they are changed through the API, where values, unique keys and events belong together."""

    icon = "contacts"
    list_display = ("name", "email", "contact_number", "company", "category", "unsubscribed_at", "deleted_at", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    list_select_related = ("company", "category")
    search_fields = ("=id", "email", "name", "contact_number")
    search_help_text = "Name, e-mail, number or id"
    hides = ("custom", "email_key", "number_key")


@panel(Contact, "Values and tags")
def _values(contact: Contact) -> SafeString:
    fields = CustomField.objects.filter(company=contact.company_id, panel=CustomField.Panel.CONTACT, is_system=False)
    names = dict(fields.values_list("unique_field_id", "name"))
    tags = ContactTag.objects.filter(contact=contact).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    rows = [(names.get(key, key), value if isinstance(value, str | int | float) else repr(value)) for key, value in contact.custom.items()]
    return table(("Field", "Value"), [("Tags", ", ".join(tags) or "–"), *rows])


class LabelAdmin(CompanyRecordAdmin):
    """Labels of contacts."""

    edits = ("name", "description", "color")
    list_display = ("name", "company", "color", "description", "created_at")
    search_fields = ("=id", "name")


@admin.register(ContactCategory)
class ContactCategoryAdmin(LabelAdmin):
    """Categories of contacts."""

    icon = "category"


@admin.register(Tag)
class TagAdmin(LabelAdmin):
    """Tags of contacts."""

    icon = "sell"


@admin.register(CustomField)
class CustomFieldAdmin(CompanyRecordAdmin):
    """Fields, shown only: what they are decides how the values of all contacts are stored."""

    icon = "format_list_bulleted"
    list_display = ("name", "company", "panel", "field_type", "value_type", "required", "is_system", "unique_field_id")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), ("field_type", ChoicesDropdownFilter), "is_system")
    search_fields = ("=id", "name", "unique_field_id")


@admin.register(File)
class FileAdmin(CompanyRecordAdmin):
    """Stored files; their content is not served here."""

    icon = "attach_file"
    list_display = ("name", "company", "mime", "readable_size", "trashed_at", "is_deleted", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    search_fields = ("=id", "name")
    hides = ("path",)

    @admin.display(description="size", ordering="size")
    def readable_size(self, file: File) -> str:
        return filesizeformat(file.size)


@admin.register(Import)
class ImportAdmin(ProgressMixin, CompanyRecordAdmin):
    """Imports and how far they are."""

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
        ("Row", "Column", "Code", "What is wrong"), cells, more=list_address(ImportRowError, job__id__exact=job.pk), empty="No row failed."
    )


@admin.register(ImportRowError)
class ImportRowErrorAdmin(CompanyRecordAdmin):
    """Rows of files that did not become contacts."""

    icon = "error"
    list_display = ("row", "column", "code", "message", "file_name", "company", "created_at")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "job__file")
    search_fields = ("=id", "=job__id", "=code")
    search_help_text = "Id of the import, or a code"

    @admin.display(description="file")
    def file_name(self, error: ImportRowError) -> str:
        return error.job.file.name

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "job__id__exact" or super().lookup_allowed(lookup, value, request)


def _shown(rows: QuerySet[Any]) -> str:
    number = capped_count(rows)
    return f"{number:,}" if number <= EXACT else f"more than {EXACT:,}"


@panel(Company, "Use")
def _use(company: Company) -> SafeString:
    return facts(
        [
            ("Contacts", _shown(Contact.objects.filter(company=company, is_deleted=False))),
            ("Custom fields", _shown(CustomField.objects.filter(company=company, is_system=False))),
            ("Files", _shown(File.objects.filter(company=company, is_deleted=False))),
            ("Imports", _shown(Import.objects.filter(company=company, is_deleted=False))),
        ]
    )


@panel(Company, "Imports", permission="crm.view_import")
def _imports(company: Company) -> SafeString:
    rows = Import.objects.filter(company=company, is_deleted=False).select_related("file").order_by("-id")[:ROWS]
    address = f"{list_address(Import)}progress/"
    cells = [(link(row, row.file.name), row.get_status_display(), progress_bar(row, address=address), row.created_at) for row in rows]
    return table(("File", "Status", "Progress", "Made"), cells, more=list_address(Import, company__id__exact=company.pk))
