"""Back office pages of messages, their ledger and sending hours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import Tones, badge, choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.backoffice.references import register_event_kind, register_references
from core.backoffice.values import state
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _
from crm.models import Contact
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.limits.models import RecipientQuota
from outreach.messaging.delivery.models import SendJob, SendJobTransition
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.models import TrackingEvent

GUARD = ("bounce_percent", "complaint_percent", "guard_from")
COLOURS = Tones(
    {
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
)


@admin.register(GenieSettings)
class GenieSettingsAdmin(CompanyRecordAdmin):
    """The hours in which companies' runs write to people, how long approvals hold, and the language."""

    icon = "schedule"
    title_needs = ("company",)
    edits = ("window_start", "window_end", "recipient_timezone", "approval_days", "inbox_days", "language", *GUARD)
    list_display = ("company", "window_days", "window_start", "window_end", "recipient_timezone")
    search_fields = ("=id", "company__name")


@admin.register(RecipientQuota)
class RecipientQuotaAdmin(CompanyRecordAdmin):
    """Present capacity to mail providers, of companies with limits for them."""

    icon = "speed"
    operators_only = True
    list_display = ("scope", "company", "tokens", "filled_at")
    search_fields = ("=id", "=scope")


@admin.register(SendJob)
class SendJobAdmin(CompanyRecordAdmin):
    """Messages to contacts."""

    icon = "mail"
    list_display = ("__str__", "to", "state", "reason_text", "company", "due_at", "sent_at", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "contact")
    search_fields = ("=id", "=recipient", "=run__id", "=contact__id")
    search_help_text = _("Id of the message, run or contact, or email address")
    hides = ("worker", "html")
    folds = (
        *(
            "recipient",
            "subject",
            "text",
            "run",
            "contact",
            "smtp",
            "mail_app",
            "step",
            "occurrence",
            "message_id",
            "reason",
            "evidence",
            "status",
        ),
        *("delivery_status", "provider_message_id", "thread_began_at", "next_step_at", "reply", "workflow_waits"),
    )

    @admin.display(description=_("to"))
    def to(self, job: SendJob) -> str:
        return job.recipient or job.address or "–"

    def lead(self, record: SendJob) -> str:
        """Show the message as it was or will be sent."""
        if not (record.subject or record.text):
            return ""
        return format_html(
            '<article class="backoffice-letter"><h2>{}</h2><div class="backoffice-text">{}</div></article>',
            record.subject,
            record.text,
        )

    def summary(self, record: SendJob) -> Iterable[tuple[str, Any]]:
        """Yield its recipient, its state with the reason, and its sender."""
        yield _("Status"), state(record.status, choice_text(record, "status"))
        yield _("Reason"), _reason(record)
        yield _("To"), render_link(record.contact)
        yield _("Address"), record.recipient or record.address
        yield _("Sent"), record.sent_at
        yield _("Not before"), record.due_at if record.status in SendJob.TO_SEND else None
        yield _("By"), render_link(record.sender) if record.sender else None
        yield _("Outreach"), render_link(record.run) if record.run else None
        yield _("Company"), render_link(record.company)

    @admin.display(description=_("Reason"), ordering="reason")
    def reason_text(self, job: SendJob) -> SafeString | str:
        return format_html('<span title="{}">{}</span>', _reason(job), code_label(job.reason)) if job.reason else ""

    state = badge("status", COLOURS)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in ("run__id__exact", "contact__id__exact") or super().lookup_allowed(lookup, value, request)


@register_panel(SendJob, _("Ledger"), permission="outreach.view_sendjobtransition")
def _ledger(job: SendJob) -> SafeString:
    rows = SendJobTransition.objects.filter(send_job=job).select_related("actor").order_by("created_at", "id")[:100]
    cells = [(row.created_at, _status(row.to_status), _reason(row), row.detail, row.actor) for row in rows]
    return render_table((_("Time"), _("Status"), _("Reason"), _("Details"), _("By")), cells)


@admin.register(SendJobTransition)
class SendJobTransitionAdmin(CompanyRecordAdmin):
    """Changes of messages' statuses."""

    icon = "timeline"
    operators_only = True
    list_display = ("__str__", "created_at", "send_job", "before", "after", "reason", "company")
    search_fields = ("=id", "=send_job__id")
    search_help_text = _("Id of the step or message")

    @admin.display(description=_("Previous status"), ordering="from_status")
    def before(self, row: SendJobTransition) -> str:
        return _status(row.from_status)

    @admin.display(description=_("Status"), ordering="to_status")
    def after(self, row: SendJobTransition) -> str:
        return _status(row.to_status)


@register_panel(Contact, _("Messages"), permission="outreach.view_sendjob")
def _messages_to(contact: Contact) -> SafeString:
    return message_table(SendJob.objects.filter(contact=contact), contact__id__exact=contact.pk)


def _status(code: str) -> str:
    """Return the words for a status of messages; empty for none."""
    return choice_text(SendJob(status=code), "status") if code else ""


def _reason(row: SendJob | SendJobTransition) -> str:
    return sentence_of(row.reason) if row.reason else ""


def message_table(rows: QuerySet[SendJob], **query: str) -> SafeString:
    """Render the newest of the messages, with a link to the list that the query selects."""
    rows = rows.select_related("contact").order_by("-id")[:ROWS]
    cells = [
        (
            render_link(row),
            row.recipient or row.address,
            state(row.status, choice_text(row, "status")),
            _reason(row),
            row.sent_at,
        )
        for row in rows
    ]
    return render_table(
        (_("Message"), _("To"), _("Status"), _("Reason"), _("Sent")),
        cells,
        more=list_address(SendJob, **query),
        empty=_("No messages."),
    )


@admin.register(TrackingEvent)
class TrackingEventAdmin(CompanyRecordAdmin):
    """Opens of messages, and clicks on their links."""

    icon = "ads_click"
    operators_only = True
    hides = ("visitor",)
    list_display = ("kind", "send_job", "company", "link", "machine", "happened_at", "applied_at")
    list_filter = (BY_COMPANY, "kind", "machine")
    search_fields = ("=id", "=send_job__id")
    search_help_text = _("Id of the row or message")


register_references(SendJob, "message", "sendJob")
register_event_kind(SendJob, "message", "mail")
