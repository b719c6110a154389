"""Mollie, by its library. It has no open charge: before each try we look through the customer's payments.

The library is loaded by the first call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from billing.gateways.base import (
    MAX_PAGES,
    AmbiguousOutcome,
    CheckoutSession,
    Gateway,
    GatewayDispute,
    Misconfigured,
    Order,
    PaymentState,
    PaymentUpdate,
    RefundRequest,
    Refused,
    SavedMethod,
    SettlementEntry,
    WebhookHint,
    WrongSignature,
    asking,
    last_day,
)
from billing.ledger.money import to_amount, to_minor

STATES = {
    "paid": PaymentState.PAID,
    "failed": PaymentState.FAILED,
    "expired": PaymentState.FAILED,
    "canceled": PaymentState.FAILED,
}
REFUNDED = "higher than the"
"""Part of the detail by which it refuses to give back more than was paid."""
OPENED = "customer:"


class Mollie(Gateway):
    name = "mollie"
    title = "iDEAL, Bancontact or card (Mollie)"
    signed_by = ""
    repeats = True
    live_url = "https://api.mollie.com"
    sets_up = True
    currencies = (
        "AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB USD ZAR"
    )

    @property
    def client(self) -> Any:
        from mollie.api.client import Client  # noqa: PLC0415
        from mollie.api.error import RequestSetupError  # noqa: PLC0415

        client = Client(api_endpoint=self.base_url, retry=0)
        try:
            client.set_api_key(self.credentials.secret_key)
        except RequestSetupError as error:
            raise Misconfigured("its key must begin with test_ or live_") from error
        client._client = self.session  # type: ignore[assignment]
        return client

    def _do(self, call: Callable[[Any], Any]) -> Any:
        from mollie.api.error import ResponseError  # noqa: PLC0415

        with asking():
            try:
                return call(self.client)
            except ResponseError as error:
                if REFUNDED not in str(error):
                    raise AmbiguousOutcome(str(error)[:200]) from error
                raise Refused("refunded") from error

    def begin(self, order: Order) -> CheckoutSession:
        more: dict[str, Any] = {"redirectUrl": order.back_url}
        if order.save_method:
            more |= {"sequenceType": "first", "customerId": self._customer(order)}
        found = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"begin-{order.reference}")
        )
        with asking():
            return CheckoutSession(found["id"], found["_links"]["checkout"]["href"])

    def _customer(self, order: Order) -> str:
        values = {"email": order.email or None, "metadata": {"order": order.reference}}
        found = self._do(lambda client: client.customers.create(values, idempotency_key=f"customer-{order.reference}"))
        with asking():
            return str(found["id"])

    def open(self, order: Order) -> str:
        return f"{OPENED}{order.customer}"

    def move(self, order: Order) -> PaymentUpdate:
        if not order.gateway_id.startswith(OPENED):
            return self.find(order)
        fact = self.find(order)
        if fact.state is not PaymentState.NONE:
            return fact
        more = {"sequenceType": "recurring", "customerId": order.customer, "mandateId": order.token}
        found = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"move-{order.reference}")
        )
        with asking():
            return _fact(found, order)

    def find(self, order: Order) -> PaymentUpdate:
        if order.gateway_id and not order.gateway_id.startswith(OPENED):
            found = self._do(lambda client: client.payments.get(order.gateway_id))
            with asking():
                return _fact(found, order)
        if not order.customer:
            return PaymentUpdate(PaymentState.NONE, reference=order.reference)
        page = self._do(lambda client: client.customers.get(order.customer).payments.list(limit=250))
        with asking():
            ours = [one for one in page if (one.get("metadata") or {}).get("order") == order.reference]
            paid = [one for one in ours if one["status"] == "paid"]
            return (
                _fact((paid or ours)[0], order) if ours else PaymentUpdate(PaymentState.NONE, reference=order.reference)
            )

    def refund(self, refund: RefundRequest) -> str:
        amount = {"value": str(to_amount(refund.amount, refund.currency)), "currency": refund.currency}
        values = {"amount": amount, "metadata": {"refund": refund.reference}}
        key = f"refund-{refund.reference}"
        found = self._do(
            lambda client: client.payments.get(refund.payment_ref).refunds.create(values, idempotency_key=key)
        )
        with asking():
            return str(found["id"])

    def find_refund(self, refund: RefundRequest) -> str:
        found = self._do(lambda client: client.payments.get(refund.payment_ref).refunds.list(limit=250))
        with asking():
            ours = [one["id"] for one in found if (one.get("metadata") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def set_up(self, order: Order) -> CheckoutSession:
        """Begin a first payment of nothing, which it takes for cards."""
        more = {"redirectUrl": order.back_url, "sequenceType": "first", "customerId": self._customer(order)}
        values = _values(replace(order, amount=0), method="creditcard", **more)
        found = self._do(lambda client: client.payments.create(values, idempotency_key=f"setup-{order.reference}"))
        with asking():
            return CheckoutSession(found["id"], found["_links"]["checkout"]["href"])

    def find_set_up(self, order: Order) -> PaymentUpdate:
        return self.find(order)

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        for one in self._listed("payments", since, until):
            if one["status"] == "paid":
                yield _settled("payment", one["id"], (one.get("metadata") or {}).get("order"), one["amount"])
        for one in self._listed("refunds", since, until):
            if one["status"] not in ("failed", "canceled"):
                yield _settled("refund", one["id"], (one.get("metadata") or {}).get("refund"), one["amount"])
        for one in self._listed("chargebacks", since, until):
            yield _settled("dispute", one["paymentId"], "", one["amount"])

    def _listed(self, what: str, since: datetime, until: datetime) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a list, which begins with the newest, that were made in this time."""
        after: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            asked = {"limit": 250, **after}
            page = self._do(lambda client, asked=asked: getattr(client, what).list(**asked))  # type: ignore[misc]
            with asking():
                rows = [dict(one) for one in page]
                made = [datetime.fromisoformat(one["createdAt"]) for one in rows]
                link = (page["_links"].get("next") or {}).get("href")
                after = {"from": parse_qs(urlsplit(link).query)["from"][0]} if link else {}
                found = [one for one, at in zip(rows, made, strict=True) if since <= at < until]
            yield from found
            if not after or any(at < since for at in made):
                return
        raise AmbiguousOutcome("its list does not end")

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        """Return chargebacks: they are lost at once, unless the bank takes them back."""
        found = self._do(lambda client: client.payments.get(payment_ref).chargebacks.list(limit=250))
        with asking():
            return [_disputed(one) for one in found]

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        """Return the id that the hook names: it is not signed, so that it can only make us look."""
        try:
            id = parse_qs(body.decode())["id"][0]
        except (ValueError, KeyError) as error:
            raise WrongSignature("it names no payment") from error
        if not (id.startswith("tr_") and id.isprintable() and len(id) <= 64):
            raise WrongSignature("it names no payment")
        return WebhookHint(hashlib.sha256(body).hexdigest(), (id,), disputed=True)

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


