"""Back office pages of outreach runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.columns import choice_text
from core.backoffice.dialogs import has_status
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.backoffice.references import register_event_kind, register_references
from core.backoffice.values import Names, json_rendering, json_shown, plain_text
from core.jobs.progress import MOVING, ProgressMixin, counts_by_status, progress_bar
from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.mail_frames import still_mail
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.admin import SendJobAdmin, message_table
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.services import approve_message, cancel_message, hold_message
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.messages import approve_all, retry_failed
from outreach.runs.genie.services import cancel_run

PREVIEW = (
    '{}<details class="backoffice-preview"><summary>{}</summary>'
    '<iframe title="{}" sandbox loading="lazy" src="{}"></iframe></details>'
)
TO_GO = ("planned", "draft", "approved")
"""Statuses of messages that a cancellation stops."""


@admin.register(GenieScheduler)
class GenieSchedulerAdmin(ProgressMixin, CompanyRecordAdmin):
    """Outreach runs: the progress of their planning, and the states of their messages."""

    icon = "rocket_launch"
    finds = True
    list_display = ("__str__", "company", "status", "progress", "draft", "recurring", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY, "draft", "recurring")
    list_per_page = 25
    search_fields = ("=id", "name", "company__name")
    hides = ("worker", "lease")
    labels: ClassVar[Any] = {"campaign": _("Sent as a campaign"), "content": _("Content")}
    folds = (
        *("name", "total", "processed", "occurrence", "planned_at", "told_at", "planned_until", "type", "automation"),
        *("user_enquiry_enabled", "track_opens", "track_clicks", "started_at", "interval_ms"),
    )
    commands = ("approve", "retry", "cancel")
    when: ClassVar[Any] = {
        "approve": lambda run: run.cancelled_at is None and _counts(run).get("draft", 0) > 0,
        "retry": lambda run: run.cancelled_at is None and _counts(run).get("failed", 0) > 0,
        "cancel": lambda run: run.cancelled_at is None and bool(run.status in MOVING or set(TO_GO) & set(_counts(run))),
    }

    def prepare(self, request: HttpRequest, rows: list[GenieScheduler]) -> None:
        counts = counts_by_status(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
        for row in rows:
            row.message_counts = counts.get(row.pk, {})  # type: ignore[attr-defined]

    @admin.display(description=_("progress"))
    def progress(self, run: GenieScheduler) -> SafeString:
        return progress_bar(run, _counts(run))

    def summary(self, record: GenieScheduler) -> Iterable[tuple[str, Any]]:
        """Yield its status, the counts of its messages, the company, the author, the sender and the times."""
        status: Any = self.column("status", brief=True)
        yield _("Planning"), status(record)
        for name, number in sorted(_counts(record).items(), key=lambda pair: -pair[1]):
            label = _("Drafts to approve") if name == "draft" else str(SendJob.Status(name).label)
            address = list_address(SendJob, run__id__exact=record.pk, status__exact=name)
            yield label, format_html('<a class="backoffice-link" href="{}">{}</a>', address, f"{number:,}")
        yield _("Company"), render_link(record.company)
        yield _("By"), render_link(record.created_by) if record.created_by else _("API")
        yield _("Sender"), render_link(record.smtp or record.mail_app) if record.smtp or record.mail_app else None
        yield _("Created"), record.created_at
        yield _("Cancelled"), record.cancelled_at

    approve = command(_("Approve the drafts"), lambda run: approve_all(run_id=run.pk, member_id=None), _("Approved"))

    retry = command(
        _("Send failed messages again"),
        lambda run: retry_failed(run_id=run.pk, member_id=None, unknown=False),
        _("Sent again"),
    )

    cancel = command(
        _("Cancel"),
        lambda run: cancel_run(run_id=run.pk, member_id=None, of_campaign=run.of_campaign_id is not None),
        _("Cancelled"),
    )


def _counts(run: GenieScheduler) -> dict[str, int]:
    """Return status -> number of the run's messages, which lists have read for all of their rows."""
    counts: dict[str, int] | None = run.__dict__.get("message_counts")
    if counts is None:
        counts = counts_by_status(SendJob.objects.filter(run=run), "run_id", "status").get(run.pk, {})
        run.__dict__["message_counts"] = counts
    return counts


@register_panel(GenieScheduler, _("Messages"), permission="outreach.view_sendjob")
def _messages(run: GenieScheduler) -> SafeString:
    return message_table(SendJob.objects.filter(run=run), run__id__exact=run.pk)


