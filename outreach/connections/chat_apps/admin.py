"""Back office pages of chat apps, their templates, and of numbers that opted out."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.errors import NamedError
from core.text.translation import gettext_lazy as _
from outreach.connections.chat_apps.models import ChatApp, ChatOptOut, ChatTemplate
from outreach.connections.chat_apps.services import SECRETS, check_app
from outreach.connections.mail_vendors.services import VendorCheck

CHECKS: dict[str, Callable[..., VendorCheck]] = {ChatApp.Vendor.CHATAPP: check_app}
"""Vendor -> the function that tests an app of it. The domains of other vendors add theirs."""
LIMITS = ("per_second", "per_minute", "per_hour", "per_day", "ramp_start", "ramp_step")


class ChatAppForm(BackOfficeForm):
    """A form that looks whether another app holds the number, too, which no form edits."""

    validated = BackOfficeForm.validated | {"phone_number_id", "verified"}


@admin.register(ChatApp)
class ChatAppAdmin(CompanyRecordAdmin):
    """Companies' numbers, bots and accounts at chat vendors, with their limits. Only their company changes their
    tokens."""

    icon = "chat"
    form = ChatAppForm
    edits = ("name", "is_active", *LIMITS)
    hides = (*SECRETS, "hook_salt")
    commands = ("test",)
    list_display = (
        *("__str__", "vendor", "company", "verified", "is_active", "quality_rating", "last_error", "created_at"),
    )
    list_filter = ("vendor", BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "name", "display_number", "=phone_number_id")

    @admin.display(description=_("Test the account"))
    def test(self, request: HttpRequest, rows: QuerySet[ChatApp]) -> None:
        def check_one(app: ChatApp) -> None:
            outcome = CHECKS[app.vendor](id=app.pk)
            if not outcome.ok:
                raise NamedError("InvalidCredentials_400", outcome.detail)

        self.each(request, rows[:10], check_one, _("Connected"), atomic=False)


@admin.register(ChatTemplate)
class ChatTemplateAdmin(CompanyRecordAdmin):
    """Companies' templates of chat messages, and their statuses at the vendor."""

    icon = "chat_paste_go"
    list_display = ("__str__", "company", "app", "category", "status", "created_at")
    list_filter = (BY_COMPANY, "status", "category")
    search_fields = ("=id", "name", "=vendor_id")


@admin.register(ChatOptOut)
class ChatOptOutAdmin(CompanyRecordAdmin):
    """Numbers that companies write to no more by chat."""

    icon = "speaker_notes_off"
    list_display = ("__str__", "company", "reason", "created_at")
    list_filter = (BY_COMPANY, "reason")
    search_fields = ("=id", "=phone")
