"""How long an order holds its price, and what a refused transfer leaves as it was."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from billing.models import Coupon, GatewayAccount, Payment, Seller
from billing.payments.orders import approve_transfer, cancel_expired
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import begin, books_hold, buyer, order, pay, subscription_of
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.kit.html_form import form_data

pytestmark = pytest.mark.django_db


def made_ago(cast: Cast, id: str, days: int) -> Payment:
    """Let an order have been made, and announced by bank, some days ago."""
    with cast.scope():
        payment: Payment = Payment.objects.get(pk=id)
        ago = timedelta(days=days)
        Payment.objects.filter(pk=id).update(created_at=payment.created_at - ago, expires_at=payment.expires_at - ago)
        payment.refresh_from_db()
        return payment


def test_the_days_of_a_transfer_are_given_once(server: Server) -> None:
    cast, plan = buyer()
    Coupon.objects.create(code="ONE", percent=Decimal(10), max_redemptions=1)
    made = order(cast, plan, couponCode="ONE")["payment"]
    again = {"paymentID": made["_id"]}
    assert cast.session.post("/manual-payment", again).data["gateways"]
    payment = made_ago(cast, made["_id"], 13)
    until = payment.created_at + timedelta(days=14)
    answer = cast.session.post("/manual-payment", again)
    assert (answer.status, answer.data["gateways"]) == (201, [])
    refused = begin(cast, "a", made)
    assert (refused.status, "order anew" in refused.body["warning"]) == (400, True)
    with cast.scope():
        assert Payment.objects.get().expires_at == until
    made_ago(cast, made["_id"], 1)
    assert cast.session.post("/manual-payment", again).status == 400
    with unscoped(reason="test: the periodic task"):
        cancel_expired()
    assert Coupon.objects.get().used == 0


def test_money_that_comes_after_the_days_is_balance(server: Server) -> None:
    cast, plan = buyer()
    id = order(cast, plan)["payment"]["_id"]
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    payment = made_ago(cast, id, 20)
    today = timezone.now().date()
    approve_transfer(payment=payment, amount_minor=2900, received_on=today, by=UserFactory(is_staff=True))
    assert subscription_of(cast).status == "expired"
    assert order(cast, plan)["payment"]["credit"]["amountMinor"] == 2900
    books_hold()


def test_money_that_came_in_time_pays_whenever_staff_decide(server: Server) -> None:
    cast, plan = buyer()
    id = order(cast, plan)["payment"]["_id"]
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    payment = made_ago(cast, id, 20)
    came = payment.expires_at.date()
    approve_transfer(payment=payment, amount_minor=2900, received_on=came, by=UserFactory(is_staff=True))
    assert subscription_of(cast).status == "active"


def test_a_refused_transfer_changes_nothing(server: Server) -> None:
    cast, plan = buyer()
    open_one = order(cast, plan)["payment"]["_id"]
    ordered = {"planID": plan.pk, "seats": 2}
    assert cast.session.post("/manual-payment", {**ordered, "proof": "f" * 24}).status == 400
    Seller.objects.update(bank_instructions="")
    assert cast.session.post("/manual-payment", ordered).status == 400
    with cast.scope():
        assert list(Payment.objects.values_list("pk", "status")) == [(open_one, "open")]
    Seller.objects.update(bank_instructions="IBAN X")
    assert cast.session.post("/manual-payment", ordered).status == 201


def test_a_submitted_transfer_is_not_lost_by_what_is_done_instead(server: Server) -> None:
    cast, plan = buyer(pause_months=1)
    pay(cast, order(cast, plan, seats=2)["payment"]["_id"])
    Coupon.objects.create(code="TEN", percent=Decimal(10))
    ahead = order(cast, plan)["payment"]["_id"]
    sent = cast.session.post("/manual-payment", {"paymentID": ahead, "reference": "x"})
    assert sent.data["state"] == "submitted"
    until = (timezone.now() + timedelta(days=9)).isoformat()
    path = f"/subscription/{subscription_of(cast).pk}"
    leave = f"/manual-payment/{ahead}/choose-again"
    pause = {"paused": {"until": until}}
    again = cast.session.post("/subscription", {"planID": plan.pk, "seats": 3})
    now = cast.session.delete(path, {"when": "now", "forfeit": True})
    seats = cast.session.post("/subscription/seats", {"seats": 4})
    for refused in (cast.session.put(path, pause), seats, again, now):
        assert (refused.status, f"POST {leave}" in refused.body["warning"]) == (400, True)
    assert cast.session.post("/coupons", {"code": "TEN"}).status == 400
    with cast.scope():
        assert Payment.objects.get(status="open").bank_state == "submitted"
    taken_back = cast.session.post(leave)
    assert (taken_back.status, taken_back.data["state"]) == (200, "awaiting")
    assert cast.session.put(path, pause).data["status"] == "paused"
    with cast.scope():
        left = Payment.objects.get(pk=ahead)
    today = timezone.now().date()
    approve_transfer(payment=left, amount_minor=left.amount_minor, received_on=today, by=UserFactory(is_staff=True))
    assert cast.session.get(path).data["balance"][0]["amountMinor"] == left.amount_minor
    books_hold()


def test_the_amount_of_a_transfer_has_no_smaller_fractions(server: Server, client: Client) -> None:
    cast, plan = buyer()
    id = order(cast, plan)["payment"]["_id"]
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    place = reverse("admin:billing_payment_ask", args=[id, "approve"])
    for amount, status in (("29.001", "open"), ("29.000", "paid")):
        answer = client.post(place, {"amount": amount, "received_on": timezone.now().date().isoformat()})
        assert answer.status_code == (302 if status == "paid" else 200)
        with cast.scope():
            assert Payment.objects.get().status == status


def test_an_account_gets_another_server_and_key_together(server: Server, client: Client) -> None:
    account = GatewayAccount.objects.get(adapter="paystack")
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    page = reverse("admin:billing_gatewayaccount_change", args=[account.pk])
    form = form_data(client.get(page).content.decode(), "gatewayaccount_form")
    other = server.base("stripe")
    assert client.post(page, {**form, "base_url": other, "new_secret_key": "sk_test_new"}).status_code == 302
    account = GatewayAccount.objects.get(pk=account.pk)
    assert (account.secret_key, account.base_url) == ("sk_test_new", other)
