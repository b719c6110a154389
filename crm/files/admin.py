"""Back office page of files."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.template.defaultfilters import filesizeformat

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.references import register_event_kind, register_references
from core.lists import BulkSelection
from core.text.translation import gettext_lazy as _
from crm.files.models import File
from crm.files.services import restore_files


@admin.register(File)
class FileAdmin(CompanyRecordAdmin):
    """Stored files, without their content."""

    icon = "attach_file"
    finds = True
    list_display = ("name", "company", "mime", "readable_size", "storage", "trashed_at", "is_deleted", "created_at")
    list_filter = (BY_COMPANY, "storage", "is_deleted")
    search_fields = ("=id", "name")
    hides = ("path",)
    commands = ("restore",)
    when: ClassVar[Any] = {"restore": lambda file: file.trashed_at is not None and not file.is_deleted}

    restore = command(
        _("Restore"),
        lambda file: restore_files(files=File.objects.all(), selection=BulkSelection.of_ids([file.pk])),
        _("Restored"),
    )

    @admin.display(description=_("size"), ordering="size")
    def readable_size(self, file: File) -> str:
        return filesizeformat(file.size)


register_references(File, "file", "fileId", "files")
register_event_kind(File, "file")
