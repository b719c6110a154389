"""Stripe, by its library: Checkout for the first payment, PaymentIntents for later ones.

The library is loaded by the first call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from time import time
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
from core.types import JsonObject, Values

STATES = {
    "succeeded": PaymentState.PAID,
    "requires_action": PaymentState.ACTION,
    "requires_capture": PaymentState.AUTHORIZED,
    "canceled": PaymentState.FAILED,
}
DECLINES = frozenset(
    {"card_declined", "expired_card", "incorrect_cvc", "processing_error", "insufficient_funds", "incorrect_number"}
)
TOLERANCE = 300
"""Seconds that a webhook may be old, or ahead of our clock."""


class Stripe(Gateway):
    name = "stripe"
    title = "Card (Stripe)"
    live_url = "https://api.stripe.com"
    sets_up = True
    currencies = (
        "AED AUD BGN BRL CAD CHF CLP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN"
        " RON SEK SGD THB TRY USD VND ZAR"
    )
    """Not ISK, UGX and those with three decimals, which it counts by rules of its own."""

    @property
    def client(self) -> Any:
        import stripe  # noqa: PLC0415

        transport = stripe.RequestsClient(session=self.session)  # type: ignore[arg-type]
        return stripe.StripeClient(
            self.credentials.secret_key,
            base_addresses={"api": self.base_url},
            # The library repeats calls by itself otherwise, for longer than the deadline of one exchange.
            max_network_retries=0,
            http_client=transport,
        ).v1

    def begin(self, order: Order) -> CheckoutSession:
        intent: JsonObject = {"metadata": {"order": order.reference}}
        values: JsonObject = {
            "mode": "payment",
            "client_reference_id": order.reference,
            "success_url": order.back_url,
            "cancel_url": order.back_url,
            "line_items": [
                {
                    "quantity": 1,
                    "price_data": {
                        "currency": order.currency.lower(),
                        "unit_amount": order.amount,
                        "product_data": {"name": order.title},
                    },
                }
            ],
            "payment_intent_data": intent,
        }
        if order.email:
            values["customer_email"] = order.email
        if order.save_method:
            # Without it banks in the EU may ask for a confirmation at each renewal,
            # when the customer is away (PSD2).
            intent["setup_future_usage"] = "off_session"
            values["customer_creation"] = "always"
        with ambiguous_on_error():
            session = self.client.checkout.sessions.create(values, {"idempotency_key": f"begin-{order.reference}"})
            return CheckoutSession(gateway_id=str(session.id), url=str(session.url))

    def open(self, order: Order) -> str:
        values = {
            "amount": order.amount,
            "currency": order.currency.lower(),
            "payment_method": order.token,
            "customer": order.customer,
            "metadata": {"order": order.reference},
        }
        with ambiguous_on_error():
            key = {"idempotency_key": f"open-{order.reference}"}
            return str(self.client.payment_intents.create(values, key).id)

    def move(self, order: Order) -> PaymentUpdate:
        import stripe  # noqa: PLC0415

        with ambiguous_on_error():
            try:
                self.client.payment_intents.confirm(
                    order.gateway_id, {"off_session": True}, {"idempotency_key": f"move-{order.reference}"}
                )
            except stripe.CardError as error:
                # The bank asks for 3-D Secure, which only the customer can answer on a page.
                if error.code == "authentication_required":
                    return PaymentUpdate(
                        state=PaymentState.ACTION, reference=order.reference, gateway_id=order.gateway_id
                    )
                # An unknown code is not taken for a refusal: the money may have moved.
                if error.code not in DECLINES:
                    raise AmbiguousOutcome(str(error.code)) from error
                raise GatewayRefused(_decline(error)) from error
            except stripe.InvalidRequestError as error:
                # The intent was confirmed before, by a worker whose answer was lost.
                # What became of it is looked up below.
                if error.code != "payment_intent_unexpected_state":
                    raise AmbiguousOutcome(str(error.code)) from error
        return self.find(order)

    def find(self, order: Order) -> PaymentUpdate:
        if not order.gateway_id:
            return PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
        with ambiguous_on_error():
            # A page is a Checkout Session, which gets its PaymentIntent only when the customer pays.
            if order.gateway_id.startswith("cs_"):
                expand = ["payment_intent.payment_method"]
                session = self.client.checkout.sessions.retrieve(order.gateway_id, {"expand": expand}).to_dict()
                if session["payment_status"] != "paid":
                    state = PaymentState.FAILED if session["status"] == "expired" else PaymentState.OPEN
                    return PaymentUpdate(
                        state=state, reference=session["client_reference_id"], gateway_id=order.gateway_id
                    )
                return _fact(session["payment_intent"], order.gateway_id)
            intent = self.client.payment_intents.retrieve(order.gateway_id, {"expand": ["payment_method"]})
            return _fact(intent.to_dict(), order.gateway_id)

    def refund(self, refund: RefundRequest) -> str:
        import stripe  # noqa: PLC0415

        values = {
            "payment_intent": refund.payment_ref,
            "amount": refund.amount,
            "metadata": {"refund": refund.reference},
        }
        with ambiguous_on_error():
            try:
                key = {"idempotency_key": f"refund-{refund.reference}"}
                return str(self.client.refunds.create(values, key).id)
            except stripe.InvalidRequestError as error:
                if error.code != "charge_already_refunded":
                    raise AmbiguousOutcome(str(error.code)) from error
                raise GatewayRefused(error.code) from error

    def find_refund(self, refund: RefundRequest) -> str:
        with ambiguous_on_error():
            rows = self.client.refunds.list({"payment_intent": refund.payment_ref, "limit": 100}).to_dict()["data"]
            ours = [row["id"] for row in rows if (row.get("metadata") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def set_up(self, order: Order) -> CheckoutSession:
        values: JsonObject = {
            "mode": "setup",
            "client_reference_id": order.reference,
            "success_url": order.back_url,
            "cancel_url": order.back_url,
            "currency": order.currency.lower(),
            "customer_creation": "always",
            "setup_intent_data": {"metadata": {"setup": order.reference}},
        }
        if order.email:
            values["customer_email"] = order.email
        with ambiguous_on_error():
            session = self.client.checkout.sessions.create(values, {"idempotency_key": f"setup-{order.reference}"})
            return CheckoutSession(gateway_id=str(session.id), url=str(session.url))

    def find_set_up(self, order: Order) -> PaymentUpdate:
        with ambiguous_on_error():
            expand = ["setup_intent.payment_method"]
            session = self.client.checkout.sessions.retrieve(order.gateway_id, {"expand": expand}).to_dict()
            reference = session["client_reference_id"]
            id = order.gateway_id
            intent = session["setup_intent"] if session["status"] == "complete" else None
            if intent is None or intent["status"] != "succeeded":
                state = PaymentState.FAILED if session["status"] == "expired" else PaymentState.OPEN
                return PaymentUpdate(state=state, reference=reference, gateway_id=id)
            method = _saved_method(intent["payment_method"], session["customer"])
            return PaymentUpdate(state=PaymentState.PAID, reference=reference, gateway_id=id, method=method)

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        created = {"gte": int(since.timestamp()), "lt": int(until.timestamp())}
        for row in self._list_rows("payment_intents", created):
            with ambiguous_on_error():
                reference = str((row.get("metadata") or {}).get("order", ""))
                line = SettlementEntry(
                    kind="payment",
                    id=row["id"],
                    reference=reference,
                    amount=int(row["amount_received"]),
                    currency=row["currency"].upper(),
                )
            # Intents without received money are unpaid pages.
            if line.amount:
                yield line
        for row in self._list_rows("refunds", created):
            with ambiguous_on_error():
                reference = str((row.get("metadata") or {}).get("refund", ""))
                line = SettlementEntry(
                    kind="refund",
                    id=row["id"],
                    reference=reference,
                    amount=int(row["amount"]),
                    currency=row["currency"].upper(),
                )
            if row.get("status") not in ("failed", "canceled"):
                yield line
        for row in self._list_rows("disputes", created):
            with ambiguous_on_error():
                money = str(row["payment_intent"])
                yield SettlementEntry(
                    kind="dispute", id=money, reference="", amount=int(row["amount"]), currency=row["currency"].upper()
                )

    def _list_rows(self, what: str, created: Mapping[str, int]) -> Iterator[Values]:
        after: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            with ambiguous_on_error():
                params = {"created": created, "limit": 100, **after}
                page = getattr(self.client, what).list(params).to_dict()
                rows = list(page["data"])
                more = bool(page["has_more"])
                after = {"starting_after": rows[-1]["id"]} if rows else {}
            yield from rows
            if not more:
                return
        raise AmbiguousOutcome("its list does not end")

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        with ambiguous_on_error():
            rows = self.client.disputes.list({"payment_intent": payment_ref, "limit": 100}).to_dict()["data"]
            # Warnings are inquiries of the bank: no money has been taken, and
            # most of them end without a dispute.
            return [_gateway_dispute(row) for row in rows if not row["status"].startswith("warning")]

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        import stripe  # noqa: PLC0415

        try:
            signature = headers.get("Stripe-Signature", "")
            secret = self.credentials.webhook_secret
            event = stripe.Webhook.construct_event(body, signature, secret, TOLERANCE).to_dict()
            stamp = next(part for part in signature.split(",") if part.startswith("t="))
            if int(stamp.removeprefix("t=")) > time() + TOLERANCE:  # the library looks only for what is too old
                raise WrongSignature("it is of the future")
            about = event["data"]["object"]
            metadata = about.get("metadata") or {}
            intent = about.get("payment_intent")
            names = (about.get("client_reference_id"), metadata.get("order"), about.get("id"), intent)
            disputed = str(event.get("type")).startswith("charge.dispute.")
            return WebhookHint(
                event_id=str(event["id"]), names=tuple(str(name) for name in names if name), disputed=disputed
            )
        except (ValueError, KeyError, TypeError, AttributeError, stripe.SignatureVerificationError) as error:
            raise WrongSignature(type(error).__name__) from error

    def check(self) -> None:
        with ambiguous_on_error():
            self.client.balance.retrieve()


def _fact(intent: Values, gateway_id: str) -> PaymentUpdate:
    state = STATES.get(intent["status"], PaymentState.OPEN)
    method = intent.get("payment_method")
    saved = None
    customer = intent.get("customer")
    if state is PaymentState.PAID and isinstance(method, dict) and customer:
        saved = _saved_method(method, customer)
    return PaymentUpdate(
        state=state,
        amount=int(intent["amount_received"]),
        currency=str(intent["currency"]).upper(),
        reference=str((intent.get("metadata") or {}).get("order", "")),
        gateway_id=gateway_id,
        payment_ref=str(intent["id"]),
        method=saved,
    )


def _saved_method(method: Values, customer: Any) -> SavedMethod:
    card = method.get("card") or {}
    brand = str(card.get("brand") or "card").title()
    last4 = str(card.get("last4") or "")
    expires = last_day(card.get("exp_year"), card.get("exp_month"))
    return SavedMethod(
        token=method["id"],
        customer=str(customer),
        label=f"{brand} {last4}".strip(),
        brand=brand,
        last4=last4,
        expires=expires,
    )


def _gateway_dispute(dispute: Values) -> GatewayDispute:
    deadline = (dispute.get("evidence_details") or {}).get("due_by")
    until = datetime.fromtimestamp(deadline, UTC) if deadline else None
    status = {"won": "won", "lost": "lost"}.get(dispute["status"], "open")
    return GatewayDispute(
        id=dispute["id"],
        amount=int(dispute["amount"]),
        currency=dispute["currency"].upper(),
        status=status,
        reason=str(dispute.get("reason") or ""),
        due_at=until,
    )


def _decline(error: Any) -> str:
    body = error.json_body if isinstance(error.json_body, dict) else {}
    return str((body.get("error") or {}).get("decline_code") or error.code)
