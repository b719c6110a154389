"""Back office pages of enrichment."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.jobs.progress import ProgressMixin, progress_bar
from core.text.translation import gettext_lazy as _
from outreach.prospecting.enrichment.models import Enrichment, EnrichmentProposal


@admin.register(Enrichment)
class EnrichmentAdmin(ProgressMixin, CompanyRecordAdmin):
    """Progress of the enrichment of runs' recipients."""

    icon = "person_add"
    title_needs = ("run",)
    list_display = ("run", "company", "status", "progress", "proposed", "until", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_per_page = 25
    search_fields = ("=id", "run__name", "company__name")
    hides = ("worker", "lease")

    @admin.display(description=_("progress"))
    def progress(self, job: Enrichment) -> SafeString:
        return progress_bar(job, {})


@admin.register(EnrichmentProposal)
class EnrichmentProposalAdmin(CompanyRecordAdmin):
    """Values that enrichment apps propose for contacts."""

    icon = "rule"
    list_display = ("contact", "field", "text", "source", "status", "company", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "text", "source")
