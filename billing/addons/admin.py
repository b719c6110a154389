"""Back office pages of add-ons."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.admin import TabularInline

from accounts.roles.pages import WORDS
from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from billing.plans.validation import TermsForm
from billing.subscriptions.models import Subscription
from core.backoffice.admin import BackOfficeAdmin, CompanyRecordAdmin
from core.backoffice.inputs import ChoicesField
from core.backoffice.panels import ROWS, register_panel, render_table
from core.text.translation import gettext_lazy as _


class AddOnForm(TermsForm):
    """A form of the modules and limits of an add-on."""

    modules = ChoicesField(list(WORDS.items()), help_text=_("The add-on adds these permissions to the plan's."))

    def clean_limits(self) -> dict[str, int]:
        value: dict[str, int] = self.cleaned_data["limits"]
        if "member" in value:
            raise forms.ValidationError(_("Choose another unit. The plan has the seats."))
        return value


class PriceInline(TabularInline):
    """An add-on's prices, one line per currency and interval."""

    model = AddOnPrice
    fields = ("currency", "interval", "amount")
    extra = 0
    ordering = ("currency__code", "interval")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("currency")


@admin.register(AddOn)
class AddOnAdmin(BackOfficeAdmin):
    """Add-ons. Their buyers keep modules, limits and price. None is deleted, because orders name it: hide it."""

    icon = "add_shopping_cart"
    form = AddOnForm
    adds = True
    edits = ("name", "description", "modules", "limits", "is_public", "order")
    inlines = (PriceInline,)
    list_display = ("name", "is_public", "order", "created_at")
    list_filter = ("is_public",)
    search_fields = ("=id", "name", "description")
    ordering = ("order", "name")


@admin.register(SubscriptionItem)
class SubscriptionItemAdmin(CompanyRecordAdmin):
    """The add-ons that subscriptions have."""

    icon = "playlist_add_check"
    list_display = ("add_on", "company", "quantity", "unit_amount", "created_at")
    search_fields = ("=id", "add_on__name", "company__name")


@register_panel(Subscription, _("Add-ons"), permission="billing.view_subscriptionitem")
def _add_ons(subscription: Subscription) -> SafeString:
    rows = SubscriptionItem.objects.filter(subscription=subscription).select_related("add_on").order_by("pk")[:ROWS]
    return render_table(
        (_("Add-on"), _("Quantity"), _("Each")), [(row.add_on.name, row.quantity, row.unit_amount) for row in rows]
    )
