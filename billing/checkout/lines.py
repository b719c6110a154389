"""The lines of quotes and renewals: plans, add-ons, unused time, discounts and taxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from accounts.settings.formats import formats_of
from billing.addons.services import Item
from billing.checkout.unused import unused_amount
from billing.coupons.models import Coupon
from billing.coupons.services import discount_of
from billing.invoices.services import Line
from billing.ledger.money import percent_of, share, to_minor
from billing.plans.models import Plan, PlanPrice
from billing.subscriptions.models import Subscription
from billing.taxes.rules import Tax
from core.tenancy import company_id


def plan_lines(plan: Plan, price: PlanPrice, seats: int) -> tuple[Line, ...]:
    """Return the lines of a period of a plan."""
    base, seat = (to_minor(amount, price.currency.code) for amount in (price.amount, price.seat_amount))
    lines = [Line(text=f"{plan.name}, a {price.interval}", quantity=1, unit=base, amount=base)]
    more = seats - plan.min_seats
    if more > 0:
        lines.append(Line(text=f"Seats beyond {plan.min_seats}", quantity=more, unit=seat, amount=seat * more))
    return tuple(lines)


def item_lines(items: Sequence[Item], currency: str, interval: str) -> tuple[Line, ...]:
    """Return the lines of add-ons for a period."""
    units = [(item, to_minor(item.unit_amount, currency)) for item in items]
    return tuple(
        Line(text=f"{item.add_on.name}, a {interval}", quantity=item.quantity, unit=unit, amount=unit * item.quantity)
        for item, unit in units
    )


def day_text(moment: datetime) -> str:
    """Write a day as the active company does."""
    return formats_of(company_id()).date(moment)


def unused_lines(subscription: Subscription, currency: str, now: datetime) -> tuple[Line, ...]:
    """Return the lines that deduct the unused part of the paid amount."""
    end = subscription.period_end
    if end is None or end <= now or not subscription.interval:
        return ()
    unused = unused_amount(subscription, currency, now)
    name = subscription.plan.name if subscription.plan else "the former plan"
    return (
        (Line(text=f"Unused time of {name} until {day_text(end)}", quantity=1, unit=-unused, amount=-unused),)
        if unused
        else ()
    )


def apply_discount(lines: Sequence[Line], coupon: Coupon | None, currency: str) -> tuple[Line, ...]:
    """Spread the discount of a coupon over lines."""
    if coupon is None:
        return tuple(lines)
    discount = discount_of(coupon, sum(line.amount for line in lines), currency)
    # Only amounts above zero carry a part of it: a discount on deducted time would raise the price.
    parts = share(discount, [max(0, line.amount) for line in lines])
    return tuple(replace(line, discount=part) for line, part in zip(lines, parts, strict=True))


def add_tax(lines: Sequence[Line], tax: Tax) -> tuple[Line, ...]:
    """Add a tax to lines. It is calculated on the total and distributed over the lines."""
    if not tax.percent:
        return tuple(lines)
    # Rounding the tax of each line could differ from the tax on the total by a unit for every line.
    nets = [line.amount - line.discount for line in lines]
    parts = _shared_tax(percent_of(sum(nets), tax.percent), nets)
    return tuple(replace(line, tax_percent=tax.percent, tax=part) for line, part in zip(lines, parts, strict=True))


def _shared_tax(tax: int, nets: list[int]) -> list[int]:
    """Share a tax out over lines of which some may be below zero."""
    if all(net >= 0 for net in nets):
        return share(tax, nets)
    net_total = sum(nets)
    # Largest remainders assume weights above zero, so here the first line takes the rest of the rounding.
    parts = [tax * net // net_total if net_total else 0 for net in nets]
    parts[0] += tax - sum(parts)
    return parts
