"""Paystack, by HTTP. Its reference is ours, and unique there."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from billing.gateways.base import (
    MAX_PAGES,
    AmbiguousOutcome,
    CheckoutSession,
    Gateway,
    GatewayDispute,
    GatewayRefused,
    Order,
    PaymentState,
    PaymentUpdate,
    RefundRequest,
    SavedMethod,
    SettlementEntry,
    WebhookHint,
    WrongSignature,
    ambiguous_on_error,
    body_of,
    last_day,
)
from core.types import Values

DUPLICATE = "Duplicate Transaction Reference"
UNKNOWN = "Transaction reference not found"
REFUNDED = "fully reversed"
DECLINED = ("Insufficient Funds", "Declined", "Token Not Generated")
LISTED = (DUPLICATE, UNKNOWN, REFUNDED, *DECLINED)
STATES = {"success": PaymentState.PAID, "failed": PaymentState.FAILED, "reversed": PaymentState.FAILED}


class Paystack(Gateway):
    name = "paystack"
    title = "Card or bank (Paystack)"
    # Paystack has no secret for webhooks: it signs them with the account's secret key.
    signed_by = "secret_key"
    repeats = True
    live_url = "https://api.paystack.co"
    currencies = "GHS KES NGN USD ZAR"

    def begin(self, order: Order) -> CheckoutSession:
        values = {
            "reference": order.reference,
            "amount": order.amount,
            "currency": order.currency,
            "email": order.email,
            "callback_url": order.back_url,
            "metadata": {"order": order.reference},
        }
        with ambiguous_on_error():
            answer = self._call("POST", "/transaction/initialize", values)
            return CheckoutSession(gateway_id=order.reference, url=str(answer["authorization_url"]))

    def open(self, order: Order) -> str:
        # Paystack opens no charge in advance. Our reference is unique there, so
        # that it guards the charge itself.
        return order.reference

    def move(self, order: Order) -> PaymentUpdate:
        if not order.token:
            return self.find(order)
        values = {
            "reference": order.reference,
            "amount": order.amount,
            "currency": order.currency,
            "email": order.email,
            "authorization_code": order.token,
        }
        with ambiguous_on_error():
            try:
                self._call("POST", "/transaction/charge_authorization", values)
            except GatewayRefused as error:
                # The reference was charged before, by us and without an answer.
                # What became of it is looked up.
                if error.code != DUPLICATE:
                    raise
        return self.find(order)

    def find(self, order: Order) -> PaymentUpdate:
        with ambiguous_on_error():
            try:
                answer = self._call("GET", f"/transaction/verify/{order.reference}")
            except GatewayRefused as error:
                if error.code != UNKNOWN:
                    raise
                return PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
            state = STATES.get(answer["status"], PaymentState.OPEN)
            card = answer.get("authorization") or {}
            saved = None
            # Some banks' authorizations are good for one payment only.
            if state is PaymentState.PAID and card.get("reusable"):
                brand = str(card.get("brand") or "Card").strip().title()
                last4 = str(card.get("last4") or "")
                expires = last_day(card.get("exp_year"), card.get("exp_month"))
                code = str(card["authorization_code"])
                label = f"{brand} {last4}".strip()
                saved = SavedMethod(
                    token=code, customer=order.email, label=label, brand=brand, last4=last4, expires=expires
                )
            return PaymentUpdate(
                state=state,
                amount=int(answer["amount"]) if state is PaymentState.PAID else 0,
                currency=str(answer["currency"]),
                reference=str(answer["reference"]),
                gateway_id=str(answer["reference"]),
                payment_ref=str(answer["reference"]),
                reason=str(answer.get("gateway_response") or "")[:200],
                method=saved,
            )

    def refund(self, refund: RefundRequest) -> str:
        values = {
            "transaction": refund.payment_ref,
            "amount": refund.amount,
            "currency": refund.currency,
            "merchant_note": refund.reference,
        }
        with ambiguous_on_error():
            return str(self._call("POST", "/refund", values)["id"])

    def find_refund(self, refund: RefundRequest) -> str:
        with ambiguous_on_error():
            rows = self._call("GET", f"/refund?reference={refund.payment_ref}&perPage=100", many=True)
            ours = [row["id"] for row in rows if row.get("merchant_note") == refund.reference]
            return str(ours[0]) if ours else ""

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        times = {"from": since.isoformat(), "to": until.isoformat()}
        for row in self._list_rows("transaction", {**times, "status": "success"}):
            with ambiguous_on_error():
                id = str(row["reference"])
                yield SettlementEntry(
                    kind="payment", id=id, reference=id, amount=int(row["amount"]), currency=str(row["currency"])
                )
        for row in self._list_rows("refund", times):
            with ambiguous_on_error():
                note = str(row.get("merchant_note") or "")
                line = SettlementEntry(
                    kind="refund",
                    id=str(row["id"]),
                    reference=note,
                    amount=int(row["amount"]),
                    currency=str(row["currency"]),
                )
            if row.get("status") != "failed":
                yield line
        for row in self._list_rows("dispute", times):
            with ambiguous_on_error():
                money = str(row["transaction"]["reference"])
                yield SettlementEntry(
                    kind="dispute",
                    id=money,
                    reference="",
                    amount=int(row["refund_amount"]),
                    currency=str(row["currency"]),
                )

    def _list_rows(self, what: str, params: Values) -> Iterator[Values]:
        for page in range(1, MAX_PAGES):
            with ambiguous_on_error():
                query = urlencode({**params, "perPage": 100, "page": page})
                rows = self._call("GET", f"/{what}?{query}", many=True)
            yield from rows
            if len(rows) < 100:
                return
        raise AmbiguousOutcome("its list does not end")

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        with ambiguous_on_error():
            id = self._call("GET", f"/transaction/verify/{payment_ref}")["id"]
            return [_gateway_dispute(dispute) for dispute in self._list_rows("dispute", {"transaction": id})]

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        key = self.credentials.secret_key.encode()
        signature = headers.get("X-Paystack-Signature", "")
        # Compared in constant time, or the duration would reveal how many characters were right.
        if not hmac.compare_digest(hmac.new(key, body, hashlib.sha512).hexdigest().encode(), signature.encode()):
            raise WrongSignature("signature")
        try:
            event = json.loads(body)
            about = event["data"]
            disputed = str(event.get("event")).startswith("charge.dispute.")
            names = (str(about["transaction"]["reference"] if disputed else about["reference"]),)
            return WebhookHint(event_id=hashlib.sha256(body).hexdigest(), names=names, disputed=disputed)
        except (ValueError, KeyError, TypeError) as error:
            raise WrongSignature("it names no transaction") from error

    def check(self) -> None:
        with ambiguous_on_error():
            self._call("GET", "/balance", many=True)

    def _call(self, method: str, path: str, body: Any = None, *, many: bool = False) -> Any:
        headers = {"Authorization": f"Bearer {self.credentials.secret_key}"}
        status, answer = body_of(self.session, method, f"{self.base_url}{path}", headers=headers, json=body)
        data = answer.get("data")
        # Paystack answers 200 for some refusals, with a status of false in the body.
        if status < 300 and answer.get("status") is True and isinstance(data, list if many else dict):
            return data
        message = str(answer.get("message", ""))
        reason = next((part for part in LISTED if part.lower() in message.lower()), "")
        if status >= 400 and reason:
            raise GatewayRefused(reason)
        raise AmbiguousOutcome(f"it answers {status}: {message}"[:200])


def _gateway_dispute(dispute: Values) -> GatewayDispute:
    status = "open"
    if dispute["status"] == "resolved":
        status = "won" if dispute.get("resolution") == "declined" else "lost"
    deadline = datetime.fromisoformat(dispute["dueAt"]) if dispute.get("dueAt") else None
    reason = str(dispute.get("category") or "")
    return GatewayDispute(
        id=str(dispute["id"]),
        amount=int(dispute["refund_amount"]),
        currency=str(dispute["currency"]),
        status=status,
        reason=reason,
        due_at=deadline,
    )
