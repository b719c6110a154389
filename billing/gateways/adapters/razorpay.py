"""Razorpay, by its library: Payment Links for the first payment, orders and tokens for later ones.

The library is loaded by the first call: other uses of an adapter, such as for its title, save its memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

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
    last_day,
)
from core.types import Values

EXISTS = "already exists"
PAID = "already paid"
CAPTURED = "already been captured"
REFUNDED = "fully refunded"
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
        import razorpay  # noqa: PLC0415

        auth = (self.credentials.key_id, self.credentials.secret_key)
        return razorpay.Client(session=self.session, auth=auth, base_url=self.base_url)

    def _do(self, call: Callable[[Any], Any]) -> Any:
        from razorpay.errors import BadRequestError  # noqa: PLC0415

        with ambiguous_on_error():
            try:
                return call(self.client)
            except BadRequestError as error:
                reason = next((part for part in LISTED if part in str(error)), "")
                if not reason:
                    raise AmbiguousOutcome(str(error)[:200]) from error
                raise GatewayRefused(reason) from error

    def begin(self, order: Order) -> CheckoutSession:
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
        except GatewayRefused as error:
            # Razorpay takes no idempotency key for links, but refuses a reference that
            # it knows. The existing link is used.
            if error.code != EXISTS:
                raise
            link = self._link(order)
        with ambiguous_on_error():
            return CheckoutSession(gateway_id=link["id"], url=link["short_url"])

    def _link(self, order: Order) -> Values:
        answer = self._do(lambda client: client.payment_link.all({"reference_id": order.reference}))
        with ambiguous_on_error():
            return next(link for link in answer["payment_links"] if link["reference_id"] == order.reference)

    def open(self, order: Order) -> str:
        values = {
            "amount": order.amount,
            "currency": order.currency,
            "receipt": order.reference,
            "notes": {"order": order.reference},
        }
        # An order's receipt is not unique there, so the list is read before another order is created.
        existing = self._do(lambda client: client.order.all({"receipt": order.reference}))
        with ambiguous_on_error():
            for entry in existing["items"]:
                if entry["receipt"] == order.reference:
                    return str(entry["id"])
        created = self._do(lambda client: client.order.create(values))
        with ambiguous_on_error():
            return str(created["id"])

    def move(self, order: Order) -> PaymentUpdate:
        update = self.find(order)
        # An authorized payment that is not captured is refunded by Razorpay after some days.
        if update.state is PaymentState.AUTHORIZED:
            return self._capture(order, update)
        if update.state is not PaymentState.OPEN or order.gateway_id.startswith("plink_"):
            return update
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
        except GatewayRefused as error:
            if error.code != PAID:
                raise
        return self.find(order)

    def _capture(self, order: Order, update: PaymentUpdate) -> PaymentUpdate:
        try:
            more = {"currency": update.currency}
            self._do(lambda client: client.payment.capture(update.payment_ref, update.amount, more))
        except GatewayRefused as error:
            if error.code != CAPTURED:
                raise
        return self.find(order)

    def find(self, order: Order) -> PaymentUpdate:
        if not order.gateway_id:
            return PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
        if order.gateway_id.startswith("plink_"):
            link = self._do(lambda client: client.payment_link.fetch(order.gateway_id))
            with ambiguous_on_error():
                return self._of_link(link)
        answer = self._do(lambda client: client.order.payments(order.gateway_id))
        with ambiguous_on_error():
            return _of_payments(answer["items"], order)

    def _of_link(self, link: Values) -> PaymentUpdate:
        ids = [
            entry["payment_id"] for entry in link.get("payments") or () if entry["status"] in ("captured", "authorized")
        ]
        if not ids:
            state = PaymentState.FAILED if link["status"] in ("expired", "cancelled") else PaymentState.OPEN
            return PaymentUpdate(state=state, reference=link["reference_id"], gateway_id=link["id"])
        payment = self._do(lambda client: client.payment.fetch(ids[0]))
        return _of_payment(payment, link["reference_id"], link["id"])

    def refund(self, refund: RefundRequest) -> str:
        values = {"amount": refund.amount, "notes": {"refund": refund.reference}}
        headers = {"X-Refund-Idempotency": f"refund-{refund.reference}"}
        created = self._do(lambda client: client.payment.refund(refund.payment_ref, values, headers=headers))
        with ambiguous_on_error():
            return str(created["id"])

    def find_refund(self, refund: RefundRequest) -> str:
        answer = self._do(lambda client: client.payment.fetch_multiple_refund(refund.payment_ref, {"count": 100}))
        with ambiguous_on_error():
            ours = [
                entry["id"] for entry in answer["items"] if (entry.get("notes") or {}).get("refund") == refund.reference
            ]
            return str(ours[0]) if ours else ""

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        times = {"from": int(since.timestamp()), "to": int(until.timestamp())}
        for row in self._list_rows("payment", times):
            with ambiguous_on_error():
                line = _settlement_entry("payment", row["id"], row, "order")
            if row.get("status") in ("captured", "refunded"):
                yield line
        for row in self._list_rows("refund", times):
            with ambiguous_on_error():
                line = _settlement_entry("refund", row["id"], row, "refund")
            if row.get("status") != "failed":
                yield line
        for row in self._list_rows("dispute", times):
            with ambiguous_on_error():
                yield SettlementEntry(
                    kind="dispute",
                    id=str(row["payment_id"]),
                    reference="",
                    amount=int(row["amount"]),
                    currency=str(row["currency"]),
                )

    def _list_rows(self, what: str, times: Mapping[str, int]) -> Iterator[Values]:
        for page in range(MAX_PAGES):
            params = {**times, "count": 100, "skip": 100 * page}
            answer = self._do(lambda client, params=params: getattr(client, what).all(params))  # type: ignore[misc]
            with ambiguous_on_error():
                rows = list(answer["items"])
            yield from rows
            if len(rows) < 100:
                return
        raise AmbiguousOutcome("its list does not end")

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        """Return the payment's disputes of the newest 1,000: its list cannot be asked for one payment."""
        matches: list[GatewayDispute] = []
        for number, row in enumerate(self._list_rows("dispute", {})):
            with ambiguous_on_error():
                if row["payment_id"] == payment_ref:
                    matches.append(_gateway_dispute(row))
            if number >= 1000:
                break
        return matches

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        from razorpay.errors import SignatureVerificationError  # noqa: PLC0415

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
                names += [entity.get("payment_id")]
            id = headers.get("X-Razorpay-Event-Id") or hashlib.sha256(body).hexdigest()
            disputed = str(event.get("event")).startswith("payment.dispute.")
            return WebhookHint(event_id=id, names=tuple(str(name) for name in names if name), disputed=disputed)
        except (ValueError, KeyError, TypeError, AttributeError, SignatureVerificationError) as error:
            raise WrongSignature(type(error).__name__) from error

    def check(self) -> None:
        self._do(lambda client: client.payment.all({"count": 1}))


