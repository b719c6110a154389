"""Back office pages of outreach runs."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table
from core.jobs.progress import ProgressMixin, grouped, progress_bar
from outreach.delivery.admin import message_table
from outreach.delivery.models import SendJob
from outreach.genie.models import GenieScheduler
from outreach.genie.services import cancel_run


@admin.register(GenieScheduler)
class GenieSchedulerAdmin(ProgressMixin, CompanyRecordAdmin):
    """Outreach runs: how far their planning is, and what has become of their messages."""

    icon = "rocket_launch"
    list_display = ("__str__", "company", "status", "progress", "draft", "recurring", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY, "draft", "recurring")
    list_select_related = ("company",)
    list_per_page = 25
    search_fields = ("=id", "name", "company__name")
    hides = ("worker", "lease")
    commands = ("cancel",)

    def prepare(self, request: HttpRequest, rows: list[GenieScheduler]) -> None:
        counts = grouped(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
        for row in rows:
            row.message_counts = counts.get(row.pk, {})  # type: ignore[attr-defined]

    @admin.display(description="progress")
    def progress(self, run: GenieScheduler) -> SafeString:
        counts = getattr(run, "message_counts", None)
        if counts is None:
            counts = grouped(SendJob.objects.filter(run=run), "run_id", "status").get(run.pk, {})
        return progress_bar(run, counts)

    @admin.display(description="Cancel")
    def cancel(self, request: HttpRequest, rows: QuerySet[GenieScheduler]) -> None:
        self.each(
            request,
            rows,
            lambda run: cancel_run(run_id=run.pk, member_id=None, of_campaign=run.of_campaign_id is not None),
            "cancelled",
        )


@panel(GenieScheduler, "Messages", permission="outreach.view_sendjob")
def _messages(run: GenieScheduler) -> SafeString:
    return message_table(SendJob.objects.filter(run=run), run__id__exact=run.pk)


@panel(Company, "Runs", permission="outreach.view_geniescheduler")
def _runs(company: Company) -> SafeString:
    rows: list[Any] = list(GenieScheduler.objects.filter(company=company, is_deleted=False).order_by("-id")[:ROWS])
    counts = grouped(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
    address = f"{list_address(GenieScheduler)}progress/"
    cells = [
        (link(row), row.get_status_display(), progress_bar(row, counts.get(row.pk), address=address), row.created_at)
        for row in rows
    ]
    return table(
        ("Run", "Planning", "Progress", "Made"), cells, more=list_address(GenieScheduler, company__id__exact=company.pk)
    )
