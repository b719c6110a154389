"""What answers of buying say, and days that they refuse."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from billing.models import Payment
from billing.payments.orders import approve_transfer
from config.local.gateway_standin.server import Server
from core.errors import ValidationFailed
from tests.billing.checkout.helpers import buyer, order, pay, subscription_of
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_invoices_are_listed_without_drafts_that_were_left_and_name_vat_ids_as_all_else(server: Server) -> None:
    cast, plan = buyer()
    left = order(cast, plan)["payment"]
    made = order(cast, plan)["payment"]
    assert [one["_id"] for one in cast.session.get("/subscription/invoices").data] == [made["invoiceID"]]
    assert cast.session.get(f"/subscription/invoices/{left['invoiceID']}").data["status"] == "void"
    pay(cast, made["_id"])
    invoice = cast.session.get(f"/subscription/invoices/{made['invoiceID']}").data
    for party in (invoice["buyer"], invoice["seller"]):
        assert set(party) == {"name", "address", "country", "vatId", "email"}


def balance(cast: Cast) -> list[int]:
    shown = cast.session.get(f"/subscription/{subscription_of(cast).pk}").data["balance"]
    return [one["amountMinor"] for one in shown]


def test_a_balance_that_is_used_up_is_none(server: Server) -> None:
    cast, plan = buyer()
    first = order(cast, plan)["payment"]
    cast.session.post("/manual-payment", {"paymentID": first["_id"], "reference": "x"})
    cast.session.post(f"/manual-payment/{first['_id']}/choose-again")
    order(cast, plan)
    pay(cast, first["_id"])
    assert balance(cast) == [first["amount"]["amountMinor"]]
    assert order(cast, plan)["payment"]["status"] == "paid"
    assert balance(cast) == []


def test_money_does_not_come_on_a_day_that_is_yet_to_come(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    later = timezone.now().date() + timedelta(days=2)
    body = {"reference": "x", "paidAt": later.isoformat()}
    for refused in (
        cast.session.post("/manual-payment", {"paymentID": made["_id"], **body}),
        cast.session.put(f"/manual-payment/{made['_id']}", body),
    ):
        assert (refused.status, "paidAt" in str(refused.body)) == (400, True)
    today = timezone.now().date().isoformat()
    assert cast.session.post("/manual-payment", {**body, "paymentID": made["_id"], "paidAt": today}).status < 300
    with cast.scope():
        payment = Payment.objects.get()
    with pytest.raises(ValidationFailed, match="received_on"):
        approve_transfer(payment=payment, amount_minor=payment.amount_minor, received_on=later, by=UserFactory())
    with cast.scope():
        assert Payment.objects.get().status == "open"
