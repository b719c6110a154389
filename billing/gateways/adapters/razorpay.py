"""Razorpay, by its library: Payment Links for the first payment, orders and tokens for later ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import razorpay

from billing.gateways.base import (
    Begun,
    Fact,
    Gateway,
    Hint,
    Order,
    Refunding,
    Refused,
    Said,
    Saved,
    Unsure,
    WrongSignature,
    asking,
)

EXISTS, PAID, CAPTURED, REFUNDED = "already exists", "already paid", "already been captured", "fully refunded"
DECLINED = ("declined", "insufficient", "expired", "Payment failed")
LISTED = (EXISTS, PAID, CAPTURED, REFUNDED, *DECLINED)
"""Parts of the descriptions by which it refuses: all of them have the same code."""


class Razorpay(Gateway):
    name = "razorpay"
    title = "UPI or card (Razorpay)"
    live_url = "https://api.razorpay.com"
    needs = ("key_id", "secret_key")
    currencies = "AED AUD CAD CHF EUR GBP HKD INR MYR SGD USD"

    @property
    def client(self) -> Any:
        auth = (self.credentials.key_id, self.credentials.secret_key)
        return razorpay.Client(session=self.session, auth=auth, base_url=self.base_url)

    def _do(self, call: Callable[[Any], Any]) -> Any:
        with asking():
            try:
                return call(self.client)
            except razorpay.errors.BadRequestError as error:
                found = next((part for part in LISTED if part in str(error)), "")
                if not found:
                    raise Unsure(str(error)[:200]) from error
                raise Refused(found) from error

    def begin(self, order: Order) -> Begun:
        values = {
            "amount": order.amount,
            "currency": order.currency,
            "reference_id": order.reference,
            "description": order.title[:2048],
            "notes": {"order": order.reference},
            "callback_url": order.back_url,
            "callback_method": "get",
        }
        try:
            link = self._do(lambda client: client.payment_link.create(values))
        except Refused as refused:
            if refused.code != EXISTS:
                raise
            link = self._link(order)
        with asking():
            return Begun(link["id"], link["short_url"])

    def _link(self, order: Order) -> Mapping[str, Any]:
        found = self._do(lambda client: client.payment_link.all({"reference_id": order.reference}))
        with asking():
            return next(one for one in found["payment_links"] if one["reference_id"] == order.reference)

    def open(self, order: Order) -> str:
        values = {
            "amount": order.amount,
            "currency": order.currency,
            "receipt": order.reference,
            "notes": {"order": order.reference},
        }
        known = self._do(lambda client: client.order.all({"receipt": order.reference}))
        with asking():
            for one in known["items"]:
                if one["receipt"] == order.reference:
                    return str(one["id"])
        found = self._do(lambda client: client.order.create(values))
        with asking():
            return str(found["id"])

    def move(self, order: Order) -> Fact:
        fact = self.find(order)
        if fact.said is Said.AUTHORIZED:
            return self._capture(order, fact)
        if fact.said is not Said.OPEN or order.gateway_id.startswith("plink_"):
            return fact
        values = {
            "email": order.email,
            "amount": order.amount,
            "currency": order.currency,
            "order_id": order.gateway_id,
            "customer_id": order.customer,
            "token": order.token,
            "recurring": "1",
        }
        try:
            self._do(lambda client: client.payment.createRecurring(values))
        except Refused as refused:
            if refused.code != PAID:
                raise
        return self.find(order)

    def _capture(self, order: Order, fact: Fact) -> Fact:
        try:
            more = {"currency": fact.currency}
            self._do(lambda client: client.payment.capture(fact.payment_ref, fact.amount, more))
        except Refused as refused:
            if refused.code != CAPTURED:
                raise
        return self.find(order)

    def find(self, order: Order) -> Fact:
        if not order.gateway_id:
            return Fact(Said.NONE, reference=order.reference)
        if order.gateway_id.startswith("plink_"):
            link = self._do(lambda client: client.payment_link.fetch(order.gateway_id))
            with asking():
                return self._of_link(link)
        found = self._do(lambda client: client.order.payments(order.gateway_id))
        with asking():
            return _of_payments(found["items"], order)

    def _of_link(self, link: Mapping[str, Any]) -> Fact:
        ids = [one["payment_id"] for one in link.get("payments") or () if one["status"] in ("captured", "authorized")]
        if not ids:
            said = Said.FAILED if link["status"] in ("expired", "cancelled") else Said.OPEN
            return Fact(said, reference=link["reference_id"], gateway_id=link["id"])
        payment = self._do(lambda client: client.payment.fetch(ids[0]))
        return _of_payment(payment, link["reference_id"], link["id"])

    def refund(self, refund: Refunding) -> str:
        values = {"amount": refund.amount, "notes": {"refund": refund.reference}}
        headers = {"X-Refund-Idempotency": f"refund-{refund.reference}"}
        found = self._do(lambda client: client.payment.refund(refund.payment_ref, values, headers=headers))
        with asking():
            return str(found["id"])

    def find_refund(self, refund: Refunding) -> str:
        found = self._do(lambda client: client.payment.fetch_multiple_refund(refund.payment_ref, {"count": 100}))
        with asking():
            ours = [one["id"] for one in found["items"] if (one.get("notes") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def verify(self, headers: Mapping[str, str], body: bytes) -> Hint:
        try:
            self.client.utility.verify_webhook_signature(
                body.decode(), headers["X-Razorpay-Signature"], self.credentials.webhook_secret
            )
            event = json.loads(body)
            names: list[Any] = []
            for part in event["payload"].values():
                entity = part["entity"]
                notes = entity.get("notes") or {}
                order = notes.get("order") if isinstance(notes, dict) else ""
                names += [entity.get("reference_id"), entity.get("receipt"), order, entity.get("id")]
            id = headers.get("X-Razorpay-Event-Id") or hashlib.sha256(body).hexdigest()
            return Hint(id, tuple(str(name) for name in names if name))
        except (ValueError, KeyError, TypeError, AttributeError, razorpay.errors.SignatureVerificationError) as error:
            raise WrongSignature(type(error).__name__) from error

    def check(self) -> None:
        self._do(lambda client: client.payment.all({"count": 1}))


def _of_payments(payments: list[Mapping[str, Any]], order: Order) -> Fact:
    for status in ("captured", "authorized"):
        for one in payments:
            if one["status"] == status:
                reference = (one.get("notes") or {}).get("order") or order.reference
                return _of_payment(one, reference, order.gateway_id)
    return Fact(Said.OPEN, reference=order.reference, gateway_id=order.gateway_id)


def _of_payment(payment: Mapping[str, Any], reference: str, gateway_id: str) -> Fact:
    said = {"captured": Said.PAID, "authorized": Said.AUTHORIZED, "failed": Said.FAILED}.get(
        payment["status"], Said.OPEN
    )
    token, saved = payment.get("token_id"), None
    if token:
        saved = Saved(token, str(payment.get("customer_id") or ""), str(payment.get("method") or "Razorpay").upper())
    amount, currency = int(payment["amount"]), str(payment["currency"])
    return Fact(said, amount, currency, reference, gateway_id, str(payment["id"]), method=saved)
