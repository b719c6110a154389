"""PayPal, by HTTP: Orders v2. Its library is not used: it fails in its own errors, and its licence is PayPal's own."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode, urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from django.utils import timezone

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
)
from billing.ledger.money import to_amount, to_minor
from core.outbound_http import HttpFailed, send_request
from core.types import JsonObject, Values

REFUSALS = frozenset(
    {
        "INSTRUMENT_DECLINED",
        "PAYER_ACTION_REQUIRED",
        "ORDER_NOT_APPROVED",
        "ORDER_ALREADY_CAPTURED",
        "TRANSACTION_REFUSED",
        "PAYEE_BLOCKED_TRANSACTION",
        "REFUND_AMOUNT_EXCEEDED",
        "CAPTURE_FULLY_REFUNDED",
        "DUPLICATE_INVOICE_ID",
    }
)
GONE = frozenset({"RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID"})
CERTIFICATE_HOSTS = frozenset({"api.paypal.com", "api-m.paypal.com", "api.sandbox.paypal.com"})
OLDEST = timedelta(days=3)
"""A webhook is sent again for so long."""
STATES = {"COMPLETED": PaymentState.OPEN, "APPROVED": PaymentState.AUTHORIZED, "VOIDED": PaymentState.FAILED}


class PayPal(Gateway):
    name = "paypal"
    title = "PayPal"
    live_url = "https://api-m.paypal.com"
    sets_up = True
    needs = ("key_id", "secret_key")
    currencies = "AUD BRL CAD CHF CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD"
    """Not HUF and TWD, which it counts without decimals."""

    _token = ""

    def begin(self, order: Order) -> CheckoutSession:
        # PAY_NOW shows the final amount on PayPal's page. Otherwise the buyer expects another step of ours.
        context = {"return_url": order.back_url, "cancel_url": order.back_url, "user_action": "PAY_NOW"}
        source: JsonObject = {"experience_context": context}
        if order.save_method:
            source["attributes"] = {"vault": {"store_in_vault": "ON_SUCCESS", "usage_type": "MERCHANT"}}
        body = {**_order(order), "payment_source": {"paypal": source}}
        with ambiguous_on_error():
            created = self._call("POST", "/v2/checkout/orders", f"begin-{order.reference}", body)
            links = {link["rel"]: link["href"] for link in created["links"]}
            return CheckoutSession(gateway_id=created["id"], url=links.get("payer-action") or links["approve"])

    def open(self, order: Order) -> str:
        with ambiguous_on_error():
            return str(self._call("POST", "/v2/checkout/orders", f"open-{order.reference}", _order(order))["id"])

    def move(self, order: Order) -> PaymentUpdate:
        body = {"payment_source": {"paypal": {"vault_id": order.token}}} if order.token else {}
        with ambiguous_on_error():
            try:
                path = f"/v2/checkout/orders/{order.gateway_id}/capture"
                return _fact(self._call("POST", path, f"move-{order.reference}", body), order)
            except GatewayRefused as error:
                # The buyer has to approve the charge at PayPal, which is impossible while a worker charges.
                if error.code == "PAYER_ACTION_REQUIRED":
                    return PaymentUpdate(
                        state=PaymentState.ACTION, reference=order.reference, gateway_id=order.gateway_id
                    )
                if error.code != "ORDER_ALREADY_CAPTURED":
                    raise
        return self.find(order)

    def find(self, order: Order) -> PaymentUpdate:
        if not order.gateway_id:
            return PaymentUpdate(state=PaymentState.NONE, reference=order.reference)
        with ambiguous_on_error():
            try:
                return _fact(self._call("GET", f"/v2/checkout/orders/{order.gateway_id}"), order)
            except GatewayRefused as error:
                # Orders that are never approved are deleted after a while. An unknown one has moved no money.
                if error.code not in GONE:
                    raise
                return PaymentUpdate(state=PaymentState.NONE, reference=order.reference, gateway_id=order.gateway_id)

    def refund(self, refund: RefundRequest) -> str:
        value = {"value": str(to_amount(refund.amount, refund.currency)), "currency_code": refund.currency}
        body = {"amount": value, "invoice_id": refund.reference, "custom_id": refund.reference}
        with ambiguous_on_error():
            path = f"/v2/payments/captures/{refund.payment_ref}/refund"
            return str(self._call("POST", path, f"refund-{refund.reference}", body)["id"])

    def find_refund(self, refund: RefundRequest) -> str:
        """Return nothing: it has no list of refunds, but the key of one holds for 45 days."""
        return ""

    def set_up(self, order: Order) -> CheckoutSession:
        context = {"return_url": order.back_url, "cancel_url": order.back_url}
        body = {"payment_source": {"paypal": {"usage_type": "MERCHANT", "experience_context": context}}}
        with ambiguous_on_error():
            token = self._call("POST", "/v3/vault/setup-tokens", f"setup-{order.reference}", body)
            links = {link["rel"]: link["href"] for link in token["links"]}
            return CheckoutSession(gateway_id=token["id"], url=links["approve"])

    def find_set_up(self, order: Order) -> PaymentUpdate:
        """Query the set-up token; an approved one becomes a method, once for each set-up."""
        with ambiguous_on_error():
            try:
                set_up_token = self._call("GET", f"/v3/vault/setup-tokens/{order.gateway_id}")
            except GatewayRefused as error:
                if error.code not in GONE:
                    raise
                return _set_up(PaymentState.FAILED, order)
            if set_up_token["status"] not in ("APPROVED", "VAULTED"):
                return _set_up(PaymentState.OPEN, order)
            body = {"payment_source": {"token": {"id": order.gateway_id, "type": "SETUP_TOKEN"}}}
            payment_token = self._call("POST", "/v3/vault/payment-tokens", f"vault-{order.reference}", body)
            customer = str((payment_token.get("customer") or {}).get("id", ""))
            return _set_up(
                PaymentState.PAID, order, SavedMethod(token=str(payment_token["id"]), customer=customer, label="PayPal")
            )

    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        """Yield its report of transactions, which is some hours late: missing ones are queried one by one."""
        params = {"start_date": since.isoformat(), "end_date": until.isoformat(), "fields": "transaction_info"}
        for page in range(1, MAX_PAGES):
            with ambiguous_on_error():
                query = urlencode({**params, "page_size": 500, "page": page})
                report = self._call("GET", f"/v1/reporting/transactions?{query}")
                rows = [entry["transaction_info"] for entry in report["transaction_details"]]
                last = report["total_pages"]
                lines = [_settlement_entry(entry) for entry in rows if entry["transaction_status"] == "S"]
            yield from (line for line in lines if line)
            if page >= last:
                break
        else:
            raise AmbiguousOutcome("its list does not end")
        for entry in self._disputes({"start_time": since.isoformat()}):
            with ambiguous_on_error():
                amount, currency = _money(entry["dispute_amount"])
                for money in entry["disputed_transactions"]:
                    yield SettlementEntry(
                        kind="dispute",
                        id=str(money["seller_transaction_id"]),
                        reference="",
                        amount=amount,
                        currency=currency,
                    )

    def _disputes(self, params: Mapping[str, str]) -> list[JsonObject]:
        """Return the disputes of one page, which has the newest 50."""
        with ambiguous_on_error():
            # The list has only ids and amounts. The outcome is in the dispute itself.
            page = self._call("GET", f"/v1/customer/disputes?{urlencode({**params, 'page_size': 50})}")
            ids = [str(entry["dispute_id"]) for entry in page["items"]]
            return [self._call("GET", f"/v1/customer/disputes/{id}") for id in ids]

    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        with ambiguous_on_error():
            return [_gateway_dispute(dispute) for dispute in self._disputes({"disputed_transaction_id": payment_ref})]

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        try:
            sent_at = datetime.fromisoformat(headers["Paypal-Transmission-Time"])
            checksum = zlib.crc32(body)
            parts = (headers["Paypal-Transmission-Id"], headers["Paypal-Transmission-Time"])
            # PayPal signs its ids, the time, the webhook's id and the CRC-32 of the body, joined by bars.
            signed = "|".join((*parts, self.credentials.webhook_secret, str(checksum))).encode()
            key = self._key(headers["Paypal-Cert-Url"])
            key.verify(base64.b64decode(headers["Paypal-Transmission-Sig"]), signed, PKCS1v15(), SHA256())
            # PayPal repeats a hook for up to three days, so a shorter limit would refuse the last tries.
            if not -OLDEST < timezone.now() - sent_at < OLDEST:
                raise WrongSignature("it is too old")
            event = json.loads(body)
            about = event["resource"]
            units = about.get("purchase_units") or [{}]
            related = (about.get("supplementary_data") or {}).get("related_ids") or {}
            names = [about.get("custom_id"), units[0].get("custom_id"), related.get("order_id"), about.get("id")]
            names += [entry.get("seller_transaction_id") for entry in about.get("disputed_transactions") or ()]
            disputed = str(event.get("event_type")).startswith("CUSTOMER.DISPUTE.")
            return WebhookHint(
                event_id=str(event["id"]), names=tuple(str(name) for name in names if name), disputed=disputed
            )
        except (InvalidSignature, ValueError, KeyError, TypeError, AttributeError, HttpFailed) as error:
            raise WrongSignature(type(error).__name__) from error

    def check(self) -> None:
        with ambiguous_on_error():
            self._access()

    def _key(self, url: str) -> RSAPublicKey:
        place = urlsplit(url)
        own = urlsplit(self.credentials.base_url)
        # The header names the certificate. Without this check, anybody could sign with a key of their own.
        if not (place.scheme == "https" and place.netloc in CERTIFICATE_HOSTS) and (
            not own.netloc or (place.scheme, place.netloc) != (own.scheme, own.netloc)
        ):
            raise WrongSignature("its certificate is not PayPal's")
        key = x509.load_pem_x509_certificate(_certificate(url)).public_key()
        if not isinstance(key, RSAPublicKey):
            raise WrongSignature("its certificate has another kind of key")
        return key

    def _access(self) -> str:
        if not self._token:
            auth = (self.credentials.key_id, self.credentials.secret_key)
            form = {"grant_type": "client_credentials"}
            status, answer = body_of(self.session, "POST", f"{self.base_url}/v1/oauth2/token", data=form, auth=auth)
            if status != 200:
                raise AmbiguousOutcome(f"it answers {status} to the log-in")
            self._token = str(answer["access_token"])
        return self._token

    def _call(self, method: str, path: str, key: str = "", body: Any = None) -> JsonObject:
        headers = {"Authorization": f"Bearer {self._access()}", "Prefer": "return=representation"}
        # PayPal answers a repeated request id with the first response, and does nothing again.
        if key:
            headers["PayPal-Request-Id"] = key
        status, answer = body_of(self.session, method, f"{self.base_url}{path}", headers=headers, json=body)
        if status < 300:
            return answer
        issues = {str(detail.get("issue")) for detail in answer.get("details") or ()} | {str(answer.get("name"))}
        reasons = issues & (REFUSALS | GONE)
        if reasons:
            # Several issues may be listed. The choice among them is stable, so that
            # a test and a log can rely on it.
            raise GatewayRefused(min(reasons))
        raise AmbiguousOutcome(f"it answers {status}: {', '.join(sorted(issues))}"[:200])


def _order(order: Order) -> JsonObject:
    amount = {"currency_code": order.currency, "value": str(to_amount(order.amount, order.currency))}
    unit = {
        "custom_id": order.reference,
        "invoice_id": order.reference,
        "description": order.title[:127],
        "amount": amount,
    }
    return {"intent": "CAPTURE", "purchase_units": [unit]}


def _fact(answer: Values, order: Order) -> PaymentUpdate:
    unit = answer["purchase_units"][0]
    captures = (unit.get("payments") or {}).get("captures") or []
    done = next((capture for capture in captures if capture["status"] == "COMPLETED"), None)
    if done is None:
        # A pending capture is neither: PayPal holds it for review, so the order stays open and is polled.
        declined = any(capture["status"] in ("DECLINED", "FAILED") for capture in captures)
        state = PaymentState.FAILED if declined else STATES.get(answer["status"], PaymentState.OPEN)
        return PaymentUpdate(state=state, reference=str(unit.get("custom_id", "")), gateway_id=order.gateway_id)
    currency = done["amount"]["currency_code"]
    payer = (answer.get("payment_source") or {}).get("paypal") or {}
    vault = (payer.get("attributes") or {}).get("vault") or {}
    customer = str((vault.get("customer") or {}).get("id", ""))
    saved = SavedMethod(token=vault["id"], customer=customer, label="PayPal") if vault.get("id") else None
    amount = to_minor(Decimal(done["amount"]["value"]), currency)
    reference = str(unit.get("custom_id", ""))
    return PaymentUpdate(
        state=PaymentState.PAID,
        amount=amount,
        currency=currency,
        reference=reference,
        gateway_id=order.gateway_id,
        payment_ref=done["id"],
        method=saved,
    )


def _set_up(state: PaymentState, order: Order, method: SavedMethod | None = None) -> PaymentUpdate:
    return PaymentUpdate(state=state, reference=order.reference, gateway_id=order.gateway_id, method=method)


def _money(money: Values) -> tuple[int, str]:
    currency = str(money["currency_code"])
    return abs(to_minor(Decimal(money["value"]), currency)), currency


def _settlement_entry(row: Values) -> SettlementEntry | None:
    """Return a line of the report. Payments are T00.., refunds T11..; fees and transfers return None."""
    kind = {"T00": "payment", "T11": "refund"}.get(str(row["transaction_event_code"])[:3])
    if kind is None:
        return None
    amount, currency = _money(row["transaction_amount"])
    return SettlementEntry(
        kind=kind,
        id=str(row["transaction_id"]),
        reference=str(row.get("custom_field") or ""),
        amount=amount,
        currency=currency,
    )


def _gateway_dispute(dispute: Values) -> GatewayDispute:
    outcome = str((dispute.get("dispute_outcome") or {}).get("outcome_code") or "")
    status = "open"
    if dispute["status"] == "RESOLVED":
        status = "won" if outcome in ("RESOLVED_SELLER_FAVOUR", "CANCELED_BY_BUYER", "DENIED") else "lost"
    deadline = dispute.get("seller_response_due_date")
    until = datetime.fromisoformat(deadline) if deadline else None
    amount, currency = _money(dispute["dispute_amount"])
    return GatewayDispute(
        id=str(dispute["dispute_id"]),
        amount=amount,
        currency=currency,
        status=status,
        reason=str(dispute.get("reason") or ""),
        due_at=until,
    )


@lru_cache(maxsize=8)
def _certificate(url: str) -> bytes:
    answer = send_request("GET", url, seconds=10, most_bytes=64 * 1024)
    if answer.status != 200:
        raise WrongSignature("its certificate is not there")
    return answer.body
