"""Back office pages of coupons and who used them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from billing.coupons.models import Coupon, Redemption
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, BackOfficeForm, CompanyRecordAdmin
from core.text.formats import money_text
from core.text.translation import gettext_lazy as _


class CouponForm(BackOfficeForm):
    """A coupon, whose code is kept in capitals."""

    def clean_code(self) -> str:
        code = "".join(str(self.cleaned_data["code"]).split()).upper()
        if not code:
            raise forms.ValidationError(_("Enter a code."))
        return code

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).strip().upper()


@admin.register(Coupon)
class CouponAdmin(BackOfficeAdmin):
    """Coupons. Each takes something off one order of a company: a percentage, or an amount of a currency. Codes are
    kept in capitals; companies may write them as they like."""

    icon = "confirmation_number"
    finds = True
    form = CouponForm
    adds = True
    edits = (
        *("code", "name", "percent", "amount", "currency", "plans", "offered_to", "max_redemptions"),
        *("first_time_only", "starts_at", "ends_at", "is_active"),
    )
    autocomplete_fields = ("offered_to",)
    list_display = ("code", "takes_off", "used", "max_redemptions", "ends_at", "is_active")
    list_filter = ("is_active",)
    search_fields = ("=id", "code", "name")

    @admin.display(description=_("Discount"), ordering="percent")
    def takes_off(self, row: Coupon) -> str:
        if row.percent is not None:
            share = {"percent": f"{row.percent.normalize():f}", "currency": row.currency}
            return (_("%(percent)s%% of orders in %(currency)s") if row.currency else _("%(percent)s%%")) % share
        return money_text(row.amount, row.currency) if row.amount is not None else "–"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        fields = super().get_fields(request, obj)
        place = fields.index("currency") + 1
        return [*fields[:place], "plans", *fields[place:]]  # no column, so that the base does not know it


@admin.register(Redemption)
class RedemptionAdmin(CompanyRecordAdmin):
    """Coupons that companies hold or have redeemed."""

    icon = "redeem"
    list_display = ("coupon", "company", "state", "payment", "created_at")
    list_filter = (("state", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "coupon__code")
