"""Back office pages of subscriptions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from accounts.models import Company
from billing.models import Subscription
from billing.selectors import entitlement_of
from billing.services.subscriptions import activate_subscription, expire_subscription
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.backoffice.panels import facts, link, panel

COLOURS = {"trial": "info", "active": "success", "past_due": "warning", "cancelled": "danger", "expired": "danger"}


class SubscriptionForm(BackOfficeForm):
    """A subscription, whose limits and modules have the shapes that the doors expect."""

    def clean_limits(self) -> dict[str, int]:
        value = self.cleaned_data["limits"] or {}
        fine = isinstance(value, dict) and all(type(number) is int and number >= 0 for number in value.values())
        if not fine:
            raise forms.ValidationError('Write it as {"contact": 1000}.')
        return value

    def clean_modules(self) -> list[str] | None:
        value = self.cleaned_data["modules"]
        if value is not None and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
            raise forms.ValidationError('Write it as ["contact", "lead"], or leave it empty for all.')
        return value


@admin.register(Subscription)
class SubscriptionAdmin(CompanyRecordAdmin):
    """What companies have subscribed to."""

    icon = "card_membership"
    form = SubscriptionForm
    edits = ("status", "starts_at", "ends_at", "modules", "limits")
    commands = ("activate", "expire")
    list_display = ("company", "state", "is_primary", "starts_at", "ends_at", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY, "is_primary")
    search_fields = ("=id", "company__name", "company__email")

    @display(description="status", ordering="status", label=COLOURS)
    def state(self, subscription: Subscription) -> tuple[str, str]:
        return subscription.status, subscription.get_status_display()

    @admin.display(description="Activate")
    def activate(self, request: HttpRequest, rows: QuerySet[Subscription]) -> None:
        self.each(request, rows.filter(is_primary=True), lambda row: activate_subscription(company_id=row.company_id), "activated")

    @admin.display(description="Expire now")
    def expire(self, request: HttpRequest, rows: QuerySet[Subscription]) -> None:
        self.each(request, rows.filter(is_primary=True), lambda row: expire_subscription(company_id=row.company_id), "expired")


@panel(Company, "Subscription", permission="billing.view_subscription")
def _subscription(company: Company) -> SafeString:
    found: Any = Subscription.objects.filter(company=company, is_primary=True).first()
    if found is None:
        return facts([("Subscription", "none")])
    return facts(
        [
            ("Subscription", link(found, found.get_status_display())),
            ("Doors", "open" if entitlement_of(company.pk) else "closed"),
            ("Since", found.starts_at.date()),
            ("Ends", found.ends_at.date() if found.ends_at else "not"),
            ("Modules", "all" if found.modules is None else len(found.modules)),
        ]
    )
