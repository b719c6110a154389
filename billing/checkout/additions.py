"""Quotes of more seats and add-ons within the paid time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from billing.addons.services import Item, count_addons
from billing.checkout.lines import add_tax, day_text
from billing.checkout.quote import FALLBACK, Quote, moment_of, price_of, tax_of_sale, with_credit
from billing.invoices.models import Invoice
from billing.invoices.services import Line
from billing.ledger.money import prorate, to_minor
from billing.payments.periods import periods_left
from billing.plans.models import Plan
from billing.subscriptions.changes import check_seats
from billing.subscriptions.models import Subscription
from billing.subscriptions.offers import DOWNGRADE, SAME, UPGRADE
from billing.subscriptions.selectors import is_open, subscribed_plan
from core.errors import NamedError


def quote_seats(subscription: Subscription, seats: int, *, at: datetime | None = None) -> Quote:
    """Calculate the price of more seats for the rest of the paid time, the periods that are paid ahead included.

    Raises BadRequest_400, PlanMinUsers_400 and PlanMaxUsers_400.
    """
    plan = subscribed_plan(subscription)
    end = subscription.period_end
    start = subscription.period_start
    if not is_open(subscription) or subscription.status != Subscription.Status.ACTIVE:
        raise NamedError("BadRequest_400", "pay the subscription before you add seats", field="seats")
    if plan is None or not subscription.interval or end is None or start is None:
        raise NamedError("BadRequest_400", "this subscription has no seats to be paid for")
    check_seats(plan, seats)
    more = seats - max(subscription.seats or plan.min_seats, plan.min_seats)
    price = price_of(plan, subscription.version, subscription.interval, subscription.currency or FALLBACK)
    code = price.currency.code
    now = moment_of(subscription, at)
    unit = prorate(to_minor(price.seat_amount, code), periods_left(subscription, now))
    quantity = max(0, more)
    line = Line(text=f"More seats until {day_text(end)}", quantity=quantity, unit=unit, amount=unit * quantity)
    tax = tax_of_sale()
    quote = Quote(
        kind=Invoice.Kind.SEATS,
        plan=plan,
        interval=subscription.interval,
        seats=seats,
        currency=code,
        lines=add_tax([line], tax),
        from_now=False,
        period=(now, end),
        coupon=None,
        credit=0,
        tax_of=tax,
        change=_change_by(more),
        at=now,
    )
    return with_credit(quote)


def _change_by(more: int) -> str:
    """Return the kind of a change by so many seats."""
    if more > 0:
        return UPGRADE
    return SAME if more == 0 else DOWNGRADE


def quote_add_ons(
    subscription: Subscription, plan: Plan, items: Sequence[Item], *, at: datetime | None = None
) -> Quote:
    """Calculate the price of more add-ons for the rest of the paid time, the periods that are paid ahead included.

    Raises BadRequest_400 if the quantity of another add-on is lower: a reduction is ordered with the next period.
    """
    end = subscription.period_end
    start = subscription.period_start
    code = subscription.currency
    if end is None or start is None:
        raise NamedError("BadRequest_400", "this subscription has no period to be paid for", field="addOns")
    had = count_addons(subscription)
    now = moment_of(subscription, at)
    lines = []
    quantities = {item.add_on.pk: item.quantity for item in items}
    if any(quantities.get(id, 0) < quantity for id, quantity in had.items()):
        raise NamedError("BadRequest_400", "choose fewer for the end of the period", field="addOns")
    periods = periods_left(subscription, now)
    for item in items:
        more = item.quantity - had.get(item.add_on.pk, 0)
        if more > 0:
            unit = prorate(to_minor(item.unit_amount, code), periods)
            text = f"{item.add_on.name} until {day_text(end)}"
            lines.append(Line(text=text, quantity=more, unit=unit, amount=unit * more))
    seats = subscription.seats or plan.min_seats
    tax = tax_of_sale()
    quote = Quote(
        kind=Invoice.Kind.ADD_ONS,
        plan=plan,
        interval=subscription.interval,
        seats=seats,
        currency=code,
        lines=add_tax(lines, tax),
        from_now=False,
        period=(now, end),
        coupon=None,
        credit=0,
        tax_of=tax,
        change=UPGRADE,
        add_ons=tuple(items),
        at=now,
    )
    return with_credit(quote)
