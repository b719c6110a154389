"""What orders cost: coupons, tax, seats, upgrades; and how orders and subscriptions end."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from accounts.models import Referral, Reward, User
from billing.models import (
    Coupon,
    Invoice,
    Payment,
    PlanPrice,
    Posting,
    Seller,
    Subscription,
    TaxRate,
)
from billing.payments.orders import approve_transfer, cancel_expired
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import (
    begin,
    books_hold,
    buyer,
    buyer_again,
    order,
    pay,
    subscription_of,
)
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import make_cast
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_the_last_coupon_goes_to_one(server: Server) -> None:
    casts = [buyer()[0]]
    plan = plan_of("Other", amount="100")
    casts += [buyer_again() for _ in range(3)]
    Coupon.objects.create(code="SPRING", percent=Decimal(25), max_redemptions=2)
    body = {"planID": plan.pk, "couponCode": "spring"}
    found = at_once(4, None, lambda n: casts[n].session.post("/subscription", body).status)
    assert sorted(found) == [201, 201, 400, 400]
    assert Coupon.objects.get().used == 2


def test_coupon_tax_and_seats_are_in_preview_order_and_invoice_alike(server: Server) -> None:
    cast, plan = buyer(min_seats=2)
    PlanPrice.objects.filter(plan=plan).update(seat_amount=Decimal("9.99"))
    TaxRate.objects.create(name="VAT", country="DE", percent=Decimal("19"), valid_from="2020-01-01")
    Seller.objects.update(country="DE")
    Coupon.objects.create(code="THIRD", percent=Decimal("33.333"))
    id = subscription_of(cast).pk
    details = {"name": "Acme GmbH", "country": "Germany", "vatId": "DE 136 695 976"}
    changed = cast.session.put(f"/subscription/{id}", {"billingDetails": details})
    assert changed.data["billingDetails"]["vatId"] == "DE136695976"
    assert cast.session.put(f"/subscription/{id}", {"billingDetails": {"vatId": "DE1"}}).status == 400
    nowhere = cast.session.put("/subscription/billing-details", {"country": "", "vatId": "DE136695976"})
    assert (nowhere.status, nowhere.body["warning"].startswith("country: choose the country")) == (400, True)
    assert cast.session.get("/subscription/billing-details").data["country"] == "DE"
    body = {"planID": plan.pk, "seats": 5, "couponCode": "third"}
    quote = cast.session.post("/subscription/preview", body).data
    # 29.00 + 3 × 9.99 = 58.97; 33.333 % of it is 19.66; 19 % of 39.31 is 7.47
    sums = [quote[name]["amountMinor"] for name in ("subtotal", "discount", "tax", "total")]
    assert sums == [5897, 1966, 747, 4678]
    made = order(cast, plan, seats=5)["payment"]
    used = cast.session.post("/coupons", {"code": "third"}).data
    assert (used["applied"], used["total"]["amountMinor"]) == (True, 4678)
    assert made["amount"]["amountMinor"] == 7017
    with cast.scope():
        payment = Payment.objects.get(status="open")
    assert payment.amount_minor == 4678
    cast.session.post("/manual-payment", {"paymentID": payment.pk, "reference": "x"})
    approve_transfer(payment=payment, amount_minor=4678, received_on=timezone.now().date(), by=UserFactory())
    with cast.scope():
        assert sorted(Posting.objects.values_list("account", "amount_minor")) == [
            ("cash:bank", 4678),
            ("receivable", -4678),
            ("receivable", 4678),
            ("revenue", -3931),
            ("tax:19", -747),
        ]
    assert [one["state"] for one in cast.session.get("/coupons").data] == ["redeemed"]
    assert cast.session.post("/subscription", {**body}).status == 400  # once a company
    books_hold()


def test_an_upgrade_takes_off_what_is_unused_and_more_seats_cost_the_rest(server: Server) -> None:
    cast, plan = buyer()
    larger = plan_of("Larger", amount="100", max_seats=20)
    PlanPrice.objects.filter(plan=larger).update(seat_amount=Decimal(10))
    pay(cast, order(cast, plan)["payment"]["_id"])
    quote = cast.session.post("/subscription/preview", {"planID": larger.pk}).data
    # two people are there, so that one seat beyond the first is in it
    assert 110_00 - 29_00 <= quote["total"]["amountMinor"] <= 110_00 - 28_90
    pay(cast, order(cast, larger)["payment"]["_id"])
    assert subscription_of(cast).plan_id == larger.pk
    refused = cast.session.post("/subscription", {"planID": plan.pk, "when": "now"})
    assert (refused.status, "for the end of the period" in refused.body["warning"]) == (400, True)

    seats = cast.session.post("/subscription/seats", {"seats": 6}).data
    assert 39_90 <= seats["payment"]["amount"]["amountMinor"] <= 40_00
    pay(cast, seats["payment"]["_id"])
    assert subscription_of(cast).seats == 6
    fewer = cast.session.post("/subscription/seats", {"seats": 4})
    assert (fewer.status, fewer.data["payment"], subscription_of(cast).seats) == (200, None, 6)
    id = subscription_of(cast).pk
    assert cast.session.get(f"/subscription/{id}").data["scheduledSeats"] == 4
    books_hold()


def test_cancelling_is_taken_back_while_a_trial_runs() -> None:
    cast = make_cast()
    with cast.scope():
        ends = timezone.now() + timedelta(days=9)
        Subscription.objects.update(status="trial", ends_at=ends, period_end=ends)
    id = subscription_of(cast).pk
    assert cast.session.delete(f"/subscription/{id}").data["cancelAtPeriodEnd"] is True
    assert cast.session.put(f"/subscription/{id}", {"cancelAtPeriodEnd": False}).data["cancelAtPeriodEnd"] is False
    assert (subscription_of(cast).status, subscription_of(cast).ends_at) == ("trial", ends)


def test_cancelling_is_taken_back_while_the_period_runs(server: Server) -> None:
    cast, plan = buyer()
    pay(cast, order(cast, plan)["payment"]["_id"])
    id = subscription_of(cast).pk
    assert cast.session.delete(f"/subscription/{id}").data["cancelAtPeriodEnd"] is True
    assert cast.session.put(f"/subscription/{id}", {"cancelAtPeriodEnd": False}).data["cancelAtPeriodEnd"] is False
    assert subscription_of(cast).ends_at > subscription_of(cast).period_end
    lost = cast.session.get(f"/subscription/{id}").data["unused"]
    assert 28_90 <= lost["amountMinor"] <= 29_00
    refused = cast.session.delete(f"/subscription/{id}", {"when": "now"})
    assert (refused.status, "gives up $2" in refused.body["warning"]) == (400, True)
    assert cast.session.delete(f"/subscription/{id}", {"when": "now", "forfeit": True}).data["status"] == "cancelled"
    for body in ({"cancelAtPeriodEnd": False}, {"cancelAtPeriodEnd": True}):
        assert cast.session.put(f"/subscription/{id}", body).status == 400
    listed = cast.session.get("/subscription").data
    assert [one["status"] for one in listed] == ["cancelled"]


def test_orders_end_and_a_payment_rewards_the_referrer(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    with cast.scope():
        Payment.objects.update(expires_at=timezone.now())
    with unscoped(reason="test: the periodic task"):
        cancel_expired()
    assert cast.session.get(f"/manual-payment/{made['_id']}").data["status"] == "cancelled"
    assert begin(cast, "a", made).status == 400
    referrer: User = UserFactory()
    Referral.objects.create(
        referrer=referrer, referred_company=cast.company, program="refer", user=UserFactory(), code="x"
    )
    pay(cast, order(cast, plan)["payment"]["_id"])
    with cast.scope():
        source = f"invoice:{Invoice.objects.get(status='paid').pk}"
    assert Reward.objects.get().source == source
