"""A lapsed company buys a plan, by any gateway or by bank, once."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from billing.gateways.accounts import examine_account
from billing.models import (
    Attempt,
    Currency,
    GatewayAccount,
    Invoice,
    Payment,
    PaymentMethod,
    PlanPrice,
    Posting,
    Seller,
    Transaction,
)
from billing.payments.orders import approve_transfer
from billing.payments.processor import work
from config.local.gateway_standin import mollie, stripe
from config.local.gateway_standin.server import Server
from core.errors import NamedError
from core.jobs.registry import queue_work_by_name
from core.tenancy import unscoped
from tests.billing.checkout.helpers import (
    attempt_of,
    begin,
    books_hold,
    buyer,
    order,
    subscription_of,
)
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
OTHER = {"c": "INR", "e": "NGN"}


def effects(server: Server, cast: Cast) -> list[Any]:
    with cast.scope():
        ids = set(Attempt.objects.values_list("pk", flat=True))
    return [one for one in server.state.effects if one["order"] in ids]


@pytest.mark.parametrize("letter", "abcde")
def test_a_lapsed_company_buys_by_a_gateway(letter: str, server: Server) -> None:
    cast, plan = buyer()
    if letter in OTHER:
        code = Currency.objects.get(code=OTHER[letter])
        PlanPrice.objects.create(plan=plan, currency=code, interval="month", amount=Decimal("1500.50"))
    currency = OTHER.get(letter, "USD")
    assert cast.session.get("/contact").status == 500  # the contract's own: nothing is open
    quote = cast.session.post("/subscription/preview", {"planID": plan.pk, "currency": currency}).data
    made = order(cast, plan, currency=currency)
    assert made["payment"]["amount"] == quote["due"] == quote["total"]
    payment = made["payment"]

    begun = begin(cast, letter, payment, proof=quote["proof"]).data
    assert (begun["name"], begun["paymentStatus"]) == ("PaymentBegun_200", "pending")
    assert begin(cast, letter, payment).data["redirectUrl"] == begun["redirectUrl"]
    waiting = cast.session.post(f"/gateway-{letter}/capture", {"paymentID": payment["_id"]}).data
    assert (waiting["paymentStatus"], waiting["invoice"]["status"]) == ("pending", "draft")
    draft = cast.session.get(f"/subscription/invoices/{payment['invoiceID']}/pdf")
    assert "InvoiceNotGenerated_400" in str(draft.body) or draft.status == 400

    server.pay(attempt_of(cast).gateway_id)
    for _ in range(2):
        done = cast.session.post(f"/gateway-{letter}/capture", {"paymentID": payment["_id"]}).data
        assert (done["paymentStatus"], done["subscription"]["status"]) == ("paid", "active")
    assert done["invoice"]["number"].startswith("INV-")
    assert cast.session.get("/contact").status == 200
    assert len(effects(server, cast)) == 1

    found = cast.session.get("/subscription/invoices").data
    assert [one["status"] for one in found] == ["paid"]
    lines = cast.session.get(f"/subscription/invoices/{found[0]['_id']}").data
    assert lines["lines"][0]["amount"] == lines["total"] == payment["amount"]
    moved = cast.session.get("/subscription/transactions").data
    assert [(one["kind"], one["by"]) for one in moved] == [("payment", f"gateway-{letter}")]
    assert cast.session.get(f"/subscription/transactions/{moved[0]['_id']}").status == 200
    with cast.scope():
        assert PaymentMethod.objects.get().is_default
    books_hold()


def test_an_invoice_is_a_pdf_and_stays_as_it_is(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)
    transfer = {"paymentID": made["payment"]["_id"], "reference": "paid on Monday"}
    assert cast.session.post("/manual-payment", transfer).data["state"] == "submitted"
    with cast.scope():
        payment = Payment.objects.get()
    staff = UserFactory(is_staff=True)
    approve_transfer(payment=payment, amount_minor=2900, received_on=timezone.now().date(), by=staff)
    answer = cast.session.get(f"/subscription/invoices/{made['payment']['invoiceID']}/pdf")
    again = cast.session.get(f"/subscription/invoices/{made['payment']['invoiceID']}/pdf")
    assert answer.body.startswith(b"%PDF-")
    assert answer.body == again.body
    assert subscription_of(cast).status == "active"
    with cast.scope():
        assert Posting.objects.filter(account="cash:bank", amount_minor=2900).count() == 1
        for change in (
            lambda: Invoice.objects.update(total_minor=0, subtotal_minor=0),
            lambda: Invoice.objects.all()[0].lines.update(amount_minor=1),
            lambda: Invoice.objects.all()[0].lines.create(position=9, text="More", unit_minor=1, amount_minor=1),
            lambda: Posting.objects.update(amount_minor=1),
        ):
            with pytest.raises(Exception, match="stays as it is|never changed"):
                _alone(change)


def _alone(change: Any) -> None:
    with transaction.atomic():
        change()


def test_what_a_client_says_of_money_is_refused(server: Server) -> None:
    cast, plan = buyer()
    for key in ("amount", "amountMinor", "price", "status", "total", "company", "currency_code"):
        assert cast.session.post("/subscription", {"planID": plan.pk, key: 1}).status == 400
    made = order(cast, plan)["payment"]
    ids = {"manualPaymentID": made["_id"], "subscriptionID": made["subscriptionID"], "proof": "x"}
    assert cast.session.post("/gateway-a", {**ids, "amount": 1}).status == 400
    id = made["subscriptionID"]
    assert cast.session.put(f"/subscription/{id}", {"status": "active"}).status == 400
    cast.session.post("/manual-payment", {"paymentID": made["_id"]})
    for body in ({"amount": 1}, {"status": "paid"}, {"state": "approved"}):
        cast.session.put(f"/manual-payment/{made['_id']}", body)
    with cast.scope():
        assert (Payment.objects.get().amount_minor, Payment.objects.get().status) == (2900, "open")


def test_named_refusals(server: Server) -> None:
    cast, plan = buyer(min_seats=2)
    made = order(cast, plan)["payment"]
    other = make_cast()
    missing = {**made, "_id": "f" * 24}
    cases = [
        (begin(cast, "a", missing), "there is no such order"),
        (begin(other, "a", {**made, "subscriptionID": subscription_of(other).pk}), "there is no such order"),
        (begin(cast, "a", {**made, "subscriptionID": "f" * 24}), "no such subscription"),
        (begin(cast, "e", made, proof="f" * 24), "there is no such file"),
        (begin(cast, "a", made, proof="q_x"), "ask for a new preview"),
        (cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]}), "nothing was begun"),
        (cast.session.post("/subscription", {"planID": "f" * 24}), "no such plan"),
        (cast.session.post("/subscription", {"planID": plan.pk, "seats": 1}), "at least 2 seats"),
        (cast.session.post("/subscription", {"planID": plan.pk, "seats": 11}), "10 seats"),
        (cast.session.post("/subscription", {"planID": plan.pk, "currency": "XXX"}), "currency"),
        (cast.session.post("/coupons", {"code": "NONE", "planID": plan.pk}), "cannot be used"),
        (cast.session.get("/manual-payment/" + "f" * 24), "no such order"),
        (cast.session.get("/subscription/transactions/" + "f" * 24), "no such transaction"),
    ]
    for answer, text in cases:
        assert answer.status == 400, (text, answer.body)
        assert text in str(answer.body), answer.body
    GatewayAccount.objects.filter(letter="a").update(state="off")
    assert "not on offer" in str(begin(cast, "a", made).body)
    assert (
        cast.session.call("POST", "/gateway-a", {"manualPaymentID": made["_id"], "subscriptionID": "x"}).status == 400
    )
    assert cast.narrow_session.post("/subscription", {"planID": plan.pk}).status == 403


def test_a_gateway_that_says_another_amount_is_parked_and_opens_nothing(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "d", made)
    id = attempt_of(cast).gateway_id
    server.state.orders[id]["amount"] = "1.00"
    server.pay(id)
    done = cast.session.post("/gateway-d/capture", {"paymentID": made["_id"]}).data
    assert (done["paymentStatus"], attempt_of(cast).status) == ("pending", "wrong")
    assert subscription_of(cast).status == "expired"
    assert "examined" in str(begin(cast, "a", made).body)
    with cast.scope():
        assert not Posting.objects.exists()


def test_webhooks_make_us_look_and_say_nothing(server: Server, client: Client) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    attempt = attempt_of(cast)
    place = f"/api/public/webhooks/gateway-a/{GatewayAccount.objects.get(letter='a').pk}"
    headers, body = stripe.hook({"id": attempt.gateway_id, "order": attempt.pk}, "whsec_1")

    def send(headers: Any, body: bytes, place: str = place) -> int:
        return client.post(place, body, content_type="application/json", headers=headers).status_code

    assert not queue_work_by_name()["payments"].due()
    assert send(headers, body) == 200
    assert queue_work_by_name()["payments"].due()
    work(float("inf"))
    assert attempt_of(cast).status == "due"
    server.pay(attempt.gateway_id)
    with unscoped(reason="test: due again"):
        Attempt.objects.update(due_at=timezone.now() + timedelta(hours=1))
    assert send(headers, body) == 200
    assert not queue_work_by_name()["payments"].due()  # the same event again
    other = stripe.hook({"id": attempt.gateway_id + "x", "order": attempt.pk}, "whsec_1")
    assert send(*other) == 200
    work(float("inf"))
    assert (attempt_of(cast).status, subscription_of(cast).status) == ("paid", "active")
    assert send({}, body) == 400
    assert send(headers, body + b" ") == 400
    assert send(headers, body, "/api/public/webhooks/gateway-a/" + "f" * 24) == 404
    assert send(headers, b"x" * (256 * 1024 + 1)) == 413
    hook = mollie.hook({"id": "tr_unknown"})
    account = GatewayAccount.objects.get(letter="d").pk
    assert send(*hook, f"/api/public/webhooks/gateway-d/{account}") == 200
    books_hold()


def test_the_return_page_looks_and_leads_on(server: Server, client: Client) -> None:
    cast, plan = buyer()
    begin(cast, "b", order(cast, plan)["payment"])
    attempt = attempt_of(cast)
    server.pay(attempt.gateway_id)
    back = server.state.orders[attempt.gateway_id]["back"]
    for _ in range(2):
        answer = client.get(back[back.index("/api/") :])
        assert answer.status_code == 303
        assert answer["Location"].startswith(f"/c/{cast.company.pk}/settings/plan/")
    assert subscription_of(cast).status == "active"
    assert client.get("/api/public/payments/return/x:y").status_code == 404


def test_money_for_an_order_that_was_left_becomes_balance_and_pays_the_next(server: Server) -> None:
    cast, plan = buyer()
    first = order(cast, plan)["payment"]
    begin(cast, "a", first)
    late = attempt_of(cast)
    second = order(cast, plan)["payment"]
    assert begin(cast, "a", first).status == 400
    server.pay(late.gateway_id)
    with unscoped(reason="test: due"):
        Attempt.objects.update(due_at=timezone.now())
    work(float("inf"))
    assert subscription_of(cast).status == "expired"
    done = order(cast, plan)
    assert (done["payment"]["credit"]["amountMinor"], done["payment"]["status"]) == (2900, "paid")
    assert done["subscription"]["status"] == "active"
    assert second["_id"] != done["payment"]["_id"]
    with cast.scope():
        assert sorted(Transaction.objects.values_list("kind", "by")) == [
            ("credit", "gateway-a"),
            ("payment", "balance"),
        ]
    books_hold()


def test_a_transfer_for_an_order_that_was_left_becomes_balance(server: Server) -> None:
    cast, plan = buyer()
    id = order(cast, plan)["payment"]["_id"]
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    cast.session.post(f"/manual-payment/{id}/choose-again")
    order(cast, plan)
    with cast.scope():
        left = Payment.objects.get(pk=id)
    for _ in range(2):
        with contextlib.suppress(NamedError):  # the second time it has been decided
            approve_transfer(
                payment=left, amount_minor=2900, received_on=timezone.now().date(), by=UserFactory(is_staff=True)
            )
    assert subscription_of(cast).status == "expired"
    done = order(cast, plan)["payment"]
    assert (done["credit"]["amountMinor"], done["status"]) == (2900, "paid")
    books_hold()


@pytest.mark.django_db(transaction=True)
def test_tabs_at_once_get_one_order_and_one_page(server: Server) -> None:
    cast, plan = buyer()
    payment = order(cast, plan)["payment"]
    answers = at_once(6, None, lambda n: begin(cast, "ab"[n % 2], payment).data)
    assert len({one["redirectUrl"] for one in answers}) == 1
    with cast.scope():
        assert Attempt.objects.count() == 1


def test_another_gateway_says_whose_page_is_open_and_how_it_is_left(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    opened = begin(cast, "d", made)
    other = begin(cast, "e", made)
    assert "warning" not in opened.body
    assert other.data["redirectUrl"] == opened.data["redirectUrl"]
    leave = f"/manual-payment/{made['_id']}/choose-again"
    assert "gateway-d" in other.body["warning"]
    assert f"POST {leave}" in other.body["warning"]
    assert cast.session.post(leave).status == 200
    again = begin(cast, "e", made)
    assert ("warning" in again.body, again.data["redirectUrl"] == opened.data["redirectUrl"]) == (False, False)


def test_a_misconfigured_account_takes_no_orders_until_it_is_tested(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    server.state.bad = "403"
    assert begin(cast, "a", made).status == 400
    assert GatewayAccount.objects.get(letter="a").state == "misconfigured"
    server.state.bad = ""
    assert "not on offer" in str(begin(cast, "a", made).body)
    examine_account(GatewayAccount.objects.get(letter="a"))
    assert begin(cast, "a", made).status == 200


def test_who_sells_is_one() -> None:
    Seller.objects.create(name="One")
    with pytest.raises(Exception, match="unique"):
        _alone(lambda: Seller.objects.create(name="Two"))
