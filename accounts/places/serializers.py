"""Answers about places and time zones."""

from __future__ import annotations

from rest_framework import serializers

from core.api.output import Output


class CountryOut(Output):
    """A country."""

    name = serializers.CharField()
    native = serializers.CharField(help_text="What its people call it.")
    iso2 = serializers.CharField(help_text="ISO 3166-1, two letters.")
    iso3 = serializers.CharField()
    phoneCode = serializers.CharField(help_text="With plus, such as +49.")
    currency = serializers.CharField(help_text="ISO 4217")
    flag = serializers.CharField(help_text="Emoji")
    timezones = serializers.ListField(child=serializers.CharField())


class StateOut(Output):
    """A first-level part of a country."""

    name = serializers.CharField()
    native = serializers.CharField()
    code = serializers.CharField(help_text="ISO 3166-2 without the country's part.")
    type = serializers.CharField()


class CityOut(Output):
    """A city."""

    name = serializers.CharField()


class Places(Output):
    """Countries; or one with its states; or both with the state's cities."""

    countries = CountryOut(many=True, required=False)
    country = CountryOut(required=False)
    states = StateOut(many=True, required=False)
    state = StateOut(required=False)
    cities = CityOut(many=True, required=False)


class TimezoneOut(Output):
    """A time zone."""

    name = serializers.CharField(help_text="Of the tz database.")
    offset = serializers.IntegerField(help_text="Minutes from UTC, now.")
    label = serializers.CharField()  # type: ignore[assignment]


class Timezones(Output):
    """Time zones, from west to east."""

    timezones = TimezoneOut(many=True)
