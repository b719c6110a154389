"""What a client sends of amounts, prices, currencies, states and companies changes no money, at any address."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.models import Attempt, Invoice, MethodSetup, Payment, Posting, Refund, Subscription, Transaction
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, buyer, order, subscription_of
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import thorough

pytestmark = pytest.mark.django_db
KEYS = (
    *("amount", "amountMinor", "amount_minor", "price", "total", "tax", "discount", "credit", "creditMinor", "due"),
    *("currencyCode", "status", "state", "paidAt", "company", "company_id", "companyID", "subscription", "invoice"),
    *(
        "reference_id",
        "gatewayID",
        "token",
        "token_hash",
        "isDefault",
        "is_default",
        "disputed_minor",
        "refund",
        "$where",
    ),
)
VALUES = st.one_of(
    st.sampled_from([0, -1, 1, 0.01, "0.01", "paid", "active", True, None, "", "f" * 24, 10**30, "\u0000", "\ud800"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
MONEY: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (Payment, ("pk", "status", "amount_minor", "credit_minor", "currency", "plan_id", "seats", "paid_at")),
    (Invoice, ("pk", "status", "total_minor", "currency", "number")),
    (Subscription, ("pk", "status", "plan_id", "seats", "period_end", "ends_at", "currency")),
    (Attempt, ("pk", "status", "payment_ref", "disputed_minor")),
    (MethodSetup, ("pk", "status")),
    *((model, ("pk",)) for model in (Posting, Refund, Transaction)),
)


def money() -> list[Any]:
    """Return all that is of money in all companies."""
    with unscoped(reason="test: the money of all companies"):
        return [sorted(map(str, model.objects.values_list(*fields))) for model, fields in MONEY]


def addresses(cast: Cast, made: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """Return each address that a buyer writes to, with a body that would be taken but for what is put into it."""
    ids = {"manualPaymentID": made["_id"], "subscriptionID": made["subscriptionID"], "proof": "x"}
    return [
        ("POST", "/subscription", {"planID": made["plan"]["_id"]}),
        ("POST", "/subscription/preview", {"planID": made["plan"]["_id"]}),
        ("POST", "/subscription/seats", {"seats": 3}),
        ("PUT", f"/subscription/{made['subscriptionID']}", {}),
        ("POST", "/manual-payment", {"paymentID": made["_id"]}),
        ("PUT", f"/manual-payment/{made['_id']}", {}),
        ("POST", "/coupons", {"code": "NONE", "planID": made["plan"]["_id"]}),
        *(("POST", f"/gateway-{letter}", ids) for letter in "abcde"),
        *(("POST", f"/gateway-{letter}/capture", {"paymentID": made["_id"]}) for letter in "abcde"),
        ("POST", "/subscription/payment-methods/setup", {"gateway": "gateway-a"}),
    ]


def test_nothing_that_is_put_into_a_body_moves_money(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    assert attempt_of(cast).status == "due"
    before, places = money(), addresses(cast, made)

    @settings(max_examples=thorough(120), suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.sampled_from(places), st.sampled_from(KEYS), VALUES, st.sampled_from(["session", "key"]))
    def attack(place: tuple[str, str, dict[str, Any]], key: str, value: Any, door: str) -> None:
        method, path, body = place
        answer = getattr(cast, door).call(method, path, {**body, key: value})
        assert answer.status < 500, (place, key, value, answer.body)
        if method == "POST":
            assert answer.status == 400, (place, key, value, answer.body)

    attack()
    assert money() == before


def test_the_orders_of_others_are_not_there(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    other, before = make_cast(), money()
    mine = {"manualPaymentID": made["_id"], "subscriptionID": subscription_of(other).pk, "proof": "x"}
    for letter in "abcde":
        assert other.session.post(f"/gateway-{letter}", mine).status == 400
        assert other.session.post(f"/gateway-{letter}/capture", {"paymentID": made["_id"]}).status == 400
    assert other.session.put(f"/manual-payment/{made['_id']}", {"reference": "x"}).status == 400
    assert other.session.put(f"/subscription/{made['subscriptionID']}", {"cancelAtPeriodEnd": True}).status == 400
    assert other.session.get(f"/subscription/invoices/{made['invoiceID']}").status == 404
    assert money() == before
