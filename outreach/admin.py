"""Back office pages of senders, AI apps, runs, messages and suppressions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminPasswordWidget

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table
from core.errors import NamedError
from core.jobs.progress import ProgressMixin, grouped, progress_bar
from core.tenancy import company_scope
from crm.models import Contact
from outreach.ai.models import AiApp
from outreach.delivery.models import SendJob, SendJobTransition
from outreach.genie.models import GenieScheduler, GenieSettings
from outreach.genie.services import cancel_run
from outreach.lead_generation.models import LeadGeneration
from outreach.lead_generation.services import cancel_generation
from outreach.senders.models import Smtp
from outreach.senders.services import check_sender
from outreach.suppression.models import Suppression
from outreach.suppression.services import delete_suppressions

COLOURS = {
    "sent": "success",
    "completed": "success",
    "failed": "danger",
    "unknown": "warning",
    "suppressed": "warning",
    "cancelled": "warning",
    "sending": "info",
    "claimed": "info",
    "running": "info",
}
LIMITS = ("per_minute", "per_hour", "per_day", "ramp_start", "ramp_step")


def write_only(label: str) -> forms.CharField:
    """An input for a secret that is stored but never shown."""
    text = "Stored encrypted and never shown. Leave it empty to keep the one that there is."
    return forms.CharField(
        label=label,
        required=False,
        max_length=2000,
        strip=False,
        help_text=text,
        widget=UnfoldAdminPasswordWidget({"autocomplete": "off"}),
    )


class SmtpForm(BackOfficeForm):
    """A sender, whose password can be written but not read."""

    new_password = write_only("New password")

    def save(self, commit: bool = True) -> Smtp:
        if self.cleaned_data.get("new_password"):
            self.instance.password = self.cleaned_data["new_password"]
            self.instance.verified = False
        return super().save(commit)


@admin.register(Smtp)
class SmtpAdmin(CompanyRecordAdmin):
    """SMTP senders with their limits; their server and address are their company's to change."""

    icon = "forward_to_inbox"
    form = SmtpForm
    edits = ("name", "is_active", "new_password", *LIMITS)
    extra = ("new_password",)
    commands = ("test",)
    list_display = ("__str__", "company", "host", "port", "verified", "is_active", "last_error", "created_at")
    list_filter = (BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "name", "host", "from_email")

    @admin.display(description="Test the connection")
    def test(self, request: HttpRequest, rows: QuerySet[Smtp]) -> None:
        def one(smtp: Smtp) -> None:
            found = check_sender(smtp_id=smtp.pk)
            if not found.ok:
                raise NamedError("EmailSendingFailed_500", found.detail)

        self.each(request, rows[:10], one, "connected", atomic=False)


class AiAppForm(BackOfficeForm):
    """An AI app, whose key can be written but not read."""

    new_api_key = write_only("New key")

    def save(self, commit: bool = True) -> AiApp:
        if self.cleaned_data.get("new_api_key"):
            self.instance.api_key = self.cleaned_data["new_api_key"]
        return super().save(commit)


@admin.register(AiApp)
class AiAppAdmin(CompanyRecordAdmin):
    """Configured AI providers."""

    icon = "auto_awesome"
    form = AiAppForm
    edits = ("name", "selected_model", "is_active", "new_api_key")
    extra = ("new_api_key",)
    hides = ("api_key",)
    list_display = ("name", "provider", "company", "selected_model", "is_active", "is_default", "created_at")
    list_filter = (BY_COMPANY, "provider", "is_active")
    search_fields = ("=id", "name", "provider")


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
        def one(run: GenieScheduler) -> int:
            return cancel_run(run_id=run.pk, member_id=None)

        self.each(request, rows, one, "cancelled")


@panel(GenieScheduler, "Messages", permission="outreach.view_sendjob")
def _messages(run: GenieScheduler) -> SafeString:
    return _message_table(SendJob.objects.filter(run=run), run__id__exact=run.pk)


@panel(Contact, "Messages", permission="outreach.view_sendjob")
def _messages_to(contact: Contact) -> SafeString:
    return _message_table(SendJob.objects.filter(contact=contact), contact__id__exact=contact.pk)


