"""Outputs of plans and currencies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from billing.plans.models import PlanPrice
from core.api.output import Computed, IdField, Output
from core.fields import JSONField

PERMISSION_MODULES = "permission modules; null: all of them"


class CurrencyOut(Output):
    """A currency of ISO 4217."""

    _id = IdField()
    code = serializers.CharField(help_text="ISO 4217 code")
    name = serializers.CharField()
    symbol = serializers.CharField()
    decimals = serializers.IntegerField(help_text="as amounts are written with")


class PriceOut(Output):
    """What a plan costs."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices)
    amount = serializers.FloatField(help_text="for the interval, with the plan's least number of seats")
    seatAmount = serializers.FloatField(help_text="for each further seat")


class PlanOut(Output):
    """A plan that can be subscribed to."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    modules = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text=PERMISSION_MODULES)
    limits = serializers.DictField(
        child=serializers.IntegerField(), help_text="module -> records that may be there; absent: no limit"
    )
    minSeats = serializers.IntegerField()
    maxSeats = serializers.IntegerField(allow_null=True, help_text="null: no end")
    isTrial = serializers.BooleanField()
    trialDays = serializers.IntegerField()
    order = serializers.IntegerField()
    prices = Computed(PriceOut(many=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def columns(cls) -> dict[str, Any]:
        prices = PlanPrice.objects.filter(plan=OuterRef("pk"), currency__is_active=True).order_by().values("plan")
        price = JSONObject(currency="currency__code", interval="interval", amount="amount", seatAmount="seat_amount")
        listed = prices.annotate(listed=JSONBAgg(price, order_by=("currency__code", "interval"))).values("listed")
        return {**super().columns(), "prices": Subquery(listed, output_field=JSONField())}

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        return {**data, "prices": data["prices"] or []}


class PlanCurrencyOut(CurrencyOut):
    """A currency, with a plan and what it costs in that currency."""

    plan = Computed(PlanOut(help_text="its prices are those in this currency"))