@register_panel(Company, _("Outreach"), permission="outreach.view_geniescheduler")
def _runs(company: Company) -> SafeString:
    rows: list[Any] = list(GenieScheduler.objects.filter(company=company, is_deleted=False).order_by("-id")[:ROWS])
    counts = counts_by_status(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
    address = f"{list_address(GenieScheduler)}progress/"
    cells = [
        (
            render_link(row),
            choice_text(row, "status"),
            progress_bar(row, counts.get(row.pk), address=address),
            row.created_at,
        )
        for row in rows
    ]
    return render_table(
        (_("Run"), _("Planning"), _("Progress"), _("Created")),
        cells,
        more=list_address(GenieScheduler, company__id__exact=company.pk),
    )


admin.site.unregister(SendJob)


@admin.register(SendJob)
class ReviewedMessageAdmin(SendJobAdmin):
    """Messages, which staff can see as their readers will, and decide about one by one."""

    commands = ("approve_draft", "hold", "cancel")
    when: ClassVar[Any] = {
        "approve_draft": has_status("draft"),
        "hold": has_status("approved"),
        "cancel": has_status("planned", "draft", "approved"),
    }

    def lead(self, record: SendJob) -> str:
        """Show the message as text, and as a mail program shows it where it is formatted."""
        text = super().lead(record)
        if not record.html:
            return text
        address = reverse("admin:outreach_sendjob_preview", args=(record.pk,))
        return format_html(PREVIEW, text, _("Preview without remote pictures"), _("Preview of the message"), address)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.preview)
        return [path("<path:object_id>/preview/", view, name="outreach_sendjob_preview"), *super().get_urls()]

    def preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Answer the document of the frame with the formatted message, which runs nothing and loads nothing."""
        record = self.get_object(request, object_id)
        if record is None or not self.has_view_permission(request, record):
            raise Http404
        return still_mail(record.html)

    @admin.display(description=_("Approve"))
    def approve_draft(self, request: HttpRequest, rows: QuerySet[SendJob]) -> None:
        self._each(request, rows, approve_message, _("Approved"))

    @admin.display(description=_("Hold as a draft"))
    def hold(self, request: HttpRequest, rows: QuerySet[SendJob]) -> None:
        self._each(request, rows, hold_message, _("Held as a draft"))

    @admin.display(description=_("Cancel"))
    def cancel(self, request: HttpRequest, rows: QuerySet[SendJob]) -> None:
        self._each(request, rows, cancel_message, _("Cancelled"))

    def _each(self, request: HttpRequest, rows: QuerySet[SendJob], do: Callable[..., None], done: str) -> None:
        """Decide about each, and record that staff did: they are no members, and only the history of the record has
        their name."""

        def decide(job: SendJob) -> None:
            with transaction.atomic():
                do(message_id=job.pk, member_id=None)
                ledger.record_event([job.pk], reason="", detail=_("Decided by staff in the back office"))

        self.each(request, rows, decide, done)


@json_rendering.connect
def _follow_ups(value: Any, names: Names) -> SafeString | None:
    """Return the follow-ups of a run or a campaign as a list: delays and content. None for other values."""
    is_cadence = isinstance(value, Mapping) and set(value) == {"steps"} and isinstance(value["steps"], list)
    if not is_cadence or not all(isinstance(step, Mapping) and "delay" in step for step in value["steps"]):
        return None
    lines = ((json_shown(step["delay"], {}), _words_of(step, names)) for step in value["steps"])
    items = ((_("After %(delay)s: %(text)s") % {"delay": delay, "text": text},) for delay, text in lines)
    return format_html('<ol class="backoffice-list">{}</ol>', format_html_join("", "<li>{}</li>", items))


@json_rendering.connect
def _template(value: Any, names: Names) -> str | None:
    """Return the description of a chat template frozen with its values (outreach.chat.chat_templates.frozen)."""
    if not isinstance(value, Mapping) or not {"template", "app", "components"} <= value.keys():
        return None
    values = value.get("given")
    pairs = values.items() if isinstance(values, Mapping) else ()
    filled = ", ".join(f"{name}: {text}" for name, text in pairs if isinstance(text, str) and text)
    words = {"name": value.get("name", ""), "language": value.get("language", ""), "values": filled}
    if filled:
        return _("Template “%(name)s” (%(language)s) with %(values)s") % words
    return _("Template “%(name)s” (%(language)s)") % words


@json_rendering.connect
def _variants(value: Any, names: Names) -> SafeString | None:
    """Return the variants of a run or a campaign as a list: name, share and beginning. None for other values."""
    variants = value.get("variants") if isinstance(value, Mapping) else None
    if not isinstance(variants, list) or not all(
        isinstance(variant, Mapping) and "share" in variant for variant in variants
    ):
        return None
    lines = ((variant.get("name") or _("Text"), variant["share"], _words_of(variant, names)) for variant in variants)
    return format_html('<ol class="backoffice-list">{}</ol>', format_html_join("", "<li>{} ({}%): {}</li>", lines))


def _words_of(part: Values, names: Names) -> str:
    """Return the content of a step or a variant: its template, its subject or the beginning of its text."""
    variables = part.get("variables")
    frozen = variables if isinstance(variables, Mapping) and "components" in variables else {}
    template = part.get("template") or part.get("templateId") or frozen.get("template")
    if frozen.get("name"):
        return _("Template “%(name)s”") % {"name": frozen["name"]}
    if template:
        return (
            _("Template “%(name)s”") % {"name": plain_text(names[template])} if template in names else _("A template")
        )
    for name in ("subject", "prompt", "body", "text"):
        if text := " ".join(str(part.get(name) or "").split()):
            return f"“{text[:120]}”"
    return _("Written by the AI model")


register_references(EmailTemplate, "template", "templateId")
register_references(GenieScheduler, "run")
register_event_kind(GenieScheduler, "genie")
