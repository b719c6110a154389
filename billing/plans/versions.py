"""Terms of plans that stay the same for the subscriptions that pay for them.

A plan has its present terms. Before staff change them, the former terms are stored as a PlanVersion. The paying
subscriptions then point to it (`billing.subscriptions.versions`); those without a version follow the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from decimal import Decimal

from billing.plans.models import Currency, MeterPrice, Plan, PlanPrice, PlanVersion
from core.hooks import Hook
from core.types import JsonObject

before_plan_change: Hook[[str], Callable[[], None]] = Hook(
    __name__,
    "before_plan_change",
    "Before staff change a plan (id), in that transaction. Returns a function that is called after the change.",
)
TERMS = ("modules", "limits", "min_seats", "max_seats")
"""The fields that a plan and its versions have in common."""


def terms_now(plan_id: str) -> JsonObject:
    """Return the present terms of a plan in the form of a PlanVersion."""
    plan = Plan.objects.get(pk=plan_id)
    prices: dict[str, dict[str, dict[str, str]]] = {}
    for row in PlanPrice.objects.filter(plan_id=plan_id).select_related("currency").order_by("pk"):
        amounts = {"amount": str(row.amount), "seat_amount": str(row.seat_amount)}
        prices.setdefault(row.currency.code, {})[row.interval] = amounts
    meters: dict[str, dict[str, str]] = {}
    for meter_price in MeterPrice.objects.filter(plan_id=plan_id).select_related("currency").order_by("pk"):
        meters.setdefault(meter_price.meter, {})[meter_price.currency.code] = str(meter_price.amount)
    return {**{name: getattr(plan, name) for name in TERMS}, "prices": prices, "meter_prices": meters}


def with_terms(plan: Plan, version: PlanVersion | None) -> Plan:
    """Return the plan as it was in a version; without one the plan itself."""
    if version is None:
        return plan
    former = copy(plan)
    for name in TERMS:
        setattr(former, name, getattr(version, name))
    return former


def prices_of(plan: Plan, version: PlanVersion | None, interval: str) -> dict[str, PlanPrice]:
    """Return currency on offer -> the price of the plan for an interval, in a version of it or now."""
    if version is None:
        rows = PlanPrice.objects.filter(plan_id=plan.pk, interval=interval, currency__is_active=True)
        return {row.currency.code: row for row in rows.select_related("currency").order_by("currency__code")}
    currencies = Currency.objects.filter(code__in=list(version.prices), is_active=True).order_by("code")
    return prices_in(version, plan, interval, currencies)


def prices_in(version: PlanVersion, plan: Plan, interval: str, currencies: Iterable[Currency]) -> dict[str, PlanPrice]:
    """Return currency, of these -> the price of the plan for an interval in a version of it."""
    prices = {}
    for currency in currencies:
        if texts := version.prices.get(currency.code, {}).get(interval):
            amounts = {name: Decimal(text) for name, text in texts.items()}
            prices[currency.code] = PlanPrice(plan=plan, currency=currency, interval=interval, **amounts)
    return prices


def meter_price_of(plan_id: str, version: PlanVersion | None, meter: str, currency: str) -> Decimal | None:
    """Return the price of a unit beyond the included quantity; None: none is sold in the currency."""
    if version is not None:
        text = version.meter_prices.get(meter, {}).get(currency)
        return None if text is None else Decimal(text)
    rows = MeterPrice.objects.filter(plan_id=plan_id, meter=meter, currency__code=currency)
    return rows.values_list("amount", flat=True).first()
