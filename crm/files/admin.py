"""Back office page of files."""

from __future__ import annotations

from django.contrib import admin
from django.template.defaultfilters import filesizeformat

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from crm.files.models import File


@admin.register(File)
class FileAdmin(CompanyRecordAdmin):
    """Stored files, without their content."""

    icon = "attach_file"
    list_display = ("name", "company", "mime", "readable_size", "trashed_at", "is_deleted", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    search_fields = ("=id", "name")
    hides = ("path",)

    @admin.display(description="size", ordering="size")
    def readable_size(self, file: File) -> str:
        return filesizeformat(file.size)
