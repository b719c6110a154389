"""Back office page of exports."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.dialogs import has_status
from core.jobs.progress import ProgressMixin
from core.text.translation import gettext_lazy as _
from crm.exports.models import Export
from crm.exports.services import cancel_export


@admin.register(Export)
class ExportAdmin(ProgressMixin, CompanyRecordAdmin):
    """Exports and how far they are."""

    icon = "download"
    list_display = ("resource", "format", "company", "status", "progress", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "resource", "company__name")
    hides = ("worker", "lease")
    commands = ("cancel",)
    when: ClassVar[Any] = {"cancel": has_status(Export.Status.QUEUED, Export.Status.RUNNING, Export.Status.PAUSED)}

    cancel = command(_("Cancel"), lambda job: cancel_export(Export.objects.filter(pk=job.pk)), _("Cancel requested"))
