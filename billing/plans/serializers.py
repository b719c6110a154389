"""Outputs of plans and currencies."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from billing.plans.models import MeterPrice, PlanPrice, PlanVersion
from core.access.meters import METERS
from core.api.output import Computed, IdField, Output
from core.fields import JSONField
from core.text.labels.features import features_of
from core.text.labels.modules import name_of
from core.types import JsonObject, Values

PERMISSION_MODULES = "permission modules; null: all of them"


class CurrencyOut(Output):
    """A currency of ISO 4217."""

    _id = IdField()
    code = serializers.CharField(help_text="ISO 4217 code")
    name = serializers.CharField()
    symbol = serializers.CharField()
    decimals = serializers.IntegerField(help_text="of its smallest unit, by ISO 4217")


class PriceOut(Output):
    """A price of a plan."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices)
    amount = serializers.FloatField(help_text="for the interval, with the plan's least number of seats")
    seatAmount = serializers.FloatField(help_text="for each further seat")


class SavingOut(Output):
    """The saving of a yearly price against twelve months."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    amount = serializers.FloatField(help_text="a year")
    percent = serializers.IntegerField()


def savings_of(prices: Iterable[Values]) -> list[JsonObject]:
    """Return the saving of a year in each currency that has both prices, if there is one."""
    by = {(price["currency"], price["interval"]): Decimal(str(price["amount"])) for price in prices}
    savings = []
    for (currency, interval), year in sorted(by.items()):
        twelve = 12 * by.get((currency, "month"), Decimal(0))
        if interval == "year" and year < twelve:
            saved = {"amount": float(twelve - year), "percent": int((twelve - year) * 100 / twelve)}
            savings.append({"currency": currency, **saved})
    return savings


class UnitPriceOut(Output):
    """The price of a unit of a meter beyond the included quantity."""

    amount = serializers.FloatField(help_text="of one unit; it may have parts of the currency's smallest one")
    currency = serializers.CharField(help_text="ISO 4217 code")


class PlanMeterOut(Output):
    """A meter of a plan: its included quantity and prices."""

    meter = serializers.CharField(help_text="the name of its limit")
    name = serializers.CharField()
    included = serializers.IntegerField(help_text="each month")
    prices = Computed(UnitPriceOut(many=True, help_text="of each unit beyond; none: none are to be had"))


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
    pauseMonths = serializers.IntegerField(help_text="months that it lets a subscription be paused for; 0: not at all")
    isTrial = serializers.BooleanField()
    trialDays = serializers.IntegerField()
    order = serializers.IntegerField()
    features = Computed(serializers.ListField(child=serializers.CharField(), help_text="its modules in words"))
    prices = Computed(PriceOut(many=True))
    yearlySaving = Computed(SavingOut(many=True, help_text="by currency, where a year costs less than twelve months"))
    meters = Computed(PlanMeterOut(many=True, help_text="limits that begin anew each month"))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def columns(cls) -> JsonObject:
        prices = PlanPrice.objects.filter(plan=OuterRef("pk"), currency__is_active=True).order_by().values("plan")
        price = JSONObject(currency="currency__code", interval="interval", amount="amount", seatAmount="seat_amount")
        listed = prices.annotate(listed=JSONBAgg(price, order_by=("currency__code", "interval"))).values("listed")
        units = MeterPrice.objects.filter(plan=OuterRef("pk"), currency__is_active=True).order_by().values("plan")
        unit = JSONObject(meter="meter", currency="currency__code", amount="amount")
        sold = units.annotate(sold=JSONBAgg(unit, order_by=("meter", "currency__code"))).values("sold")
        return {
            **super().columns(),
            "prices": Subquery(listed, output_field=JSONField()),
            "meters": Subquery(sold, output_field=JSONField()),
        }

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        sold: dict[str, list[JsonObject]] = {}
        for meter_price in data["meters"] or []:
            price = {"amount": meter_price["amount"], "currency": meter_price["currency"]}
            sold.setdefault(meter_price["meter"], []).append(price)
        meters = [
            {"meter": key, "name": name_of(key), "included": data["limits"][key], "prices": sold.get(key, [])}
            for key in METERS
            if key in data["limits"]
        ]
        prices = data["prices"] or []
        more = {"features": features_of(data["modules"]), "yearlySaving": savings_of(prices), "meters": meters}
        return {**data, "prices": prices, **more}


def as_kept(plan: JsonObject, version: PlanVersion | None) -> JsonObject:
    """Return a plan's output with the terms of a version, for who pays for that."""
    if version is None:
        return plan
    prices = [
        {
            "currency": code,
            "interval": interval,
            "amount": float(price["amount"]),
            "seatAmount": float(price["seat_amount"]),
        }
        for code, intervals in version.prices.items()
        for interval, price in intervals.items()
    ]
    limits = version.limits
    meters = [
        {
            "meter": key,
            "name": name_of(key),
            "included": limits[key],
            "prices": [
                {"amount": float(amount), "currency": code}
                for code, amount in version.meter_prices.get(key, {}).items()
            ],
        }
        for key in METERS
        if key in limits
    ]
    seats = {"minSeats": version.min_seats, "maxSeats": version.max_seats}
    texts = {"features": features_of(version.modules), "yearlySaving": savings_of(prices)}
    values = {"modules": version.modules, "limits": limits, "prices": prices, "meters": meters}
    return {**plan, **values, **seats, **texts}


class PlanCurrencyOut(CurrencyOut):
    """A currency, with a plan and its prices in that currency."""

    plan = Computed(PlanOut(help_text="its prices are those in this currency"))
