"""Mollie, by its library. It has no open charge: before each try we look through the customer's payments.

The library is loaded by the first call.

Private parts of mollie-api-python 4.0.0: its session of HTTP, which no argument sets.
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
    GatewayRefused,
    Misconfigured,
    Order,
    PaymentState,
    PaymentUpdate,
    RefundRequest,
    SavedMethod,
    SettlementEntry,
    WebhookHint,
    WrongSignature,
    ambiguous_on_error,
    last_day,
)
from billing.ledger.money import to_amount, to_minor
from core.types import JsonObject, Values

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

        # No retries by the library: a repeated call that answers late is exactly
        # what the processor has to decide.
        client = Client(api_endpoint=self.base_url, retry=0)
        try:
            client.set_api_key(self.credentials.secret_key)
        except RequestSetupError as error:
            raise Misconfigured("its key must begin with test_ or live_") from error
        # The library makes its own session of requests, which would reach hosts that the guard refuses.
        client._client = self.session  # type: ignore[assignment]
        return client

    def _do(self, call: Callable[[Any], Any]) -> Any:
        from mollie.api.error import ResponseError  # noqa: PLC0415

        with ambiguous_on_error():
            try:
                return call(self.client)
            except ResponseError as error:
                if REFUNDED not in str(error):
                    raise AmbiguousOutcome(str(error)[:200]) from error
                raise GatewayRefused("refunded") from error

    def begin(self, order: Order) -> CheckoutSession:
        more: JsonObject = {"redirectUrl": order.back_url}
        if order.save_method:
            more |= {"sequenceType": "first", "customerId": self._customer(order)}
        payment = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"begin-{order.reference}")
        )
        with ambiguous_on_error():
            return CheckoutSession(gateway_id=payment["id"], url=payment["_links"]["checkout"]["href"])

    def _customer(self, order: Order) -> str:
        values = {"email": order.email or None, "metadata": {"order": order.reference}}
        customer = self._do(
            lambda client: client.customers.create(values, idempotency_key=f"customer-{order.reference}")
        )
        with ambiguous_on_error():
            return str(customer["id"])

    def open(self, order: Order) -> str:
        return f"{OPENED}{order.customer}"

    def move(self, order: Order) -> PaymentUpdate:
        if not order.gateway_id.startswith(OPENED):
            return self.find(order)
        # Mollie keeps idempotency keys for an hour only. The customer's own list of payments is
        # what prevents a second charge after that.
        update = self.find(order)
        if update.state is not PaymentState.NONE:
            return update
        more = {"sequenceType": "recurring", "customerId": order.customer, "mandateId": order.token}
        payment = self._do(
            lambda client: client.payments.create(_values(order, **more), idempotency_key=f"move-{order.reference}")
        )
        with ambiguous_on_error():
            return _fact(payment, order)

    def find(self, order: Order) -> PaymentUpdate:
        if order.gateway_id and not order.gateway_id.startswith(OPENED):
            payment = self._do(lambda client: client.payments.get(order.gateway_id))
            with ambiguous_on_error():
                return _fact(payment, order)
        if not order.customer:
            return PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
        page = self._do(lambda client: client.customers.get(order.customer).payments.list(limit=250))
        with ambiguous_on_error():
            ours = [entry for entry in page if (entry.get("metadata") or {}).get("order") == order.reference]
            # A paid one wins over a failed one: the order needs no further charge then.
            paid_entries = [entry for entry in ours if entry["status"] == "paid"]
            return (
                _fact((paid_entries or ours)[0], order)
                if ours
                else PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
            )

    def refund(self, refund: RefundRequest) -> str:
        amount = {"value": str(to_amount(refund.amount, refund.currency)), "currency": refund.currency}
        values = {"amount": amount, "metadata": {"refund": refund.reference}}
        key = f"refund-{refund.reference}"
        created = self._do(
            lambda client: client.payments.get(refund.payment_ref).refunds.create(values, idempotency_key=key)
        )
        with ambiguous_on_error():
            return str(created["id"])

    def find_refund(self, refund: RefundRequest) -> str:
        page = self._do(lambda client: client.payments.get(refund.payment_ref).refunds.list(limit=250))
        with ambiguous_on_error():
            ours = [entry["id"] for entry in page if (entry.get("metadata") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def set_up(self, order: Order) -> CheckoutSession:
        """Begin a first payment of nothing, which it takes for cards."""
        more = {"redirectUrl": order.back_url, "sequenceType": "first", "customerId": self._customer(order)}
        values = _values(replace(order, amount=0), method="creditcard", **more)
        payment = self._do(lambda client: client.payments.create(values, idempotency_key=f"setup-{order.reference}"))
        with ambiguous_on_error():
            return CheckoutSession(gateway_id=payment["id"], url=payment["_links"]["checkout"]["href"])

    def find_set_up(self, order: Order) -> PaymentUpdate:
        return self.find(order)

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        for row in self._list_rows("payments", since, until):
            if row["status"] == "paid":
                yield _settlement_entry("payment", row["id"], (row.get("metadata") or {}).get("order"), row["amount"])
        for row in self._list_rows("refunds", since, until):
            if row["status"] not in ("failed", "canceled"):
                yield _settlement_entry("refund", row["id"], (row.get("metadata") or {}).get("refund"), row["amount"])
        for row in self._list_rows("chargebacks", since, until):
            yield _settlement_entry("dispute", row["paymentId"], "", row["amount"])

    def _list_rows(self, what: str, since: datetime, until: datetime) -> Iterator[Values]:
        """Yield the rows of a list, which begins with the newest, that were made in this time."""
        after: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            params = {"limit": 250, **after}
            page = self._do(lambda client, params=params: getattr(client, what).list(**params))  # type: ignore[misc]
            with ambiguous_on_error():
                rows = [dict(row) for row in page]
                times = [datetime.fromisoformat(row["createdAt"]) for row in rows]
                link = (page["_links"].get("next") or {}).get("href")
                after = {"from": parse_qs(urlsplit(link).query)["from"][0]} if link else {}
                # Mollie's lists take no dates. They are read from the newest on,
                # until one is older than asked for.
                matches = [row for row, at in zip(rows, times, strict=True) if since <= at < until]
            yield from matches
            if not after or any(at < since for at in times):
                return
        raise AmbiguousOutcome("its list does not end")

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        """Return chargebacks: they are lost at once, unless the bank takes them back."""
        chargebacks = self._do(lambda client: client.payments.get(payment_ref).chargebacks.list(limit=250))
        with ambiguous_on_error():
            return [_gateway_dispute(chargeback) for chargeback in chargebacks]

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        """Return the id that the hook names: it is not signed, so that it can only make us look."""
        try:
            id = parse_qs(body.decode())["id"][0]
        except (ValueError, KeyError) as error:
            raise WrongSignature("it names no payment") from error
        # Anybody can call this address. The id only makes us look at a payment of
        # our own, so its form is all to check.
        if not (id.startswith("tr_") and id.isprintable() and len(id) <= 64):
            raise WrongSignature("it names no payment")
        # The body names nothing but the payment, so a dispute and a payment
        # look alike and both are looked for.
        return WebhookHint(event_id=hashlib.sha256(body).hexdigest(), names=(id,), disputed=True)

    def check(self) -> None:
        self._do(lambda client: client.methods.list())


def _values(order: Order, **more: Any) -> JsonObject:
    values = {
        "amount": {"value": str(to_amount(order.amount, order.currency)), "currency": order.currency},
        "description": order.title[:255],
        "metadata": {"order": order.reference},
        **more,
    }
    if urlsplit(order.hook_url).scheme == "https":  # it refuses others
        values["webhookUrl"] = order.hook_url
    return values


def _fact(payment: Values, order: Order) -> PaymentUpdate:
    amount = payment["amount"]
    currency = str(amount["currency"])
    state = STATES.get(payment["status"], PaymentState.OPEN)
    mandate, customer = payment.get("mandateId"), payment.get("customerId")
    card = payment.get("details") or {}
    brand = str(card.get("cardLabel") or "")
    last4 = str(card.get("cardNumber") or "")[-4:]
    label = f"{brand} {last4}" if brand and last4 else str(payment.get("method") or "Mollie").title()
    expires = last_day(*str(card.get("cardExpiryDate") or "-").split("-")[:2])
    return PaymentUpdate(
        state=state,
        amount=to_minor(Decimal(amount["value"]), currency) if state is PaymentState.PAID else 0,
        currency=currency,
        reference=str((payment.get("metadata") or {}).get("order", "")),
        gateway_id=order.gateway_id or str(payment["id"]),
        payment_ref=str(payment["id"]),
        method=SavedMethod(
            token=str(mandate), customer=str(customer), label=label, brand=brand, last4=last4, expires=expires
        )
        if mandate and customer
        else None,
    )


def _settlement_entry(kind: str, id: Any, reference: Any, amount: Values) -> SettlementEntry:
    with ambiguous_on_error():
        currency = str(amount["currency"])
        return SettlementEntry(
            kind=kind,
            id=str(id),
            reference=str(reference or ""),
            amount=to_minor(Decimal(amount["value"]), currency),
            currency=currency,
        )


def _gateway_dispute(chargeback: Values) -> GatewayDispute:
    currency = str(chargeback["amount"]["currency"])
    reason = str((chargeback.get("reason") or {}).get("description") or "")
    status = "won" if chargeback.get("reversedAt") else "lost"
    return GatewayDispute(
        id=str(chargeback["id"]),
        amount=to_minor(Decimal(chargeback["amount"]["value"]), currency),
        currency=currency,
        status=status,
        reason=reason,
    )
