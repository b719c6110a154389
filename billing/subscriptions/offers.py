"""Comparison of another plan with the company's present one: upgrade, downgrade or the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from billing.plans.models import PlanPrice, PlanVersion
from billing.subscriptions.models import Subscription
from billing.subscriptions.periods import MONTHS
from billing.subscriptions.selectors import is_open

UPGRADE = "upgrade"
DOWNGRADE = "downgrade"
SAME = "same"
CHANGES = (UPGRADE, DOWNGRADE, SAME)
Amounts = Mapping[tuple[str, str], Decimal]
"""(currency, interval) -> the price of a plan with its minimum number of seats."""


@dataclass(frozen=True, kw_only=True)
class CurrentPlan:
    """The plan that a company pays for."""

    plan_id: str
    interval: str
    currency: str
    amounts: Amounts


def paid_plan(subscription: Subscription | None) -> CurrentPlan | None:
    """Return the company's paid plan; None in a trial, without a subscription, or with one that was granted."""
    if subscription is None or not is_open(subscription) or subscription.plan_id is None or not subscription.interval:
        return None
    if subscription.status == Subscription.Status.TRIAL:
        return None
    plan_id: str = subscription.plan_id
    version = subscription.version
    amounts = amounts_in(version) if version is not None else amounts_of([plan_id]).get(plan_id, {})
    return CurrentPlan(plan_id=plan_id, interval=subscription.interval, currency=subscription.currency, amounts=amounts)


def amounts_of(plan_ids: Iterable[str]) -> dict[str, dict[tuple[str, str], Decimal]]:
    """Return plan -> its prices."""
    amounts: dict[str, dict[tuple[str, str], Decimal]] = defaultdict(dict)
    rows = PlanPrice.objects.filter(plan_id__in=list(plan_ids), currency__is_active=True)
    for plan_id, currency, interval, amount in rows.values_list("plan_id", "currency__code", "interval", "amount"):
        amounts[plan_id][currency, interval] = amount
    return amounts


def amounts_in(version: PlanVersion) -> dict[tuple[str, str], Decimal]:
    """Return the prices of a plan in a version of it."""
    prices = version.prices.items()
    return {(code, name): Decimal(price["amount"]) for code, intervals in prices for name, price in intervals.items()}


def change_to(current_plan: CurrentPlan | None, plan_id: str, interval: str, amounts: Amounts) -> str:
    """Return UPGRADE, DOWNGRADE or SAME for a plan and interval compared with the company's present ones.

    From months to a year is an upgrade, from a year to months a downgrade, for every plan: the first is paid now, the
    second when the year is over. Otherwise the price of the same interval decides.
    """
    if current_plan is None:
        return UPGRADE
    if (current_plan.plan_id, current_plan.interval) == (plan_id, interval):
        return SAME
    if MONTHS[interval] < MONTHS[current_plan.interval]:
        return DOWNGRADE
    if current_plan.plan_id == plan_id:
        return UPGRADE
    mine = monthly_price(current_plan.amounts, current_plan.currency, interval)
    other = monthly_price(amounts, current_plan.currency, interval)
    return DOWNGRADE if mine is not None and other is not None and other < mine else UPGRADE


def monthly_price(amounts: Amounts, currency: str, interval: str) -> Decimal | None:
    """Return the price of a plan for a month: in this currency and for this interval if possible, else for any."""
    order = sorted(amounts, key=lambda key: (key[0] != currency, key[1] != interval, key))
    if not order or (currency and order[0][0] != currency):
        return None
    return amounts[order[0]] / MONTHS[order[0][1]]
