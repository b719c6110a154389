"""When a change takes effect: upgrades now, downgrades when the paid period ends; and what nobody gets back."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db.models import F, Sum
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.checkout.quotes import quote_plan
from billing.checkout.unused import unused_amount
from billing.invoices.services import credit_invoice
from billing.models import Coupon, CreditNote, Currency, Invoice, Payment, Plan, PlanPrice, Subscription
from config.local.gateway_standin.server import Server
from core.errors import ApiError
from tests.billing.checkout.helpers import books_hold, buy, buyer_again, order, pay, subscription_of
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Cast
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
KEEP = {"when": "periodEnd"}


def yearly(plan: Plan, amount: str) -> None:
    dollars = Currency.objects.get(code="USD")
    PlanPrice.objects.create(plan=plan, currency=dollars, interval="year", amount=Decimal(amount))


def plans() -> dict[str, Plan]:
    """Three plans that are public alone, with prices for the month and the year."""
    Plan.objects.update(is_public=False)
    found = {
        name: plan_of(name, amount=amount) for name, amount in {"Small": "20", "Middle": "50", "Large": "90"}.items()
    }
    for plan, amount in zip(found.values(), ("200", "500", "900"), strict=True):
        yearly(plan, amount)
    return found


def subscribed(plan: Plan, **values: Any) -> Cast:
    """A company that has paid for the plan."""
    cast = buyer_again()
    pay(cast, order(cast, plan, **values)["payment"]["_id"])
    return cast


def offered(cast: Cast) -> dict[str, tuple[bool, str]]:
    return {one["name"]: (one["current"], one["change"]) for one in cast.session.get("/plans").data["plans"]}


def test_a_downgrade_waits_and_is_taken_back(server: Server) -> None:
    known = plans()
    cast = subscribed(known["Middle"])
    assert offered(cast) == {"Small": (False, "downgrade"), "Middle": (True, "same"), "Large": (False, "upgrade")}
    listed = {one["name"]: one for one in cast.session.get("/plans").data["plans"]}
    assert listed["Small"]["yearlySaving"] == [{"currency": "USD", "amount": 40.0, "percent": 16}]
    assert "Workflows" in listed["Small"]["features"]
    end = subscription_of(cast).period_end

    quote = cast.session.post("/subscription/preview", {"planID": known["Small"].pk}).data
    assert (quote["change"], quote["scheduled"], quote["due"]["amountMinor"]) == ("downgrade", True, 0)
    assert (quote["total"]["amountMinor"], quote["periodStart"][:19]) == (2000, end.isoformat()[:19])
    made = order(cast, known["Small"])
    assert (made["payment"], subscription_of(cast).plan_id) == (None, known["Middle"].pk)
    change = made["subscription"]["scheduledChange"]
    assert (change["plan"]["name"], change["interval"], change["seats"]) == ("Small", "month", 2)
    assert change["at"][:19] == end.isoformat()[:19]
    assert subscription_of(cast).scheduled == {"plan": known["Small"].pk, "interval": "month", "seats": 2}

    fewer = cast.session.post("/subscription/seats", {"seats": 2})
    assert fewer.status == 200  # nothing is ordered
    assert subscription_of(cast).scheduled["plan"] == known["Small"].pk
    kept = order(cast, known["Middle"], **KEEP)
    assert (kept["payment"], kept["subscription"]["scheduledChange"]) == (None, None)
    with cast.scope():
        assert Payment.objects.count() == 1


def test_months_instead_of_a_year_wait_and_a_year_begins_now(server: Server) -> None:
    known = plans()
    cast = subscribed(known["Small"], interval="year")
    assert order(cast, known["Large"], interval="month")["quote"]["scheduled"]
    dear = cast.session.post("/subscription/preview", {"planID": known["Large"].pk, "interval": "year"}).data
    assert (dear["change"], dear["scheduled"]) == ("upgrade", False)
    assert 700_00 <= dear["total"]["amountMinor"] <= 701_00
    monthly = subscribed(known["Small"])
    longer = monthly.session.post("/subscription/preview", {"planID": known["Small"].pk, "interval": "year"}).data
    assert (longer["change"], longer["fromNow"]) == ("upgrade", True)
    assert 180_00 <= longer["total"]["amountMinor"] <= 181_00


def test_a_cancelled_subscription_that_chooses_another_plan_goes_on(server: Server) -> None:
    known = plans()
    cast = subscribed(known["Middle"])
    cast.session.delete(f"/subscription/{subscription_of(cast).pk}")
    made = order(cast, known["Small"])["subscription"]
    assert (made["cancelAtPeriodEnd"], made["scheduledChange"]["plan"]["name"]) == (False, "Small")


def test_refusals_of_when(server: Server) -> None:
    known = plans()
    lapsed = buyer_again()
    refused = lapsed.session.post("/subscription", {"planID": known["Small"].pk, **KEEP})
    assert (refused.status, "no paid period" in refused.body["warning"]) == (400, True)
    assert lapsed.session.post("/subscription", {"planID": known["Small"].pk, "when": "later"}).status == 400
    cast = subscribed(known["Middle"])
    Coupon.objects.create(code="TEN", percent=Decimal(10))
    refused = cast.session.post("/subscription", {"planID": known["Small"].pk, "couponCode": "TEN"})
    assert (refused.status, "use the coupon with a payment" in refused.body["warning"]) == (400, True)
    assert cast.session.post("/manual-payment", {"planID": known["Small"].pk, "reference": "x"}).status == 400
    assert subscription_of(cast).scheduled is None


def test_the_preview_says_what_would_be_lost(server: Server) -> None:
    known = plans()
    cast = subscribed(known["Middle"])
    Plan.objects.filter(name="Small").update(modules=["contact", "lead"], limits={"role": 1, "contact": 5})
    with cast.scope():
        roles = cast.session.get("/role").body["totalCount"]
    loses = cast.session.post("/subscription/preview", {"planID": known["Small"].pk}).data["loses"]
    assert loses["limits"] == [{"module": "role", "limit": 1, "used": roles}]
    assert "workflow" in loses["modules"]
    assert not {"contact", "plan", "file"} & set(loses["modules"])
    assert cast.session.post("/subscription/preview", {"planID": known["Large"].pk}).data["loses"] == {
        "modules": [],
        "limits": [],
    }


@pytest.mark.django_db(transaction=True)
def test_many_who_add_seats_at_once_make_one_order(server: Server) -> None:
    plan = plan_of("Crowd", amount="30", max_seats=60)
    PlanPrice.objects.filter(plan=plan).update(seat_amount=Decimal(5))
    cast = subscribed(plan)
    answers = at_once(10, None, lambda n: cast.session.post("/subscription/seats", {"seats": 50 + n % 2}).status)
    assert set(answers) == {201}
    with cast.scope():
        left = Payment.objects.get(status="open")
        assert Invoice.objects.filter(status="draft").count() == 1
    pay(cast, left.pk)
    assert subscription_of(cast).seats == left.seats
    books_hold()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["Small", "Middle", "Large", "seats", "refund"]),
        st.sampled_from(["month", "year"]),
        st.sampled_from(["", "HALF0", "HALF1", "HALF2", "ALL"]),
        st.floats(0, 40),
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_nobody_gets_back_more_than_was_paid(steps: list[Any], server: Server, db: Any) -> None:
    """Whatever is bought in whatever order, with whatever discount: what is unused is at most what was paid."""
    known = plans_once()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        cast = buyer_again()
        for what, interval, code, days in steps:
            clock.shift(timedelta(days=days))
            step(cast, known, what, interval, code)
            with cast.scope():
                subscription = Subscription.objects.select_related("plan").get(is_primary=True)
                unused = unused_amount(subscription, "USD", timezone.now())
                paid = Invoice.objects.filter(status="paid").aggregate(sum=Sum(F("total_minor") - F("tax_minor")))[
                    "sum"
                ]
                back = CreditNote.objects.aggregate(sum=Sum(F("amount_minor") - F("tax_minor")))["sum"]
                assert 0 <= unused <= (paid or 0) - (back or 0)


def plans_once() -> dict[str, Plan]:
    found = {plan.name: plan for plan in Plan.objects.filter(name__in=("Small", "Middle", "Large"))}
    if found:
        return found
    for code in ("HALF0", "HALF1", "HALF2"):
        Coupon.objects.create(code=code, percent=Decimal(50))
    Coupon.objects.create(code="ALL", percent=Decimal(100))
    found = plans()
    PlanPrice.objects.update(seat_amount=Decimal("7.77"))
    return found


def step(cast: Cast, known: dict[str, Plan], what: str, interval: str, code: str) -> None:
    """Buy and pay, or take a part of an invoice back. What is refused changes nothing."""
    if what == "refund":
        refund(cast, newest=interval == "month", part=1 if code == "ALL" else 2)
        return
    with contextlib.suppress(ApiError):
        if what == "seats":
            buy(cast, seats=(subscription_of(cast).seats or 2) + 1)
        else:
            buy(cast, plan_id=known[what].pk, interval=interval, coupon_code=code)


def refund(cast: Cast, *, newest: bool, part: int) -> None:
    """Give back what is left of the newest or the oldest order's own money, or a part of it."""
    with cast.scope():
        paid = Invoice.objects.filter(status="paid", total_minor__gt=1).order_by("paid_at", "pk")
        one = paid.last() if newest else paid.first()
        gone = CreditNote.objects.filter(invoice=one).aggregate(sum=Sum("amount_minor"))["sum"] or 0
        if one is not None and one.total_minor - gone >= part:
            credit_invoice(one, (one.total_minor - gone) // part, "goodwill")


def test_a_refund_of_an_order_that_an_upgrade_took_over_reduces_what_is_unused(server: Server) -> None:
    known = plans()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        cast = subscribed(known["Small"])
        clock.shift(timedelta(hours=1))
        buy(cast, plan_id=known["Middle"].pk)
        clock.shift(timedelta(hours=1))
        buy(cast, plan_id=known["Large"].pk)
        now = timezone.now()
        with cast.scope():
            first, second, third = Invoice.objects.filter(status="paid").order_by("number")
            subscription = subscription_of(cast)
            assert unused_amount(subscription, "USD", now) == 90_00
            clock.shift(timedelta(seconds=1))
            credit_invoice(first, first.total_minor // 2, "goodwill")
            assert 80_00 <= unused_amount(subscription, "USD", now) <= 80_05
            credit_invoice(first, first.total_minor // 2, "the rest")
            assert unused_amount(subscription, "USD", now) <= second.total_minor + third.total_minor
            credit_invoice(second, second.total_minor, "that too")
            assert third.total_minor - 20 <= unused_amount(subscription, "USD", now) <= third.total_minor


def test_a_period_that_was_paid_ahead_counts_with_the_one_that_runs(server: Server) -> None:
    known = plans()
    cast = subscribed(known["Small"])
    pay(cast, order(cast, known["Small"])["payment"]["_id"])
    with cast.scope():
        subscription = subscription_of(cast)
        assert 39_98 <= unused_amount(subscription, "USD", timezone.now()) <= 40_00
        quote = quote_plan(subscription, plan_id=known["Large"].pk)
        assert quote.lines[-1].amount == -unused_amount(subscription, "USD", timezone.now())