def _of_payments(payments: list[Values], order: Order) -> PaymentUpdate:
    for status in ("captured", "authorized"):
        for payment in payments:
            if payment["status"] == status:
                reference = (payment.get("notes") or {}).get("order") or order.reference
                return _of_payment(payment, reference, order.gateway_id)
    return PaymentUpdate(state=PaymentState.OPEN, reference=order.reference, gateway_id=order.gateway_id)


def _of_payment(payment: Values, reference: str, gateway_id: str) -> PaymentUpdate:
    state = {"captured": PaymentState.PAID, "authorized": PaymentState.AUTHORIZED, "failed": PaymentState.FAILED}.get(
        payment["status"], PaymentState.OPEN
    )
    token = payment.get("token_id")
    saved = None
    if token:
        card = payment.get("card") or {}
        brand, last4 = str(card.get("network") or ""), str(card.get("last4") or "")
        label = f"{brand} {last4}" if brand and last4 else str(payment.get("method") or "Razorpay").upper()
        expires = last_day(card.get("expiry_year"), card.get("expiry_month"))
        saved = SavedMethod(
            token=token,
            customer=str(payment.get("customer_id") or ""),
            label=label,
            brand=brand,
            last4=last4,
            expires=expires,
        )
    amount = int(payment["amount"])
    currency = str(payment["currency"])
    return PaymentUpdate(
        state=state,
        amount=amount,
        currency=currency,
        reference=reference,
        gateway_id=gateway_id,
        payment_ref=str(payment["id"]),
        method=saved,
    )


def _settlement_entry(kind: str, id: Any, row: Values, note: str) -> SettlementEntry:
    notes = row.get("notes") or {}
    reference = notes.get(note, "") if isinstance(notes, dict) else ""
    return SettlementEntry(
        kind=kind, id=str(id), reference=str(reference), amount=int(row["amount"]), currency=str(row["currency"])
    )


def _gateway_dispute(dispute: Values) -> GatewayDispute:
    deadline = dispute.get("respond_by")
    until = datetime.fromtimestamp(deadline, UTC) if deadline else None
    status = {"won": "won", "lost": "lost", "closed": "lost"}.get(dispute["status"], "open")
    return GatewayDispute(
        id=dispute["id"],
        amount=int(dispute["amount"]),
        currency=dispute["currency"],
        status=status,
        reason=str(dispute.get("reason_code") or ""),
        due_at=until,
    )
