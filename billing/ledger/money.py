"""Amounts in minor units by ISO 4217, and how they are shared out without losing one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil

from rest_framework import serializers

from core.api.output import Output
from core.text.currencies import exponent as exponent
from core.text.formats import money_text
from core.types import JsonObject

MAX_AMOUNT = 2**53
"""Minor units of the largest amount: JSON's numbers are exact up to here."""


def to_minor(amount: Decimal, currency: str) -> int:
    """Convert an amount to minor units, half up."""
    # Half up is what invoices and tax offices expect. Python's own round() is half to even.
    return int(amount.scaleb(exponent(currency)).to_integral_value(ROUND_HALF_UP))


def to_amount(minor: int, currency: str) -> Decimal:
    """Convert minor units to the amount, with the currency's decimals."""
    return Decimal(minor).scaleb(-exponent(currency)).quantize(Decimal(1).scaleb(-exponent(currency)))


def sum_text(minor: int, currency: str) -> str:
    """Write minor units as people read them: the amount with the currency's sign."""
    return money_text(to_amount(minor, currency), currency)


def share(total: int, weights: Sequence[int]) -> list[int]:
    """Distribute a total by weights. The parts add up to it: the largest remainders get the rest of the rounding."""
    weight_sum = sum(weights)
    if weight_sum <= 0:
        return [0] * len(weights)
    parts = [total * weight // weight_sum for weight in weights]
    # Ties go to the earlier part, so that a quote and its invoice share a total out in the same way.
    order = sorted(range(len(weights)), key=lambda place: (-(total * weights[place] % weight_sum), place))
    for place in order[: total - sum(parts)]:
        parts[place] += 1
    return parts


def prorate(amount: int, periods: Fraction) -> int:
    """Return the price of so many periods, whole and parts of one, rounded up."""
    return ceil(amount * periods)


def percent_of(minor: int, percent: Decimal) -> int:
    """Return a percentage of an amount, half up."""
    # Half up, as invoices round (Python's default rounds half to even).
    return int((minor * percent / 100).to_integral_value(ROUND_HALF_UP))


class MoneyOut(Output):
    """An amount of money."""

    amount = serializers.FloatField(help_text="in the currency's units")
    amountMinor = serializers.IntegerField(help_text="in its smallest units, by ISO 4217")
    currency = serializers.CharField(help_text="ISO 4217 code")


def money(minor: int, currency: str) -> JsonObject:
    """Return an amount under its output names."""
    return {"amount": float(to_amount(minor, currency)), "amountMinor": minor, "currency": currency}
