"""PayPal's wire format: orders, captures, refunds, and the certificate of its webhooks."""

from __future__ import annotations

import base64
import datetime as dt
import json
import zlib
from functools import lru_cache

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from config.local.gateway_standin.state import Answer, Dialect
from core.types import JsonObject


def issue(name: str, status: int = 422) -> Answer:
    return status, {"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": name}], "message": "no", "debug_id": "d"}


class PayPal(Dialect):
    name = "paypal"
    prefixes = ("PO", "PST")

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        orders = self.state.orders
        match method, path:
            case "POST", ["v1", "oauth2", "token"]:
                return 200, {"access_token": "token", "token_type": "Bearer", "expires_in": 32400}
            case "POST", ["v2", "checkout", "orders"]:
                unit = data["purchase_units"][0]
                context = ((data.get("payment_source") or {}).get("paypal") or {}).get("experience_context") or {}
                amount = {"amount": unit["amount"]["value"], "currency": unit["amount"]["currency_code"]}
                back = context.get("return_url", "")
                created = self.state.new("PO", order=unit["custom_id"], **amount, status="CREATED", back=back)
                return 201, self._order(created)
            case "GET", ["v2", "checkout", "orders", id]:
                return (200, self._order(orders[id])) if id in orders else issue("RESOURCE_NOT_FOUND", 404)
            case "POST", ["v2", "checkout", "orders", id, "capture"]:
                return self._capture(orders[id], data)
            case "POST", ["v2", "payments", "captures", id, "refund"]:
                return self._refund(id, data)
            case "POST", ["v3", "vault", "setup-tokens"]:
                back = data["payment_source"]["paypal"]["experience_context"]["return_url"]
                values = {"amount": "0", "currency": "-", "status": "CREATED", "back": back}
                return 201, self._setup(self.state.new("PST", order="", **values))
            case "GET", ["v3", "vault", "setup-tokens", id]:
                return (200, self._setup(orders[id])) if id in orders else issue("RESOURCE_NOT_FOUND", 404)
            case "POST", ["v3", "vault", "payment-tokens"]:
                order = orders[data["payment_source"]["token"]["id"]]
                order["status"] = "VAULTED"
                return 201, {"id": f"vault_{order['id']}", "customer": {"id": "payer_1"}}
            case "GET", ["v1", "reporting", "transactions"]:
                return 200, self._report(query)
            case "GET", ["v1", "customer", "disputes"]:
                of = query.get("disputed_transaction_id")
                rows = [dispute for dispute in self.state.disputes if dispute["gateway"] == self.name]
                return 200, {
                    "items": [_dispute(dispute) for dispute in rows if of in (None, dispute["of"])],
                    "links": [],
                }
            case "GET", ["v1", "customer", "disputes", id]:
                return 200, next(_dispute(dispute) for dispute in self.state.disputes if dispute["id"] == id)
        return None

    def _setup(self, order: JsonObject) -> JsonObject:
        status = "PAYER_ACTION_REQUIRED" if order["status"] == "CREATED" else order["status"]
        return {"id": order["id"], "status": status, "links": [{"rel": "approve", "href": self.page(order)}]}

    def _report(self, query: dict[str, str]) -> JsonObject:
        state = self.state
        since, until = (dt.datetime.fromisoformat(query[name]).timestamp() for name in ("start_date", "end_date"))
        payments = [
            (row, "T0006", row["order"], "") for row in state.rows_between(state.effects, self.name, since, until)
        ]
        refunds = [
            (row, "T1107", row["ref"], "-") for row in state.rows_between(state.refunds, self.name, since, until)
        ]
        rows = [
            {
                "transaction_id": row["id"],
                "custom_field": ours,
                "transaction_event_code": code,
                "transaction_status": "S",
                "transaction_amount": {"value": f"{sign}{row['amount']}", "currency_code": row["currency"]},
            }
            for row, code, ours, sign in [*payments, *refunds]
        ]
        size, page = int(query["page_size"]), int(query["page"])
        details = [{"transaction_info": row} for row in rows[size * (page - 1) : size * page]]
        return {"transaction_details": details, "total_pages": max(1, -(-len(rows) // size))}

    def _capture(self, order: JsonObject, data: JsonObject) -> Answer:
        vault = ((data.get("payment_source") or {}).get("paypal") or {}).get("vault_id")
        if order["status"] == "COMPLETED":
            return issue("ORDER_ALREADY_CAPTURED")
        if vault == "declined":
            return issue("INSTRUMENT_DECLINED")
        if order["status"] != "APPROVED" and not vault:
            return issue("ORDER_NOT_APPROVED")
        order |= {"status": "COMPLETED", "capture": f"CAP{order['id']}"}
        self.state.record_money(self.name, order, order["capture"])
        return 201, self._order(order)

    def _refund(self, id: str, data: JsonObject) -> Answer:
        order = next(candidate for candidate in self.state.orders.values() if candidate.get("capture") == id)
        value = data["amount"]["value"]
        done = sum(float(row["amount"]) for row in self.state.refunds if row["of"] == id)
        if done + float(value) > float(order["amount"]):
            return issue("REFUND_AMOUNT_EXCEEDED")
        return 201, {"id": self.state.record_refund(id, value, ref=data["custom_id"])["id"], "status": "COMPLETED"}

    def pay(self, order: JsonObject) -> None:
        if order["status"] == "CREATED":
            order["status"] = "APPROVED"

    def _order(self, order: JsonObject) -> JsonObject:
        amount = {"value": order["amount"], "currency_code": order["currency"]}
        unit: JsonObject = {"custom_id": order["order"], "amount": amount}
        if "capture" in order:
            unit["payments"] = {"captures": [{"id": order["capture"], "status": "COMPLETED", "amount": amount}]}
        page = self.page(order)
        vault = {"attributes": {"vault": {"id": "vault_1", "customer": {"id": "payer_1"}}}}
        return {
            "id": order["id"],
            "status": order["status"],
            "purchase_units": [unit],
            "payment_source": {"paypal": vault if "capture" in order else {}},
            "links": [{"rel": "payer-action", "href": page, "method": "GET"}],
        }


def _dispute(row: JsonObject) -> JsonObject:
    outcome = {"won": "RESOLVED_SELLER_FAVOUR", "lost": "RESOLVED_BUYER_FAVOUR"}.get(row["status"])
    deadline = dt.datetime.fromtimestamp(row["at"] + 7 * 86400, dt.UTC).isoformat()
    return {
        "dispute_id": row["id"],
        "reason": "UNAUTHORISED",
        "status": "RESOLVED" if outcome else "WAITING_FOR_SELLER_RESPONSE",
        "dispute_amount": {"value": row["amount"], "currency_code": row["currency"]},
        "dispute_outcome": {"outcome_code": outcome} if outcome else None,
        "seller_response_due_date": deadline,
        "disputed_transactions": [{"seller_transaction_id": row["of"]}],
    }


@lru_cache(maxsize=1)
def _pair() -> tuple[rsa.RSAPrivateKey, bytes]:
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stand-in")])
    now = dt.datetime.now(dt.UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(now - dt.timedelta(days=1))
    signed = built.not_valid_after(now + dt.timedelta(days=3650)).sign(key, SHA256())
    return key, signed.public_bytes(serialization.Encoding.PEM)


def certificate() -> bytes:
    """Return the certificate of the key that webhooks are signed with."""
    return _pair()[1]


def hook(
    order: JsonObject, webhook_id: str, url: str, *, at: dt.datetime | None = None
) -> tuple[dict[str, str], bytes]:
    """Return a webhook's headers and body, signed as PayPal does. `url` is where the certificate is."""
    resource = {"id": order["id"], "purchase_units": [{"custom_id": order["order"]}]}
    body = json.dumps({"id": f"WH-{order['id']}", "event_type": "x", "resource": resource}).encode()
    sent_at = (at or dt.datetime.now(dt.UTC)).isoformat()
    signed = f"t1|{sent_at}|{webhook_id}|{zlib.crc32(body)}".encode()
    signature = base64.b64encode(_pair()[0].sign(signed, padding.PKCS1v15(), SHA256())).decode()
    return {
        "Paypal-Transmission-Id": "t1",
        "Paypal-Transmission-Time": sent_at,
        "Paypal-Cert-Url": url,
        "Paypal-Transmission-Sig": signature,
    }, body
