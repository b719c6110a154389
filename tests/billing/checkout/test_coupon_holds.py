"""The last redemption of a coupon: who has it, for how long, and who is refused before paying."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from billing.coupons.holds import HOLD_LIFE, MAX_HOLD, release_lapsed
from billing.models import Attempt, Coupon, Payment, Redemption
from billing.payments.orders import approve_transfer, reject_transfer
from billing.payments.settlement import apply_received_money
from billing.subscriptions.changes import lock_primary
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, buyer_again, order, subscription_of
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def last(db: None) -> Coupon:
    coupon: Coupon = Coupon.objects.create(code="LAST", percent=Decimal(10), max_redemptions=1)
    return coupon


def lapse() -> None:
    """Let the time of all holds be over."""
    with unscoped(reason="test: half an hour later"):
        ago = timezone.now() - timedelta(seconds=1)
        Redemption.objects.filter(held_until__isnull=False).update(held_until=ago)
        release_lapsed()


def pass_time(cast: Cast, span: timedelta) -> None:
    """Let time pass for the company's holds."""
    with cast.scope():
        for row in Redemption.objects.all():
            until = row.held_until and row.held_until - span
            Redemption.objects.filter(pk=row.pk).update(created_at=row.created_at - span, held_until=until)
    with unscoped(reason="test: the worker of periodic tasks"):
        release_lapsed()


def states(cast: Cast) -> list[str]:
    with cast.scope():
        return list(Redemption.objects.values_list("state", flat=True))


def refused(answer: Any) -> bool:
    return answer.status == 400 and "others have used the coupon up" in answer.body["warning"]


