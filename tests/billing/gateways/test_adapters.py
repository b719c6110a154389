"""The five adapters against the stand-in: what they do once, what they believe, and whose webhooks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

from billing.gateways import base
from billing.gateways.base import (
    Credentials,
    Gateway,
    Misconfigured,
    Order,
    Refunding,
    Refused,
    Said,
    Unsure,
    WrongSignature,
)
from billing.gateways.registry import ADAPTERS, adapter
from billing.standin import mollie, paypal, paystack, razorpay, stripe
from billing.standin.server import BAD, Server, running
from core.ids import new_id
from tests.kit.gateways import CURRENCIES, DECLINED, SECRETS, TOKENS, gateway

NAMES = list(ADAPTERS)


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any) -> Iterator[Server]:
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    yield shared
    shared.state.bad = ""


def order_of(name: str, **values: Any) -> Order:
    made = Order(new_id(), 12345, CURRENCIES[name], "Growth, a month", "ann@example.org", "http://127.0.0.1/back")
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
    assert asked.find(order).said is Said.OPEN
    server.pay(begun.gateway_id)
    fact = asked.find(order)
    if fact.said is Said.AUTHORIZED:
        fact = asked.move(order)
        assert asked.move(order) == fact
    assert (fact.said, fact.amount, fact.currency) == (Said.PAID, 12345, order.currency)
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
    assert [asked.move(order).said, asked.find(order).said] == [Said.PAID] * 2
    assert (fact.said, fact.amount, fact.reference) == (Said.PAID, 12345, order.reference)
    assert len([one for one in server.state.effects if one["order"] == order.reference]) == 1

    refund = Refunding(new_id(), fact.payment_ref, 2345, order.currency)
    id = asked.refund(refund)
    assert asked.find_refund(refund) == ("" if name == "paypal" else id)
    with pytest.raises(Refused):
        asked.refund(Refunding(new_id(), fact.payment_ref, 12345, order.currency))


@pytest.mark.parametrize("name", NAMES)
def test_a_declined_charge_is_refused(name: str, server: Server) -> None:
    asked, order = gateway(name, server), order_of(name, token=DECLINED[name])
    if name == "mollie":
        order = replace(order, customer=server.state.new("cst_", kind="customer")["id"])
    order = replace(order, gateway_id=asked.open(order))
    if name == "mollie":
        assert asked.move(order).said is Said.FAILED
        return
    with pytest.raises(Refused):
        asked.move(order)


CALLS: dict[str, Callable[[Gateway, Order], Any]] = {
    "begin": lambda asked, order: asked.begin(order),
    "open": lambda asked, order: asked.open(order),
    "move": lambda asked, order: asked.move(order),
    "find": lambda asked, order: asked.find(order),
    "refund": lambda asked, order: asked.refund(Refunding("r1", "tr_1", 1, order.currency)),
    "find_refund": lambda asked, order: asked.find_refund(Refunding("r1", "tr_1", 1, order.currency)),
    "check": lambda asked, order: asked.check(),
}
SILENT = {("mollie", "open"), ("paystack", "open"), ("paypal", "find_refund")}
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
        expected = Misconfigured if bad == "403" else Unsure
        with pytest.raises(expected):
            make(gateway(name, server), order)


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
    other = Credentials("other", "other", "other", server.base(name))
    with pytest.raises(WrongSignature):
        verify(adapter(name)(other), headers, body)


def test_old_webhooks_are_refused(server: Server) -> None:
    order = {"id": "x1", "order": "o1"}
    with pytest.raises(WrongSignature):
        verify(
            gateway("stripe", server), *stripe.hook(order, SECRETS["stripe"][2], at=dt.datetime.now().timestamp() - 600)
        )
    place = f"{server.url}/paypal/v1/notifications/certs/1"
    old = dt.datetime.now(dt.UTC) - dt.timedelta(days=4)
    with pytest.raises(WrongSignature):
        verify(gateway("paypal", server), *paypal.hook(order, SECRETS["paypal"][2], place, at=old))


def test_a_certificate_comes_from_paypal_alone(server: Server) -> None:
    headers, body = paypal.hook({"id": "x1", "order": "o1"}, "WH1", "https://api.paypal.com.example.org/cert")
    with pytest.raises(WrongSignature):
        verify(gateway("paypal", server), headers, body)
