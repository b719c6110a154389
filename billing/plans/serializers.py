"""Outputs of plans and currencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from billing.plans.models import PlanPrice
from core.api.output import Computed, IdField, Output
from core.fields import JSONField
from core.text.features import features_of

PERMISSION_MODULES = "permission modules; null: all of them"


class CurrencyOut(Output):
    """A currency of ISO 4217."""

    _id = IdField()
    code = serializers.CharField(help_text="ISO 4217 code")
    name = serializers.CharField()
    symbol = serializers.CharField()
    decimals = serializers.IntegerField(help_text="of its smallest unit, by ISO 4217")


class PriceOut(Output):
    """What a plan costs."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices)
    amount = serializers.FloatField(help_text="for the interval, with the plan's least number of seats")
    seatAmount = serializers.FloatField(help_text="for each further seat")


class SavingOut(Output):
    """What a year costs less than twelve months."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    amount = serializers.FloatField(help_text="a year")
    percent = serializers.IntegerField()


def savings_of(prices: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what a year saves in each currency that has both prices, where it saves anything."""
    by = {(one["currency"], one["interval"]): Decimal(str(one["amount"])) for one in prices}
    found = []
    for (currency, interval), year in sorted(by.items()):
        twelve = 12 * by.get((currency, "month"), Decimal(0))
        if interval == "year" and year < twelve:
            saved = {"amount": float(twelve - year), "percent": int((twelve - year) * 100 / twelve)}
            found.append({"currency": currency, **saved})
    return found


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
    features = Computed(serializers.ListField(child=serializers.CharField(), help_text="its modules in words"))
    prices = Computed(PriceOut(many=True))
    yearlySaving = Computed(SavingOut(many=True, help_text="by currency, where a year costs less than twelve months"))
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
        prices = data["prices"] or []
        saving = savings_of(prices)
        return {**data, "prices": prices, "features": features_of(data["modules"]), "yearlySaving": saving}


class PlanCurrencyOut(CurrencyOut):
    """A currency, with a plan and what it costs in that currency."""

    plan = Computed(PlanOut(help_text="its prices are those in this currency"))
