"""Back office pages of plans, their prices and currencies."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline

from billing.plans.models import Currency, Plan, PlanPrice
from billing.plans.validation import TermsForm
from core.backoffice.admin import BackOfficeAdmin


class PriceInline(TabularInline):
    """A plan's prices, one line per currency and interval."""

    model = PlanPrice
    fields = ("currency", "interval", "amount", "seat_amount")
    extra = 0
    ordering = ("currency__code", "interval")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("currency")


@admin.register(Plan)
class PlanAdmin(BackOfficeAdmin):
    """The plans. A change applies at once to all subscribers; a plan with subscribers cannot be deleted."""

    icon = "sell"
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
    inlines = (PriceInline,)
    list_display = ("name", "is_public", "is_trial", "min_seats", "max_seats", "order", "created_at")
    list_filter = ("is_public", "is_trial")
    search_fields = ("=id", "name", "description")
    ordering = ("order", "name")


@admin.register(Currency)
class CurrencyAdmin(BackOfficeAdmin):
    """The currencies of ISO 4217; the active ones are on offer."""

    icon = "payments"
    edits = ("name", "symbol", "is_active")
    list_display = ("code", "name", "symbol", "decimals", "is_active")
    list_filter = ("is_active",)
    search_fields = ("=id", "code", "name")
    ordering = ("code",)
