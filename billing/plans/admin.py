"""Back office pages of plans, their prices and currencies."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminSelectWidget

from billing.plans.models import Currency, MeterPrice, Plan, PlanPrice
from billing.plans.validation import TermsForm
from billing.plans.versions import before_plan_change
from core.access.meters import METERS
from core.backoffice.admin import BackOfficeAdmin
from core.text.labels.modules import name_of


class PriceInline(TabularInline):
    """A plan's prices, one line per currency and interval."""

    model = PlanPrice
    fields = ("currency", "interval", "amount", "seat_amount")
    extra = 0
    ordering = ("currency__code", "interval")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("currency")


class MeterPriceInline(TabularInline):
    """The price of each unit of a meter beyond the plan's included quantity. Without a price, use ends with that
    quantity."""

    model = MeterPrice
    fields = ("meter", "currency", "amount")
    extra = 0
    ordering = ("meter", "currency__code")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("currency")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the registered meters."""
        if db_field.name == "meter":
            choices = [(key, name_of(key)) for key in METERS]
            return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget())
        return super().formfield_for_dbfield(db_field, request, **kwargs)


@admin.register(Plan)
class PlanAdmin(BackOfficeAdmin):
    """The plans. Who pays for one keeps its terms as they were; a plan with subscribers cannot be deleted."""

    icon = "sell"
    finds = True
    form = TermsForm
    adds = deletes = True
    edits = (
        "name",
        "description",
        "modules",
        "limits",
        "min_seats",
        "max_seats",
        "is_trial",
        "trial_days",
        "is_public",
        "order",
    )
    inlines = (PriceInline, MeterPriceInline)
    list_display = ("name", "is_public", "is_trial", "min_seats", "max_seats", "order", "created_at")
    list_filter = ("is_public", "is_trial")
    search_fields = ("=id", "name", "description")
    ordering = ("order", "name")

    def save_model(self, request: HttpRequest, obj: Plan, form: Any, change: bool) -> None:
        """Keep the former terms for those who pay for them, before anything is written."""
        kept = before_plan_change.send(obj.pk) if change else []
        request.kept_terms = kept  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        for undo in getattr(request, "kept_terms", []):
            undo()


@admin.register(Currency)
class CurrencyAdmin(BackOfficeAdmin):
    """The currencies of ISO 4217; the active ones are on offer."""

    icon = "payments"
    edits = ("name", "symbol", "is_active")
    list_display = ("code", "name", "symbol", "decimals", "is_active")
    list_filter = ("is_active",)
    search_fields = ("=id", "code", "name")
    ordering = ("code",)
