"""Mollie, by its library. It has no open charge: before each try we look through the customer's payments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mollie.api.client import Client
from mollie.api.error import RequestSetupError, ResponseError

from billing.gateways.base import (
    Begun,
    Fact,
    Gateway,
    Hint,
    Misconfigured,
    Order,
    Refunding,
    Refused,
    Said,
    Saved,
    Unsure,
    WrongSignature,
    asking,
)
from billing.ledger.money import to_amount, to_minor

STATES = {"paid": Said.PAID, "failed": Said.FAILED, "expired": Said.FAILED, "canceled": Said.FAILED}
REFUNDED = "higher than the"
"""Part of the detail by which it refuses to give back more than was paid."""
OPENED = "customer:"


class Mollie(Gateway):
    name = "mollie"
    title = "iDEAL, Bancontact or card (Mollie)"
    signed_by = ""
    repeats = True
    live_url = "https://api.mollie.com"
    currencies = (
        "AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB USD ZAR"
    )

    @property
    def client(self) -> Any:
        client = Client(api_endpoint=self.base_url, retry=0)
        try:
            client.set_api_key(self.credentials.secret_key)
        except RequestSetupError as error:
            raise Misconfigured("its key must begin with test_ or live_") from error
        client._client = self.session  # type: ignore[assignment]
        return client

    def _do(self, call: Callable[[Any], Any]) -> Any:
        with asking():
            try:
                return call(self.client)
            except ResponseError as error:
                if REFUNDED not in str(error):
                    raise Unsure(str(error)[:200]) from error
                raise Refused("refunded") from error

    def begin(self, order: Order) -> Begun:
        more: dict[str, Any] = {"redirectUrl": order.back_url}
        if order.save_method:
            more |= {"sequenceType": "first", "customerId": self._customer(order)}
        found = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"begin-{order.reference}")
        )
        with asking():
            return Begun(found["id"], found["_links"]["checkout"]["href"])

    def _customer(self, order: Order) -> str:
        values = {"email": order.email or None, "metadata": {"order": order.reference}}
        found = self._do(lambda client: client.customers.create(values, idempotency_key=f"customer-{order.reference}"))
        with asking():
            return str(found["id"])

    def open(self, order: Order) -> str:
        return f"{OPENED}{order.customer}"

    def move(self, order: Order) -> Fact:
        if not order.gateway_id.startswith(OPENED):
            return self.find(order)
        fact = self.find(order)
        if fact.said is not Said.NONE:
            return fact
        more = {"sequenceType": "recurring", "customerId": order.customer, "mandateId": order.token}
        found = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"move-{order.reference}")
        )
        with asking():
            return _fact(found, order)

    def find(self, order: Order) -> Fact:
        if order.gateway_id and not order.gateway_id.startswith(OPENED):
            found = self._do(lambda client: client.payments.get(order.gateway_id))
            with asking():
                return _fact(found, order)
        if not order.customer:
            return Fact(Said.NONE, reference=order.reference)
        page = self._do(lambda client: client.customers.get(order.customer).payments.list(limit=250))
        with asking():
            ours = [one for one in page if (one.get("metadata") or {}).get("order") == order.reference]
            paid = [one for one in ours if one["status"] == "paid"]
            return _fact((paid or ours)[0], order) if ours else Fact(Said.NONE, reference=order.reference)

    def refund(self, refund: Refunding) -> str:
        amount = {"value": str(to_amount(refund.amount, refund.currency)), "currency": refund.currency}
        values = {"amount": amount, "metadata": {"refund": refund.reference}}
        key = f"refund-{refund.reference}"
        found = self._do(
            lambda client: client.payments.get(refund.payment_ref).refunds.create(values, idempotency_key=key)
        )
        with asking():
            return str(found["id"])

    def find_refund(self, refund: Refunding) -> str:
        found = self._do(lambda client: client.payments.get(refund.payment_ref).refunds.list(limit=250))
        with asking():
            ours = [one["id"] for one in found if (one.get("metadata") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def verify(self, headers: Mapping[str, str], body: bytes) -> Hint:
        """Return the id that the hook names: it is not signed, so that it can only make us look."""
        try:
            id = parse_qs(body.decode())["id"][0]
        except (ValueError, KeyError) as error:
            raise WrongSignature("it names no payment") from error
        if not (id.startswith("tr_") and id.isprintable() and len(id) <= 64):
            raise WrongSignature("it names no payment")
        return Hint(hashlib.sha256(body).hexdigest(), (id,))

    def check(self) -> None:
        self._do(lambda client: client.methods.list())


def _values(order: Order, **more: Any) -> dict[str, Any]:
    values = {
        "amount": {"value": str(to_amount(order.amount, order.currency)), "currency": order.currency},
        "description": order.title[:255],
        "metadata": {"order": order.reference},
        **more,
    }
    if urlsplit(order.hook_url).scheme == "https":  # it refuses others
        values["webhookUrl"] = order.hook_url
    return values


def _fact(found: Mapping[str, Any], order: Order) -> Fact:
    amount = found["amount"]
    currency = str(amount["currency"])
    said = STATES.get(found["status"], Said.OPEN)
    mandate, customer = found.get("mandateId"), found.get("customerId")
    label = str(found.get("method") or "Mollie").title()
    return Fact(
        said,
        to_minor(Decimal(amount["value"]), currency) if said is Said.PAID else 0,
        currency,
        str((found.get("metadata") or {}).get("order", "")),
        order.gateway_id or str(found["id"]),
        str(found["id"]),
        method=Saved(str(mandate), str(customer), label) if mandate and customer else None,
    )
