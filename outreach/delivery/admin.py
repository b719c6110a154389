"""Back office pages of messages, their ledger and sending hours."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table
from crm.models import Contact
from outreach.delivery.limits.models import RecipientQuota
from outreach.delivery.models import GenieSettings, SendJob, SendJobTransition
from outreach.delivery.tracking.models import TrackingEvent

GUARD = ("bounce_percent", "complaint_percent", "guard_from")
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


@admin.register(GenieSettings)
class GenieSettingsAdmin(CompanyRecordAdmin):
    """The hours in which companies' runs write to people, how long approvals hold, and the language."""

    icon = "schedule"
    edits = ("window_start", "window_end", "recipient_timezone", "approval_days", "inbox_days", "language", *GUARD)
    list_display = ("company", "window_days", "window_start", "window_end", "recipient_timezone")
    search_fields = ("=id", "company__name")


@admin.register(RecipientQuota)
class RecipientQuotaAdmin(CompanyRecordAdmin):
    """What may go to mail providers now, of companies with limits for them."""

    icon = "speed"
    list_display = ("scope", "company", "tokens", "filled_at")
    list_filter = (BY_COMPANY,)
    search_fields = ("=id", "=scope")


@admin.register(SendJob)
class SendJobAdmin(CompanyRecordAdmin):
    """Messages to contacts."""

    icon = "mail"
    list_display = ("__str__", "to", "state", "reason", "company", "due_at", "sent_at", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "contact")
    search_fields = ("=id", "=recipient", "=run__id", "=contact__id")
    search_help_text = "Id of the message, the run or the contact, or the whole address"
    hides = ("worker", "html")

    @admin.display(description="to")
    def to(self, job: SendJob) -> str:
        return job.recipient or job.address or "–"

    @display(description="status", ordering="status", label=COLOURS)
    def state(self, job: SendJob) -> tuple[str, str]:
        return job.status, job.get_status_display()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in ("run__id__exact", "contact__id__exact") or super().lookup_allowed(lookup, value, request)


@panel(SendJob, "Ledger", permission="outreach.view_sendjobtransition")
def _ledger(job: SendJob) -> SafeString:
    rows = SendJobTransition.objects.filter(send_job=job).select_related("actor").order_by("created_at", "id")[:100]
    cells = [
        (row.created_at, row.from_status or "–", row.to_status, row.reason or "–", row.detail or "–", row.actor)
        for row in rows
    ]
    return table(("When", "From", "To", "Reason", "Detail", "By"), cells)


@admin.register(SendJobTransition)
class SendJobTransitionAdmin(CompanyRecordAdmin):
    """Changes of messages' statuses."""

    icon = "timeline"
    list_display = ("created_at", "send_job", "from_status", "to_status", "reason", "company")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "send_job")
    search_fields = ("=id", "=send_job__id")
    search_help_text = "Id of the step or of the message"


@panel(Contact, "Messages", permission="outreach.view_sendjob")
def _messages_to(contact: Contact) -> SafeString:
    return message_table(SendJob.objects.filter(contact=contact), contact__id__exact=contact.pk)


def message_table(rows: QuerySet[SendJob], **query: str) -> SafeString:
    """Render the newest of the messages, with a link to the list that the query selects."""
    rows = rows.select_related("contact").order_by("-id")[:ROWS]
    cells = [
        (link(row), row.recipient or row.address, row.get_status_display(), row.reason or "–", row.sent_at)
        for row in rows
    ]
    return table(
        ("Message", "To", "Status", "Reason", "Sent"), cells, more=list_address(SendJob, **query), empty="No messages."
    )


@admin.register(TrackingEvent)
class TrackingEventAdmin(CompanyRecordAdmin):
    """Opens of messages, and clicks on their links."""

    icon = "ads_click"
    hides = ("visitor",)
    list_display = ("kind", "send_job", "company", "link", "machine", "happened_at", "applied_at")
    list_filter = (BY_COMPANY, "kind", "machine")
    list_select_related = ("company", "send_job")
    search_fields = ("=id", "=send_job__id")
    search_help_text = "Id of the row or of the message"
