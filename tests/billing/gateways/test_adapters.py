"""The five adapters against the stand-in: what they do once, what they believe, and whose webhooks."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

from billing.gateways import base
from billing.gateways.accounts import verify_webhook
from billing.gateways.base import (
    AmbiguousOutcome,
    Credentials,
    Gateway,
    GatewayRefused,
    Misconfigured,
    Order,
    PaymentState,
    RefundRequest,
    WrongSignature,
)
from billing.gateways.models import GatewayAccount
from billing.gateways.registry import ADAPTERS, adapter_class
from config.local.gateway_standin import mollie, paypal, paystack, razorpay, stripe
from config.local.gateway_standin.server import BAD, Server, run_server, sum_of
from core.ids import new_id
from tests.kit.gateways import CURRENCIES, DECLINED, SECRETS, TOKENS, gateway

NAMES = list(ADAPTERS)


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any) -> Iterator[Server]:
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    yield shared
    shared.state.bad = ""


def order_of(name: str, **values: Any) -> Order:
    made = Order(
        reference=new_id(),
        amount=12345,
        currency=CURRENCIES[name],
        title="Growth, a month",
        email="ann@example.org",
        back_url="http://127.0.0.1/back",
    )
    return replace(made, customer="cus_1", **values)


@pytest.mark.parametrize("name", NAMES)
def test_a_payment_on_the_gateways_page(name: str, server: Server) -> None:
    asked, order = gateway(name, server), order_of(name, save_method=True)
    begun = asked.begin(order)
    assert begun.url.startswith(server.url)
    again = gateway(name, server)
    if name != "paystack":
        assert again.begin(order).gateway_id == begun.gateway_id
    order = replace(order, gateway_id=begun.gateway_id)
    assert asked.find(order).state is PaymentState.OPEN
    server.pay(begun.gateway_id)
    fact = asked.find(order)
    if fact.state is PaymentState.AUTHORIZED:
        fact = asked.move(order)
        assert asked.move(order) == fact
    assert (fact.state, fact.amount, fact.currency) == (PaymentState.PAID, 12345, order.currency)
    assert (fact.reference, fact.gateway_id) == (order.reference, order.gateway_id)
    assert fact.method is not None
    assert fact.method.token == {**TOKENS, "stripe": "pm_card"}[name]
    assert [one for one in server.state.effects if one["order"] == order.reference] == [
        {**server.state.effects[-1], "gateway": name}
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_charge_moves_money_once_even_when_keys_have_expired(name: str, server: Server) -> None:
    asked, order = gateway(name, server), order_of(name, token=TOKENS[name])
    if name == "mollie":
        order = replace(order, customer=server.state.new("cst_", kind="customer")["id"])
    order = replace(order, gateway_id=asked.open(order))
    assert not [one for one in server.state.effects if one["order"] == order.reference]
    fact = asked.move(order)
    server.state.answered.clear()
    assert [asked.move(order).state, asked.find(order).state] == [PaymentState.PAID] * 2
    assert (fact.state, fact.amount, fact.reference) == (PaymentState.PAID, 12345, order.reference)
    assert len([one for one in server.state.effects if one["order"] == order.reference]) == 1

    refund = RefundRequest(reference=new_id(), payment_ref=fact.payment_ref, amount=2345, currency=order.currency)
    id = asked.refund(refund)
    assert asked.find_refund(refund) == ("" if name == "paypal" else id)
    with pytest.raises(GatewayRefused):
        asked.refund(
            RefundRequest(reference=new_id(), payment_ref=fact.payment_ref, amount=12345, currency=order.currency)
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_declined_charge_is_refused(name: str, server: Server) -> None:
    asked, order = gateway(name, server), order_of(name, token=DECLINED[name])
    if name == "mollie":
        order = replace(order, customer=server.state.new("cst_", kind="customer")["id"])
    order = replace(order, gateway_id=asked.open(order))
    if name == "mollie":
        assert asked.move(order).state is PaymentState.FAILED
        return
    with pytest.raises(GatewayRefused):
        asked.move(order)


CALLS: dict[str, Callable[[Gateway, Order], Any]] = {
    "begin": lambda asked, order: asked.begin(order),
    "open": lambda asked, order: asked.open(order),
    "move": lambda asked, order: asked.move(order),
    "find": lambda asked, order: asked.find(order),
    "refund": lambda asked, order: asked.refund(
        RefundRequest(reference="r1", payment_ref="tr_1", amount=1, currency=order.currency)
    ),
    "find_refund": lambda asked, order: asked.find_refund(
        RefundRequest(reference="r1", payment_ref="tr_1", amount=1, currency=order.currency)
    ),
    "check": lambda asked, order: asked.check(),
    "set_up": lambda asked, order: asked.set_up(order),
    "find_set_up": lambda asked, order: asked.find_set_up(order),
    "list_settled": lambda asked, order: list(asked.list_settled(*WEEK)),
    "disputes": lambda asked, order: asked.disputes("tr_1", order.currency),
}
WEEK = (dt.datetime.now(dt.UTC) - dt.timedelta(days=7), dt.datetime.now(dt.UTC) + dt.timedelta(hours=1))
SILENT = {("mollie", "open"), ("paystack", "open"), ("paypal", "find_refund")}
SILENT |= {(name, call) for name in ("razorpay", "paystack") for call in ("set_up", "find_set_up")}
"""Calls that ask nothing."""


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", NAMES)
def test_no_bad_answer_is_taken_for_a_yes_or_a_no(name: str, bad: str, server: Server, monkeypatch: Any) -> None:
    monkeypatch.setattr(base, "SECONDS", 0.15)
    gateway_ids = {"stripe": "pi_1", "razorpay": "order_1", "mollie": "tr_1"}
    order = order_of(name, token=TOKENS[name], gateway_id=gateway_ids.get(name, "x1"))
    server.state.bad = bad
    for call, make in CALLS.items():
        if (name, call) in SILENT:
            continue
        expected = Misconfigured if bad == "403" else AmbiguousOutcome
        with pytest.raises(expected):
            make(gateway(name, server), order)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_saved_without_a_payment(name: str, server: Server) -> None:
    asked, order = gateway(name, server), order_of(name)
    if not asked.sets_up:
        with pytest.raises(GatewayRefused):
            asked.set_up(order)
        return
    begun, before = asked.set_up(order), len(server.state.effects)
    assert asked.set_up(order).gateway_id == begun.gateway_id
    order = replace(order, gateway_id=begun.gateway_id, amount=0)
    assert asked.find_set_up(order).state is PaymentState.OPEN
    server.pay(begun.gateway_id)
    fact = asked.find_set_up(order)
    assert (fact.state, fact.reference, fact.amount) == (PaymentState.PAID, order.reference, 0)
    assert asked.find_set_up(order) == fact
    assert fact.method is not None
    assert fact.method.customer
    if name != "paypal":
        assert (len(fact.method.last4), fact.method.expires) == (4, dt.date(2099, 12, 31))
    assert len(server.state.effects) == before


@pytest.mark.parametrize("name", NAMES)
def test_its_own_list_has_what_was_paid_given_back_and_disputed(name: str, server: Server) -> None:
    asked, paid = gateway(name, server), {}
    for _ in range(2):
        order = order_of(name, token=TOKENS[name])
        if name == "mollie":
            order = replace(order, customer=server.state.new("cst_", kind="customer")["id"])
        fact = asked.move(replace(order, gateway_id=asked.open(order)))
        paid[order.reference] = fact.payment_ref
    reference, money = next(iter(paid.items()))
    refund = RefundRequest(reference=new_id(), payment_ref=money, amount=345, currency=CURRENCIES[name])
    id = asked.refund(refund)
    server.state.set_dispute(money)
    lines = list(asked.list_settled(*WEEK))
    ours = {one.reference: one for one in lines if one.kind == "payment" and one.reference in paid}
    assert {one.reference: (one.id, one.amount) for one in ours.values()} == {
        name: (ref, 12345) for name, ref in paid.items()
    }
    given = [one for one in lines if one.reference == refund.reference]
    assert [(one.kind, one.id, one.amount, one.currency) for one in given] == [("refund", id, 345, CURRENCIES[name])]
    assert [one.amount for one in lines if one.kind == "dispute" and one.id == money] == [12345]
    [dispute] = asked.disputes(money, CURRENCIES[name])
    assert (dispute.amount, dispute.currency) == (12345, CURRENCIES[name])
    assert dispute.status == ("lost" if name == "mollie" else "open")
    assert (dispute.due_at is None) == (name == "mollie")
    server.state.set_dispute(money, "won")
    assert [one.status for one in asked.disputes(money, CURRENCIES[name])] == ["won"]
    assert asked.disputes(paid.popitem()[1], CURRENCIES[name]) == []
    early = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    assert [one for one in asked.list_settled(early, early + dt.timedelta(days=1)) if one.kind == "payment"] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_long_list_is_read_to_its_end(name: str, server: Server) -> None:
    at, currency = dt.datetime.now(dt.UTC).timestamp() - 60, CURRENCIES[name]
    for n in range(501):
        reference = f"many{n}"
        id = {"paystack": f"ps_{reference}", "stripe": f"pi_{name}{n}"}.get(name, f"{name}{n}")
        amount: Any = "1.00" if name in ("paypal", "mollie") else 100
        row = {"id": id, "order": reference, "amount": amount, "currency": currency, "status": "success"}
        row |= {"status": "paid" if name in ("stripe", "mollie") else "success", "customer": "", "back": ""}
        if name == "razorpay":
            notes = {"order": reference}
            row["payment"] = {"id": id, "amount": 100, "currency": currency, "status": "captured", "notes": notes}
        server.state.orders[id] = row
        server.state.effects.append({"gateway": name, "at": at, **{key: row[key] for key in MONEY}})
    found = [one.reference for one in gateway(name, server).list_settled(*WEEK) if one.reference.startswith("many")]
    assert len(found) == len(set(found)) == 501


MONEY = ("id", "order", "amount", "currency")


def hooks(name: str, server: Server) -> tuple[dict[str, str], bytes]:
    """Return a genuine webhook."""
    secret, order = SECRETS[name][2], {"id": "tr_x1", "order": "o1"}
    if name == "stripe":
        return stripe.hook(order, secret)
    if name == "paypal":
        return paypal.hook(order, secret, f"{server.url}/paypal/v1/notifications/certs/1")
    if name == "razorpay":
        return razorpay.hook(order, secret)
    return mollie.hook(order) if name == "mollie" else paystack.hook(order, SECRETS[name][1])


def verify(asked: Gateway, headers: dict[str, str], body: bytes) -> Any:
    return asked.verify(CaseInsensitiveDict(headers), body)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_gateways_own_webhooks_are_believed(name: str, server: Server) -> None:
    asked = gateway(name, server)
    headers, body = hooks(name, server)
    hint = verify(asked, headers, body)
    assert hint.event_id
    assert ("tr_x1" if name == "mollie" else "o1") in hint.names
    for garbage in (b"", b"\xff", b"[]", b"{}", b"id=%00", b"id=../x"):
        with pytest.raises(WrongSignature):
            verify(asked, headers, garbage)
    if name == "mollie":
        return  # it signs nothing: its hook is an id, which we ask for
    with pytest.raises(WrongSignature):
        verify(asked, headers, body.replace(b"o1", b"o2"))
    with pytest.raises(WrongSignature):
        verify(asked, {}, body)
    other = Credentials(key_id="other", secret_key="other", webhook_secret="other", base_url=server.base(name))
    with pytest.raises(WrongSignature):
        verify(adapter_class(name)(other), headers, body)


def test_old_webhooks_are_refused(server: Server) -> None:
    order = {"id": "x1", "order": "o1"}
    for away in (-600, 600):
        at = dt.datetime.now().timestamp() + away
        with pytest.raises(WrongSignature):
            verify(gateway("stripe", server), *stripe.hook(order, SECRETS["stripe"][2], at=at))
    place = f"{server.url}/paypal/v1/notifications/certs/1"
    old = dt.datetime.now(dt.UTC) - dt.timedelta(days=4)
    with pytest.raises(WrongSignature):
        verify(gateway("paypal", server), *paypal.hook(order, SECRETS["paypal"][2], place, at=old))


def test_a_certificate_comes_from_paypal_alone(server: Server) -> None:
    headers, body = paypal.hook({"id": "x1", "order": "o1"}, "WH1", "https://api.paypal.com.example.org/cert")
    with pytest.raises(WrongSignature):
        verify(gateway("paypal", server), headers, body)


@pytest.mark.parametrize(
    ("gateway", "amount", "currency", "said"),
    [
        ("stripe", 9900, "usd", "$99.00. No money moves here."),
        ("razorpay", 1234500, "INR", "₹12,345.00. No money moves here."),
        ("stripe", 500, "jpy", "¥500. No money moves here."),
        ("mollie", "99.00", "EUR", "€99.00. No money moves here."),
        ("stripe", 0, "-", "The method is kept for later payments. Nothing is paid now."),
    ],
)
def test_the_stand_ins_page_writes_sums_as_people_do(gateway: str, amount: Any, currency: str, said: str) -> None:
    assert sum_of(gateway, {"amount": amount, "currency": currency}) == said


def test_a_signed_webhook_that_is_nested_too_deep_is_refused(server: Server) -> None:
    body = b"[" * 100_000
    at = str(int(dt.datetime.now().timestamp()))
    mac = hmac.new(b"whsec_1", f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    account = GatewayAccount(letter="a", adapter="stripe", secret_key="sk_1", webhook_secret="whsec_1")
    headers = CaseInsensitiveDict({"Stripe-Signature": f"t={at},v1={mac}"})
    with pytest.raises(WrongSignature, match="nested too deep"):
        verify_webhook(account, headers, body)
