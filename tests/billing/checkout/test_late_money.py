"""Money that comes when what it was for has changed: nothing is lost, and an invoice names what it opened."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing.checkout.services import order_seats, subscribe
from billing.ledger.services import BANK, balance_of
from billing.models import Attempt, Invoice, Payment, Subscription
from billing.payments import processor
from billing.payments.orders import approve_transfer
from billing.payments.processor import work
from billing.payments.settlement import apply_received_money
from billing.subscriptions.changes import lock_primary
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, order, pay, subscription_of
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


def seats_ordered(amount: int = 5) -> tuple[Cast, Any]:
    """A company that pays for a plan, and has ordered more seats."""
    cast, plan = buyer()
    plan.prices.update(seat_amount=amount)
    pay(cast, order(cast, plan)["payment"]["_id"])
    return cast, cast.session.post("/subscription/seats", {"seats": 5}).data["payment"]


def is_due() -> None:
    with unscoped(reason="test: due"):
        Attempt.objects.update(due_at=timezone.now())


def end(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.update(status="cancelled", ends_at=timezone.now())


@pytest.mark.parametrize("by", ["capture", "worker", "bank"])
def test_money_for_seats_of_a_subscription_that_has_ended_becomes_balance(by: str, server: Server) -> None:
    cast, made = seats_ordered()
    due = made["amount"]["amountMinor"]
    if by == "bank":
        cast.session.post("/manual-payment", {"paymentID": made["_id"], "reference": "x"})
    else:
        begin(cast, "a", made)
        server.pay(attempt_of(cast).gateway_id)
    end(cast)
    if by == "capture":
        assert cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]}).status == 200
    elif by == "worker":
        is_due()
        work(float("inf"))
    else:
        with cast.scope():
            payment = Payment.objects.get(pk=made["_id"])
        approve_transfer(payment=payment, amount_minor=due, received_on=timezone.now().date(), by=UserFactory())
    with cast.scope():
        payment = Payment.objects.get(pk=made["_id"])
        assert (payment.status, balance_of("USD")) == ("cancelled", due)
        assert payment.bank_state == ("approved" if by == "bank" else "")
        assert Invoice.objects.get(pk=payment.invoice_id).status == "void"
        assert Attempt.objects.exclude(status="paid").count() == 0
        found = Subscription.objects.get(is_primary=True)
        assert (found.status, found.seats) == ("cancelled", 2)
    books_hold()


@pytest.mark.parametrize(("said", "status"), [("", "cancelled"), ("sent on Monday", "open")])
def test_a_page_of_the_first_day_does_not_pay_its_price_later(said: str, status: str, server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    assert cast.session.post("/manual-payment", {"paymentID": made["_id"], "reference": said}).status == 201
    with cast.scope():
        Payment.objects.update(created_at=timezone.now() - timedelta(days=2))
    server.pay(attempt_of(cast).gateway_id)
    is_due()
    work(float("inf"))
    with cast.scope():
        assert Payment.objects.get().status == status
        assert (attempt_of(cast).status, balance_of("USD")) == ("paid", 29_00)
        assert Subscription.objects.get(is_primary=True).status == "expired"
    books_hold()


def test_one_attempt_that_cannot_go_on_keeps_no_other_waiting(server: Server, monkeypatch: Any) -> None:
    casts = [buyer()[0], buyer()[0]]
    first, second = (attempt_begun(cast, server) for cast in casts)
    real = processor.settle

    def settle(id: str, fact: Any) -> Attempt:
        if id == first:
            raise RuntimeError("nobody has thought of it")
        return real(id, fact)

    monkeypatch.setattr(processor, "settle", settle)
    is_due()
    work(float("inf"))
    with unscoped(reason="test"):
        assert Attempt.objects.get(pk=second).status == "paid"
        broken = Attempt.objects.get(pk=first)
        assert (broken.status, broken.error) == ("due", "RuntimeError: nobody has thought of it")
        assert broken.due_at > timezone.now()


def attempt_begun(cast: Cast, server: Server) -> str:
    with unscoped(reason="test"):
        plan = Subscription._meta.get_field("plan").remote_field.model.objects.filter(name="Club").latest("pk")
    begin(cast, "a", order(cast, plan)["payment"])
    found = attempt_of(cast)
    server.pay(found.gateway_id)
    return str(found.pk)


def paid(cast: Cast, payment: Payment | None) -> None:
    assert payment is not None
    with cast.scope(), lock_primary(cast.company.pk):
        apply_received_money(payment, account=BANK, by="bank", tx=f"pay:{payment.pk}")


def test_an_invoice_names_the_period_that_it_opened(server: Server) -> None:
    cast, plan = buyer()
    plan.prices.update(seat_amount=5)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        with cast.scope():
            _, made = subscribe(values={"plan_id": plan.pk}, member_id=None)
        clock.shift(timedelta(hours=20))
        paid(cast, made)
        subscription = subscription_of(cast)
        assert subscription.period_start == timezone.now()
        with cast.scope():
            _, seats = order_seats(seats=5, member_id=None)
        clock.shift(timedelta(hours=5))
        paid(cast, seats)
        with cast.scope():
            periods = list(Invoice.objects.order_by("number").values_list("period_start", "period_end"))
        end = subscription.period_end
        assert periods == [(subscription.period_start, end), (timezone.now(), end)]
