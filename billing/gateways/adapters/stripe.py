"""Stripe, by its library: Checkout for the first payment, PaymentIntents for later ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import stripe

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

STATES = {
    "succeeded": Said.PAID,
    "requires_action": Said.ACTION,
    "requires_capture": Said.AUTHORIZED,
    "canceled": Said.FAILED,
}
DECLINES = frozenset(
    {"card_declined", "expired_card", "incorrect_cvc", "processing_error", "insufficient_funds", "incorrect_number"}
)
TOLERANCE = 300
"""Seconds that a webhook may be old."""


class Stripe(Gateway):
    name = "stripe"
    title = "Card (Stripe)"
    live_url = "https://api.stripe.com"
    currencies = (
        "AED AUD BGN BRL CAD CHF CLP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN"
        " RON SEK SGD THB TRY USD VND ZAR"
    )
    """Not ISK, UGX and those with three decimals, which it counts by rules of its own."""

    @property
    def client(self) -> Any:
        transport = stripe.RequestsClient(session=self.session)  # type: ignore[arg-type]
        return stripe.StripeClient(
            self.credentials.secret_key,
            base_addresses={"api": self.base_url},
            max_network_retries=0,
            http_client=transport,
        ).v1

    def begin(self, order: Order) -> Begun:
        intent: dict[str, Any] = {"metadata": {"order": order.reference}}
        values: dict[str, Any] = {
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
            intent["setup_future_usage"] = "off_session"
            values["customer_creation"] = "always"
        with asking():
            found = self.client.checkout.sessions.create(values, {"idempotency_key": f"begin-{order.reference}"})
            return Begun(str(found.id), str(found.url))

    def open(self, order: Order) -> str:
        values = {
            "amount": order.amount,
            "currency": order.currency.lower(),
            "payment_method": order.token,
            "customer": order.customer,
            "metadata": {"order": order.reference},
        }
        with asking():
            key = {"idempotency_key": f"open-{order.reference}"}
            return str(self.client.payment_intents.create(values, key).id)

    def move(self, order: Order) -> Fact:
        with asking():
            try:
                self.client.payment_intents.confirm(
                    order.gateway_id, {"off_session": True}, {"idempotency_key": f"move-{order.reference}"}
                )
            except stripe.CardError as error:
                if error.code == "authentication_required":
                    return Fact(Said.ACTION, reference=order.reference, gateway_id=order.gateway_id)
                if error.code not in DECLINES:
                    raise Unsure(str(error.code)) from error
                raise Refused(_decline(error)) from error
            except stripe.InvalidRequestError as error:
                if error.code != "payment_intent_unexpected_state":
                    raise Unsure(str(error.code)) from error
        return self.find(order)

    def find(self, order: Order) -> Fact:
        if not order.gateway_id:
            return Fact(Said.NONE, reference=order.reference)
        with asking():
            if order.gateway_id.startswith("cs_"):
                expand = ["payment_intent.payment_method"]
                session = self.client.checkout.sessions.retrieve(order.gateway_id, {"expand": expand}).to_dict()
                if session["payment_status"] != "paid":
                    said = Said.FAILED if session["status"] == "expired" else Said.OPEN
                    return Fact(said, reference=session["client_reference_id"], gateway_id=order.gateway_id)
                return _fact(session["payment_intent"], order.gateway_id)
            intent = self.client.payment_intents.retrieve(order.gateway_id, {"expand": ["payment_method"]})
            return _fact(intent.to_dict(), order.gateway_id)

    def refund(self, refund: Refunding) -> str:
        values = {
            "payment_intent": refund.payment_ref,
            "amount": refund.amount,
            "metadata": {"refund": refund.reference},
        }
        with asking():
            try:
                key = {"idempotency_key": f"refund-{refund.reference}"}
                return str(self.client.refunds.create(values, key).id)
            except stripe.InvalidRequestError as error:
                if error.code != "charge_already_refunded":
                    raise Unsure(str(error.code)) from error
                raise Refused(error.code) from error

    def find_refund(self, refund: Refunding) -> str:
        with asking():
            found = self.client.refunds.list({"payment_intent": refund.payment_ref, "limit": 100}).to_dict()["data"]
            ours = [one["id"] for one in found if (one.get("metadata") or {}).get("refund") == refund.reference]
            return str(ours[0]) if ours else ""

    def verify(self, headers: Mapping[str, str], body: bytes) -> Hint:
        try:
            event = stripe.Webhook.construct_event(
                body, headers.get("Stripe-Signature", ""), self.credentials.webhook_secret, TOLERANCE
            ).to_dict()
            about = event["data"]["object"]
            metadata = about.get("metadata") or {}
            names = (about.get("client_reference_id"), metadata.get("order"), about.get("id"))
            return Hint(str(event["id"]), tuple(str(name) for name in names if name))
        except (ValueError, KeyError, TypeError, AttributeError, stripe.SignatureVerificationError) as error:
            raise WrongSignature(type(error).__name__) from error

    def check(self) -> None:
        with asking():
            self.client.balance.retrieve()


def _fact(intent: Mapping[str, Any], gateway_id: str) -> Fact:
    said = STATES.get(intent["status"], Said.OPEN)
    method, saved = intent.get("payment_method"), None
    customer = intent.get("customer")
    if said is Said.PAID and isinstance(method, dict) and customer:
        card = method.get("card") or {}
        label = f"{card.get('brand', 'card').title()} {card.get('last4', '')}".strip()
        saved = Saved(method["id"], str(customer), label)
    return Fact(
        said,
        int(intent["amount_received"]),
        str(intent["currency"]).upper(),
        str((intent.get("metadata") or {}).get("order", "")),
        gateway_id,
        str(intent["id"]),
        method=saved,
    )


def _decline(error: Any) -> str:
    body = error.json_body if isinstance(error.json_body, dict) else {}
    return str((body.get("error") or {}).get("decline_code") or error.code)
