"""Outputs of a company's use of its meters."""

from __future__ import annotations

from rest_framework import serializers

from billing.ledger.money import MoneyOut
from billing.plans.serializers import UnitPriceOut
from core.api.output import Computed, Output


class DayUsedOut(Output):
    """The quantity used on a day."""

    day = serializers.DateField()
    used = serializers.IntegerField()


class MeterUsedOut(Output):
    """A meter of the subscription, in the month that runs."""

    meter = serializers.CharField(help_text="the name of its limit in plans")
    name = serializers.CharField()
    periodStart = serializers.DateTimeField()
    periodEnd = serializers.DateTimeField(help_text="when a new month begins, with all that is included")
    included = serializers.IntegerField()
    used = serializers.IntegerField(help_text="what is under way among it")
    percent = serializers.IntegerField(help_text="of what is included, at most 100")
    overage = serializers.IntegerField(help_text="used beyond what is included")
    price = Computed(UnitPriceOut(allow_null=True, help_text="of each unit beyond; null: none are to be had"))
    overageCost = Computed(MoneyOut(allow_null=True, help_text="of the overage so far, before tax"))
    forecast = serializers.IntegerField(help_text="used at the month's end if it goes on like this")
    forecastCost = Computed(MoneyOut(allow_null=True, help_text="of the overage that would be"))
    days = Computed(DayUsedOut(many=True))


class MetersUsedOut(Output):
    """The company's use of its meters. Meters without a limit in the subscription are not counted."""

    meters = Computed(MeterUsedOut(many=True))
    vars()["from"] = serializers.DateField(help_text="the first day")  # a word of Python's own
    to = serializers.DateField(help_text="the last day")