def test_an_unpaid_order_holds_the_last_one_for_minutes(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    made = order(first, plan, couponCode="LAST")["payment"]
    with first.scope():
        [held] = Redemption.objects.all()
    assert timezone.now() < held.held_until <= timezone.now() + HOLD_LIFE
    assert second.session.post("/subscription", {"planID": plan.pk, "couponCode": "LAST"}).status == 400
    lapse()
    taken = order(second, plan, couponCode="LAST")["payment"]
    assert (states(first), states(second)) == (["released"], ["held"])
    assert refused(begin(first, "a", made))
    assert refused(first.session.post("/manual-payment", {"paymentID": made["_id"], "reference": "x"}))
    with first.scope():
        assert not Attempt.objects.exists()
    assert begin(second, "a", taken).status == 200
    last.refresh_from_db()
    assert last.used == 1


def test_a_hold_that_nobody_wanted_is_had_again(server: Server, last: Coupon) -> None:
    cast, plan = buyer()
    made = order(cast, plan, couponCode="LAST")["payment"]
    lapse()
    last.refresh_from_db()
    assert (last.used, cast.session.get("/coupons").data) == (0, [])
    assert begin(cast, "a", made).status == 200
    last.refresh_from_db()
    assert (last.used, states(cast)) == (1, ["held"])
    with cast.scope(), lock_primary(cast.company.pk):
        apply_received_money(Payment.objects.get(), account="gateway:a", by="gateway-a", tx="pay:1")
    assert (states(cast), subscription_of(cast).status) == (["redeemed"], "active")
    lapse()
    last.refresh_from_db()
    assert last.used == 1
    books_hold()


def test_money_that_comes_when_the_coupon_has_gone_is_balance(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    order(first, plan, couponCode="LAST")
    lapse()
    order(second, plan, couponCode="LAST")
    with first.scope(), lock_primary(first.company.pk):
        late = Payment.objects.get()
        apply_received_money(late, account="gateway:a", by="gateway-a", tx="pay:1")
    assert subscription_of(first).status == "expired"
    again = order(first, plan)["payment"]
    assert again["credit"]["amountMinor"] == late.amount_minor == 2610
    assert (states(first), states(second)) == (["released"], ["held"])
    books_hold()


def test_what_was_only_authorized_is_not_captured_without_the_coupon(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    made = order(first, plan, couponCode="LAST")["payment"]
    assert begin(first, "b", made).status == 200
    server.pay(attempt_of(first).gateway_id)
    lapse()
    order(second, plan, couponCode="LAST")
    looked = first.session.post("/gateway-b/capture", {"paymentID": made["_id"]})
    assert (looked.data["paymentStatus"], "used the coupon up" in looked.data["reason"]) == ("failed", True)
    with first.scope():
        assert Payment.objects.get().status == "open"
    assert order(first, plan)["payment"]["credit"]["amountMinor"] == 0
    books_hold()


def test_a_transfer_that_is_looked_for_keeps_the_coupon(server: Server, last: Coupon) -> None:
    cast, plan = buyer()
    made = order(cast, plan, couponCode="LAST")["payment"]
    assert cast.session.post("/manual-payment", {"paymentID": made["_id"], "reference": "x"}).status == 201
    lapse()
    assert states(cast) == ["held"]
    with cast.scope():
        payment = Payment.objects.get()
    reject_transfer(payment=payment, reason="It has not come.", by=UserFactory(is_staff=True))
    lapse()
    assert states(cast) == ["released"]
    today = timezone.now().date()
    cast.session.post("/manual-payment", {"paymentID": made["_id"], "reference": "y"})
    approve_transfer(payment=payment, amount_minor=2610, received_on=today, by=UserFactory(is_staff=True))
    assert (states(cast), subscription_of(cast).status) == (["redeemed"], "active")


def test_an_order_that_nobody_pays_holds_the_last_one_for_two_hours(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    made = order(first, plan, couponCode="LAST")["payment"]
    for letter in "bcdbc":
        assert begin(first, letter, made).status == 200
        pass_time(first, timedelta(minutes=25))
    assert states(first) == ["released"]
    # 125 minutes after the order: it may be paid with the coupon, and holds it no more.
    assert begin(first, "d", made).status == 200
    assert states(first) == ["released"]
    order(second, plan, couponCode="LAST")
    assert refused(begin(first, "b", made))
    last.refresh_from_db()
    assert (last.used, states(second)) == (1, ["held"])


def test_orders_in_place_of_each_other_hold_the_last_one_for_two_hours(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    for seats in range(2, 7):
        order(first, plan, couponCode="LAST", seats=seats)
        assert states(first).count("held") == 1
        pass_time(first, timedelta(minutes=24))
    made = order(first, plan, couponCode="LAST", seats=7)["payment"]
    assert set(states(first)) == {"released"}
    # A hold of the sixth order would have gone on. Money for it takes the coupon, since it is left.
    with first.scope(), lock_primary(first.company.pk):
        apply_received_money(Payment.objects.get(pk=made["_id"]), account="gateway:a", by="gateway-a", tx="pay:6")
    assert (sorted(states(first)), subscription_of(first).seats) == (["redeemed", *["released"] * 5], 7)
    assert second.session.post("/subscription", {"planID": plan.pk, "couponCode": "LAST"}).status == 400
    books_hold()


def test_a_hold_ends_two_hours_after_the_order(server: Server, last: Coupon) -> None:
    cast, plan = buyer()
    made = order(cast, plan, couponCode="LAST")["payment"]
    pass_time(cast, timedelta(minutes=110))
    assert begin(cast, "a", made).status == 200
    with cast.scope():
        [held] = Redemption.objects.all()
    assert held.held_until == held.created_at + MAX_HOLD


def test_a_company_holds_the_last_one_again_on_another_day(server: Server, last: Coupon) -> None:
    cast, plan = buyer()
    order(cast, plan, couponCode="LAST")
    pass_time(cast, timedelta(hours=25))
    order(cast, plan, couponCode="LAST")
    assert sorted(states(cast)) == ["held", "released"]


def test_an_authorized_payment_holds_the_coupon_after_two_hours(server: Server, last: Coupon) -> None:
    cast, plan = buyer()
    made = order(cast, plan, couponCode="LAST")["payment"]
    assert begin(cast, "b", made).status == 200
    pass_time(cast, timedelta(hours=3))
    server.pay(attempt_of(cast).gateway_id)
    paid = cast.session.post("/gateway-b/capture", {"paymentID": made["_id"]})
    assert (paid.data["paymentStatus"], states(cast)) == ("paid", ["redeemed"])
    books_hold()


def test_a_preview_shows_the_price_with_the_coupon_that_the_open_order_holds(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    second = buyer_again()
    body = {"planID": plan.pk, "couponCode": "last", "seats": 2}
    ordered = order(first, plan, couponCode="LAST", seats=2)
    seen = first.session.post("/subscription/preview", body)
    assert (seen.status, seen.data["due"]) == (200, ordered["quote"]["due"]), seen.body
    assert second.session.post("/subscription/preview", body).status == 400
    again = first.session.post("/subscription", {**body, "proof": seen.data["proof"]})
    assert again.status == 201, again.body
    last.refresh_from_db()
    assert (last.used, sorted(states(first))) == (1, ["held", "released"])


@pytest.mark.django_db(transaction=True)
def test_of_many_that_pay_at_once_one_has_the_coupon(server: Server, last: Coupon) -> None:
    first, plan = buyer()
    casts = [first, *(buyer_again() for _ in range(3))]
    payments = []
    for cast in casts:
        payments.append(order(cast, plan, couponCode="LAST")["payment"])
        lapse()
    found = at_once(4, None, lambda n: begin(casts[n], "a", payments[n]).status)
    assert sorted(found) == [200, 400, 400, 400]
    last.refresh_from_db()
    assert (last.used, sorted(state for cast in casts for state in states(cast)).count("held")) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_companies_that_swap_coupons_do_not_wait_for_each_other(server: Server, last: Coupon) -> None:
    Coupon.objects.create(code="OTHER", percent=Decimal(20), max_redemptions=9)
    Coupon.objects.filter(pk=last.pk).update(max_redemptions=9)
    first, plan = buyer()
    casts = [first, buyer_again()]
    codes = ["LAST", "OTHER"]
    for turn in range(4):
        body = [{"planID": plan.pk, "couponCode": codes[(n + turn) % 2]} for n in range(2)]
        assert at_once(2, None, lambda n, body=body: casts[n].session.post("/subscription", body[n]).status) == [
            201,
            201,
        ]
    assert sorted(Coupon.objects.values_list("code", "used")) == [("LAST", 1), ("OTHER", 1)]
