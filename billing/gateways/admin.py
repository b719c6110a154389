"""Back office pages of the operator's accounts at gateways."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminSelectWidget

from billing.gateways.accounts import account_of, check_base_url, examine_account, set_secret
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.gateways.models import GatewayAccount
from billing.gateways.registry import ADAPTERS, adapter_class
from billing.ledger.money import exponent
from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm
from core.backoffice.columns import Tones, badge
from core.errors import ApiError, ValidationFailed
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

COLOURS = Tones({"on": "success", "off": "info", "misconfigured": "danger"})


def secret_field(label: str) -> forms.CharField:
    """Make a field that can be written but not read."""
    return forms.CharField(
        label=label,
        required=False,
        max_length=500,
        help_text=_("Leave empty to keep it."),
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )


class AccountForm(BackOfficeForm):
    """An account, whose keys can be written but not read."""

    adapter = forms.ChoiceField(choices=[(name, name.title()) for name in ADAPTERS], widget=UnfoldAdminSelectWidget())
    new_secret_key = secret_field(_("Secret key"))
    new_webhook_secret = secret_field(_("Webhook secret"))

    def clean_base_url(self) -> str:
        try:
            return check_base_url(self.cleaned_data["base_url"])
        except ValidationFailed as error:
            raise forms.ValidationError(error.detail) from error

    def clean_currencies(self) -> list[str]:
        codes = self.cleaned_data["currencies"] or []
        if not isinstance(codes, list) or not all(isinstance(code, str) and len(code) == 3 for code in codes):
            raise forms.ValidationError(_('List of codes, such as ["EUR", "USD"]. Empty means all.'))
        return [code for code in codes if exponent(code) >= 0]

    def clean(self) -> JsonObject:
        cleaned = super().clean() or {}
        if cleaned.get("base_url") and cleaned.get("mode") == GatewayAccount.Mode.LIVE:
            self.add_error("base_url", _("Use another server for test accounts only."))
        changed_fields = {"adapter", "base_url"} & set(self.changed_data)
        if self.instance.pk and changed_fields and self.instance.secret_key and not cleaned.get("new_secret_key"):
            self.add_error("new_secret_key", _("Enter the key of the new provider."))
        return cleaned

    def save(self, commit: bool = True) -> GatewayAccount:
        row: GatewayAccount = self.instance
        for name in ("secret_key", "webhook_secret"):
            value = self.cleaned_data.get(f"new_{name}")
            if "adapter" in self.changed_data:
                setattr(row, name, value or "")  # it was the former gateway's
                row.former_secret = ""
                row.former_until = None
            elif value and name == "secret_key" and "base_url" in self.changed_data:
                row.secret_key = value  # the former one is of the former server, and cannot be read for this one
            elif value:
                set_secret(row, name, value)
        saved: GatewayAccount = super().save(commit)
        return saved


@admin.register(GatewayAccount)
class GatewayAccountAdmin(BackOfficeAdmin):
    """The accounts at payment gateways, one for each letter of the API. The environment goes before them."""

    icon = "account_balance"
    form = AccountForm
    adds = True
    edits = (
        *("letter", "adapter", "mode", "state", "currencies", "key_id", "new_secret_key", "new_webhook_secret"),
        "base_url",
    )
    extra = ("webhook_address", "by_environment")
    commands = ("test",)
    list_display = ("letter", "adapter", "mode", "shown_state", "last_good", "last_hook", "in_a_row", "failure")
    search_fields = ("=id", "adapter")
    ordering = ("letter",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        fields = super().get_fields(request, obj)
        new = [name for name in ("new_secret_key", "new_webhook_secret") if name not in fields]
        place = fields.index("key_id") + 1
        return [*fields[:place], *new, *fields[place:]]

    shown_state = badge("state", COLOURS, _("state"))

    @admin.display(description=_("Last success"), ordering="good_at")
    def last_good(self, row: GatewayAccount) -> datetime | None:
        return row.good_at

    @admin.display(description=_("last webhook"), ordering="hook_at")
    def last_hook(self, row: GatewayAccount) -> datetime | None:
        return row.hook_at

    @admin.display(description=_("Failures in a row"), ordering="failures")
    def in_a_row(self, row: GatewayAccount) -> int:
        return row.failures

    @admin.display(description=_("Webhook address"))
    def webhook_address(self, row: GatewayAccount) -> str:
        return f"{settings.BASE_URL}/api/public/webhooks/gateway-{row.letter}/{row.pk}"

    @admin.display(description=_("Set by environment variables"), boolean=True)
    def by_environment(self, row: GatewayAccount) -> bool:
        return row.letter in settings.GATEWAYS

    @admin.display(description=_("Test connection"))
    def test(self, request: HttpRequest, rows: QuerySet[GatewayAccount]) -> None:
        def examine_row(row: GatewayAccount) -> None:
            try:
                examine_account(account_of(row.letter) or row)
            except (Misconfigured, AmbiguousOutcome, GatewayRefused) as error:
                detail = f"{adapter_class(row.adapter).title}: {error or type(error).__name__}"
                raise ApiError(detail) from error

        self.each(request, rows[:5], examine_row, _("Connected"), atomic=False)