def _fact(found: Mapping[str, Any], order: Order) -> PaymentUpdate:
    amount = found["amount"]
    currency = str(amount["currency"])
    said = STATES.get(found["status"], PaymentState.OPEN)
    mandate, customer = found.get("mandateId"), found.get("customerId")
    card = found.get("details") or {}
    brand, last4 = str(card.get("cardLabel") or ""), str(card.get("cardNumber") or "")[-4:]
    label = f"{brand} {last4}" if brand and last4 else str(found.get("method") or "Mollie").title()
    expires = last_day(*str(card.get("cardExpiryDate") or "-").split("-")[:2])
    return PaymentUpdate(
        said,
        to_minor(Decimal(amount["value"]), currency) if said is PaymentState.PAID else 0,
        currency,
        str((found.get("metadata") or {}).get("order", "")),
        order.gateway_id or str(found["id"]),
        str(found["id"]),
        method=SavedMethod(str(mandate), str(customer), label, brand, last4, expires) if mandate and customer else None,
    )


def _settled(kind: str, id: Any, reference: Any, amount: Mapping[str, Any]) -> SettlementEntry:
    with asking():
        currency = str(amount["currency"])
        return SettlementEntry(
            kind, str(id), str(reference or ""), to_minor(Decimal(amount["value"]), currency), currency
        )


def _disputed(one: Mapping[str, Any]) -> GatewayDispute:
    currency = str(one["amount"]["currency"])
    reason = str((one.get("reason") or {}).get("description") or "")
    status = "won" if one.get("reversedAt") else "lost"
    return GatewayDispute(str(one["id"]), to_minor(Decimal(one["amount"]["value"]), currency), currency, status, reason)