def _message_table(rows: QuerySet[SendJob], **query: str) -> SafeString:
    rows = rows.select_related("contact").order_by("-id")[:ROWS]
    cells = [
        (link(row), row.recipient or row.contact.email, row.get_status_display(), row.reason or "–", row.sent_at)
        for row in rows
    ]
    return table(
        ("Message", "To", "Status", "Reason", "Sent"), cells, more=list_address(SendJob, **query), empty="No messages."
    )


@admin.register(LeadGeneration)
class LeadGenerationAdmin(ProgressMixin, CompanyRecordAdmin):
    """Searches for leads among a company's contacts."""

    icon = "person_search"
    list_display = ("__str__", "company", "status", "progress", "count", "created", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company",)
    list_per_page = 25
    search_fields = ("=id", "prompt", "company__name")
    hides = ("worker", "lease")
    commands = ("cancel",)

    @admin.display(description="progress")
    def progress(self, generation: LeadGeneration) -> SafeString:
        return progress_bar(generation, {})

    @admin.display(description="Cancel")
    def cancel(self, request: HttpRequest, rows: QuerySet[LeadGeneration]) -> None:
        self.each(request, rows, lambda generation: cancel_generation(generation.pk), "cancelled")


@admin.register(GenieSettings)
class GenieSettingsAdmin(CompanyRecordAdmin):
    """The hours in which companies' runs write to people."""

    icon = "schedule"
    edits = ("window_start", "window_end", "recipient_timezone")
    list_display = ("company", "window_days", "window_start", "window_end", "recipient_timezone")
    search_fields = ("=id", "company__name")


@admin.register(SendJob)
class SendJobAdmin(CompanyRecordAdmin):
    """The ledger of messages."""

    icon = "mail"
    list_display = ("__str__", "to", "state", "reason", "company", "due_at", "sent_at", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "contact")
    search_fields = ("=id", "=recipient", "=run__id", "=contact__id")
    search_help_text = "Id of the message, the run or the contact, or the whole address"
    hides = ("worker", "html")

    @admin.display(description="to")
    def to(self, job: SendJob) -> str:
        return job.recipient or job.contact.email or "–"

    @display(description="status", ordering="status", label=COLOURS)
    def state(self, job: SendJob) -> tuple[str, str]:
        return job.status, job.get_status_display()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in ("run__id__exact", "contact__id__exact") or super().lookup_allowed(lookup, value, request)


@panel(SendJob, "Ledger", permission="outreach.view_sendjobtransition")
def _ledger(job: SendJob) -> SafeString:
    rows = SendJobTransition.objects.filter(send_job=job).select_related("actor").order_by("id")[:100]
    cells = [
        (row.created_at, row.from_status or "–", row.to_status, row.reason or "–", row.detail or "–", row.actor)
        for row in rows
    ]
    return table(("When", "From", "To", "Reason", "Detail", "By"), cells)


@admin.register(SendJobTransition)
class SendJobTransitionAdmin(CompanyRecordAdmin):
    """Steps in the lives of messages."""

    icon = "timeline"
    list_display = ("created_at", "send_job", "from_status", "to_status", "reason", "company")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "send_job")
    search_fields = ("=id", "=send_job__id")
    search_help_text = "Id of the step or of the message"


@admin.register(Suppression)
class SuppressionAdmin(CompanyRecordAdmin):
    """Addresses that are never written to. Who unsubscribed or complained stays on the list."""

    icon = "block"
    deletes = True
    list_display = ("email", "reason", "company", "source", "created_at")
    list_filter = (("reason", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "email")

    def has_delete_permission(self, request: HttpRequest, obj: Suppression | None = None) -> bool:
        kept = (Suppression.Reason.UNSUBSCRIBED, Suppression.Reason.COMPLAINED)
        return super().has_delete_permission(request, obj) and (obj is None or obj.reason not in kept)

    def delete_model(self, request: HttpRequest, obj: Suppression) -> None:
        with company_scope(obj.company_id):
            delete_suppressions(ids=[obj.pk])


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
