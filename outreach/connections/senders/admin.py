"""Back office pages of SMTP senders."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.errors import NamedError
from core.text.translation import gettext_lazy as _
from outreach.connections.connected_apps.admin import write_only
from outreach.connections.senders.models import Smtp
from outreach.connections.senders.services import check_sender

LIMITS = ("per_minute", "per_hour", "per_day", "ramp_start", "ramp_step")


class SmtpForm(BackOfficeForm):
    """A sender, whose password can be written but not read."""

    new_password = write_only(_("New password"))

    def save(self, commit: bool = True) -> Smtp:
        if self.cleaned_data.get("new_password"):
            self.instance.password = self.cleaned_data["new_password"]
            self.instance.verified = False
        sender: Smtp = super().save(commit)
        return sender


@admin.register(Smtp)
class SmtpAdmin(CompanyRecordAdmin):
    """SMTP senders with their limits. Only their company changes their server and address."""

    icon = "forward_to_inbox"
    form = SmtpForm
    edits = ("name", "is_active", "new_password", "max_connections", *LIMITS)
    extra = ("new_password",)
    commands = ("test",)
    list_display = ("__str__", "company", "host", "port", "verified", "is_active", "last_error", "created_at")
    list_filter = (BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "name", "host", "from_email")

    @admin.display(description=_("Test the connection"))
    def test(self, request: HttpRequest, rows: QuerySet[Smtp]) -> None:
        def check_one(smtp: Smtp) -> None:
            check = check_sender(id=smtp.pk)
            if not check.ok:
                raise NamedError("EmailSendingFailed_500", check.detail)

        self.each(request, rows[:10], check_one, _("Connected"), atomic=False)
