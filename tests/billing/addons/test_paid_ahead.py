"""Seats and add-ons that are bought while periods are paid ahead: each has its part of the price."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import time_machine

from billing.checkout.additions import quote_seats
from billing.checkout.unused import unused_amount
from billing.ledger.money import prorate
from billing.models import AddOn, AddOnPrice, Currency, Plan, PlanPrice, Subscription
from billing.payments.periods import periods_left
from tests.billing.addons.test_add_ons import add_on, chosen, order_by_key, pay
from tests.billing.checkout.helpers import books_hold, buyer, subscription_of
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db

START = datetime(2027, 2, 10, tzinfo=UTC)
"""The first month has 28 days, the second one 31, the third one 30."""


@pytest.mark.parametrize(
    ("amount", "periods", "expected"),
    [
        (500, Fraction(1), 500),
        (500, Fraction(2), 1000),
        (500, Fraction(1, 3), 167),
        (500, Fraction(7, 3), 1167),
        (1, Fraction(1, 1000), 1),
        (0, Fraction(5), 0),
        (500, Fraction(0), 0),
    ],
)
def test_a_price_is_rounded_up(amount: int, periods: Fraction, expected: int) -> None:
    assert prorate(amount, periods) == expected


def sell(currency: str, interval: str) -> tuple[Cast, Plan, AddOn]:
    """Return a company that has bought a plan with seats and an add-on, which cost 10 and 5 each."""
    cast, plan = buyer(limits={"contact": 500}, min_seats=1)
    more = add_on()
    code, _ = Currency.objects.get_or_create(code=currency, defaults={"is_active": True})
    Currency.objects.filter(code=currency).update(is_active=True)
    PlanPrice.objects.filter(plan=plan).update(currency=code, interval=interval, seat_amount=Decimal(10))
    AddOnPrice.objects.filter(add_on=more).update(currency=code, interval=interval)
    first = order_by_key(cast, plan, interval=interval, currency=currency, addOns=[chosen(more)])
    pay(cast, first["payment"])
    return cast, plan, more


def more_of_both(cast: Cast, plan: Plan, more: AddOn, **asked: Any) -> tuple[int, int]:
    """Return the unit prices of further add-ons, by preview, and of a further seat, by the service."""
    body = {"planID": plan.pk, "addOns": [chosen(more, 3)], **asked}
    preview = cast.key.post("/subscription/preview", body)
    assert preview.status == 200, preview.body
    with cast.scope():
        subscription = Subscription.objects.select_related("plan", "version").get(is_primary=True)
        line, *others = quote_seats(subscription, (subscription.seats or 1) + 1).lines
    assert not others
    (shown,) = preview.data["lines"]
    assert shown["quantity"] == 2
    return shown["unit"]["amountMinor"], line.unit


@pytest.mark.parametrize(("currency", "scale"), [("USD", 100), ("JPY", 1), ("KWD", 1000)])
@pytest.mark.parametrize("interval", ["month", "year"])
def test_each_period_ahead_has_its_price(currency: str, scale: int, interval: str) -> None:
    with time_machine.travel(START, tick=False):
        cast, plan, more = sell(currency, interval)
        asked = {"interval": interval, "currency": currency}
        assert more_of_both(cast, plan, more, **asked) == (5 * scale, 10 * scale)
        ahead = order_by_key(cast, plan, **asked)
        pay(cast, ahead["payment"])
        assert more_of_both(cast, plan, more, **asked) == (10 * scale, 20 * scale)
        subscription = subscription_of(cast)
    start, end = subscription.period_start, subscription.period_end
    half = START + (start - START) / 2
    with time_machine.travel(half, tick=False):
        assert more_of_both(cast, plan, more, **asked) == (-(-15 * scale // 2), 15 * scale)
    with time_machine.travel(start, tick=False):
        assert more_of_both(cast, plan, more, **asked) == (5 * scale, 10 * scale)
    with time_machine.travel(start + (end - start) / 2, tick=False):
        assert more_of_both(cast, plan, more, **asked) == (-(-5 * scale // 2), 5 * scale)
    books_hold()


def test_three_months_ahead_and_time_that_no_order_has_paid_for() -> None:
    with time_machine.travel(START, tick=False):
        cast, plan, _ = sell("USD", "month")
        pay(cast, order_by_key(cast, plan)["payment"])
    with time_machine.travel(datetime(2027, 3, 10, tzinfo=UTC), tick=False):
        pay(cast, order_by_key(cast, plan)["payment"])
        subscription = subscription_of(cast)
        with cast.scope():
            assert periods_left(subscription, START) == 3
            assert periods_left(subscription, datetime(2027, 2, 24, tzinfo=UTC)) == Fraction(5, 2)
            assert periods_left(subscription, datetime(2027, 4, 25, tzinfo=UTC)) == Fraction(1, 2)
            assert periods_left(subscription, datetime(2027, 6, 1, tzinfo=UTC)) == 0
            # Staff moved the period: no order ends when it starts.
            subscription.period_start = datetime(2027, 6, 1, tzinfo=UTC)
            subscription.period_end = datetime(2027, 7, 1, tzinfo=UTC)
            assert periods_left(subscription, datetime(2027, 5, 2, tzinfo=UTC)) == 2


def test_what_is_bought_ahead_is_paid_and_unused_later() -> None:
    with time_machine.travel(START, tick=False):
        cast, plan, more = sell("USD", "month")
        pay(cast, order_by_key(cast, plan)["payment"])
        bought = order_by_key(cast, plan, addOns=[chosen(more, 3)])
        assert bought["payment"]["amount"]["amountMinor"] == 20_00
        pay(cast, bought["payment"])
        with cast.scope():
            # Two periods of the plan, a further seat and an add-on, and the two later add-ons.
            assert unused_amount(subscription_of(cast), "USD", START) == 2 * (29_00 + 10_00 + 5_00) + 20_00
    books_hold()
