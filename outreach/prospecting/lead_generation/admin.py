"""Back office pages of searches for leads."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.dialogs import has_status
from core.jobs.progress import ProgressMixin, progress_bar
from core.text.translation import gettext_lazy as _
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.services import cancel_generation


@admin.register(LeadGeneration)
class LeadGenerationAdmin(ProgressMixin, CompanyRecordAdmin):
    """Searches for leads among a company's contacts."""

    icon = "person_search"
    list_display = ("__str__", "company", "status", "progress", "count", "created", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_per_page = 25
    search_fields = ("=id", "prompt", "company__name")
    hides = ("worker", "lease")
    commands = ("cancel",)
    when: ClassVar[Any] = {"cancel": has_status("queued", "running", "paused")}

    @admin.display(description=_("progress"))
    def progress(self, generation: LeadGeneration) -> SafeString:
        return progress_bar(generation, {})

    cancel = command(_("Cancel"), lambda generation: cancel_generation(generation.pk), _("Cancelled"))
