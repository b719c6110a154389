"""Back office pages of mailboxes and of received mail."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.errors import NamedError
from core.text.translation import gettext_lazy as _
from outreach.messaging.inbox.mailboxes import check_mailbox
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage


@admin.register(ImapMailbox)
class ImapMailboxAdmin(CompanyRecordAdmin):
    """Mailboxes that companies have connected. Only their company changes where they are, and their password."""

    icon = "inbox"
    edits = ("is_active",)
    hides = ("password", "worker")
    commands = ("test",)
    list_display = ("__str__", "company", "smtp", "verified", "is_active", "last_polled_at", "last_error")
    list_filter = (BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "host", "username")

    @admin.display(description=_("Test the mailbox"))
    def test(self, request: HttpRequest, rows: QuerySet[ImapMailbox]) -> None:
        def check_one(mailbox: ImapMailbox) -> None:
            check = check_mailbox(id=mailbox.pk)
            if not check.ok:
                raise NamedError("InvalidCredentials_400", check.detail)

        self.each(request, rows[:10], check_one, _("Opened"), atomic=False)


@admin.register(InboundMessage)
class InboundMessageAdmin(CompanyRecordAdmin):
    """Received mail, read-only: replies, bounces, complaints."""

    icon = "mark_email_unread"
    list_display = ("__str__", "kind", "from_email", "severity", "matched_by", "company", "received_at")
    list_filter = (BY_COMPANY, ("kind", ChoicesDropdownFilter), ("severity", ChoicesDropdownFilter))
    search_fields = ("=id", "=from_email", "=run__id", "=contact__id", "=send_job__id")
    search_help_text = _("Id of the email, message, run or contact, or email address")
