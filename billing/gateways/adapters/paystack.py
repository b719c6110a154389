"""Paystack, by HTTP. Its reference is ours, and unique there."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

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
    body_of,
)

DUPLICATE, UNKNOWN, REFUNDED = "Duplicate Transaction Reference", "Transaction reference not found", "fully reversed"
DECLINED = ("Insufficient Funds", "Declined", "Token Not Generated")
LISTED = (DUPLICATE, UNKNOWN, REFUNDED, *DECLINED)
STATES = {"success": Said.PAID, "failed": Said.FAILED, "reversed": Said.FAILED}


class Paystack(Gateway):
    name = "paystack"
    title = "Card or bank (Paystack)"
    signed_by = "secret_key"
    repeats = True
    live_url = "https://api.paystack.co"
    currencies = "GHS KES NGN USD ZAR"

    def begin(self, order: Order) -> Begun:
        values = {
            "reference": order.reference,
            "amount": order.amount,
            "currency": order.currency,
            "email": order.email,
            "callback_url": order.back_url,
            "metadata": {"order": order.reference},
        }
        with asking():
            found = self._call("POST", "/transaction/initialize", values)
            return Begun(order.reference, str(found["authorization_url"]))

    def open(self, order: Order) -> str:
        return order.reference

    def move(self, order: Order) -> Fact:
        if not order.token:
            return self.find(order)
        values = {
            "reference": order.reference,
            "amount": order.amount,
            "currency": order.currency,
            "email": order.email,
            "authorization_code": order.token,
        }
        with asking():
            try:
                self._call("POST", "/transaction/charge_authorization", values)
            except Refused as refused:
                if refused.code != DUPLICATE:
                    raise
        return self.find(order)

    def find(self, order: Order) -> Fact:
        with asking():
            try:
                found = self._call("GET", f"/transaction/verify/{order.reference}")
            except Refused as refused:
                if refused.code != UNKNOWN:
                    raise
                return Fact(Said.NONE, reference=order.reference)
            said = STATES.get(found["status"], Said.OPEN)
            card = found.get("authorization") or {}
            saved = None
            if said is Said.PAID and card.get("reusable"):
                label = f"{card.get('brand') or 'Card'} {card.get('last4') or ''}".strip().title()
                saved = Saved(str(card["authorization_code"]), order.email, label)
            return Fact(
                said,
                int(found["amount"]) if said is Said.PAID else 0,
                str(found["currency"]),
                str(found["reference"]),
                str(found["reference"]),
                str(found["reference"]),
                str(found.get("gateway_response") or "")[:200],
                saved,
            )

    def refund(self, refund: Refunding) -> str:
        values = {
            "transaction": refund.payment_ref,
            "amount": refund.amount,
            "currency": refund.currency,
            "merchant_note": refund.reference,
        }
        with asking():
            return str(self._call("POST", "/refund", values)["id"])

    def find_refund(self, refund: Refunding) -> str:
        with asking():
            found = self._call("GET", f"/refund?reference={refund.payment_ref}&perPage=100", many=True)
            ours = [one["id"] for one in found if one.get("merchant_note") == refund.reference]
            return str(ours[0]) if ours else ""

    def verify(self, headers: Mapping[str, str], body: bytes) -> Hint:
        key = self.credentials.secret_key.encode()
        given = headers.get("X-Paystack-Signature", "")
        if not hmac.compare_digest(hmac.new(key, body, hashlib.sha512).hexdigest().encode(), given.encode()):
            raise WrongSignature("signature")
        try:
            about = json.loads(body)["data"]
            return Hint(hashlib.sha256(body).hexdigest(), (str(about["reference"]),))
        except (ValueError, KeyError, TypeError) as error:
            raise WrongSignature("it names no transaction") from error

    def check(self) -> None:
        with asking():
            self._call("GET", "/balance", many=True)

    def _call(self, method: str, path: str, body: Any = None, *, many: bool = False) -> Any:
        headers = {"Authorization": f"Bearer {self.credentials.secret_key}"}
        status, found = body_of(self.session, method, f"{self.base_url}{path}", headers=headers, json=body)
        data = found.get("data")
        if status < 300 and found.get("status") is True and isinstance(data, list if many else dict):
            return data
        message = str(found.get("message", ""))
        known = next((part for part in LISTED if part.lower() in message.lower()), "")
        if status >= 400 and known:
            raise Refused(known)
        raise Unsure(f"it answers {status}: {message}"[:200])
