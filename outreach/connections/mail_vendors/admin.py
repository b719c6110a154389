"""Back office pages of mail vendor apps."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.errors import NamedError
from core.text.translation import gettext_lazy as _
from outreach.connections.mail_vendors.models import MailApp, VendorLogin
from outreach.connections.mail_vendors.services import SECRETS, check_app

LIMITS = ("per_minute", "per_hour", "per_day", "ramp_start", "ramp_step")


@admin.register(MailApp)
class MailAppAdmin(CompanyRecordAdmin):
    """Companies' accounts at mail vendors, with their limits. Only their company changes their keys and address."""

    icon = "outgoing_mail"
    edits = ("name", "is_active", *LIMITS)
    hides = (*SECRETS, "hook_salt")
    commands = ("test",)
    list_display = (
        *("__str__", "company", "vendor", "letter", "verified", "needs_login", "is_active", "last_error", "created_at"),
    )
    list_filter = (BY_COMPANY, "vendor", "verified", "is_active")
    search_fields = ("=id", "name", "from_email")

    @admin.display(description=_("Test the account"))
    def test(self, request: HttpRequest, rows: QuerySet[MailApp]) -> None:
        def check_one(app: MailApp) -> None:
            check = check_app(id=app.pk)
            if not check.ok:
                raise NamedError("InvalidCredentials_400", check.detail)

        self.each(request, rows[:10], check_one, _("Connected"), atomic=False)


@admin.register(VendorLogin)
class VendorLoginAdmin(CompanyRecordAdmin):
    """Log-ins at vendors that members have begun and not ended."""

    icon = "login"
    operators_only = True
    hides = ("state_hash",)
    list_display = ("__str__", "company", "ends_at", "created_at")
    search_fields = ("=id",)
