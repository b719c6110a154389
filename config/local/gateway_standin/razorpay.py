"""Razorpay's wire format: payment links, orders, payments, refunds."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

from config.local.gateway_standin.state import Answer, Dialect
from core.types import JsonObject


def error_answer(text: str) -> Answer:
    return 400, {"error": {"code": "BAD_REQUEST_ERROR", "description": text}}


def collection(items: list[Any], name: str = "items") -> Answer:
    return 200, {"entity": "collection", "count": len(items), name: items}


class Razorpay(Dialect):
    name = "razorpay"
    prefixes = ("plink_", "order_")

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        orders = self.state.orders
        match method, path[1:]:
            case "POST", ["payment_links"]:
                return self._new_link(data)
            case "GET", ["payment_links"]:
                return collection([self._link(entry) for entry in self._links(query["reference_id"])], "payment_links")
            case "GET", ["payment_links", id]:
                return (200, self._link(orders[id])) if id in orders else None
            case "POST", ["orders"]:
                values = {"order": data["receipt"], "amount": data["amount"], "currency": data["currency"]}
                return 200, self._order(self.state.new("order_", **values, kind="order", status="created"))
            case "GET", ["orders"]:
                ours = [entry for entry in orders.values() if entry.get("kind") == "order"]
                return collection([self._order(entry) for entry in ours if entry["order"] == query["receipt"]])
            case "GET", ["orders", id, "payments"]:
                return collection([entry for entry in [orders[id].get("payment")] if entry])
            case "POST", ["payments", "create", "recurring"]:
                return self._charge(orders[data["order_id"]], data)
            case "GET", [("payments" | "refunds" | "disputes") as what]:
                return self._list_rows(what, query)
            case _, ["payments", id, *rest]:
                return self._payment(method, id, rest, data)
        return None

    def _list_rows(self, what: str, query: dict[str, str]) -> Answer:
        state = self.state
        times = (float(query.get("from", 0)), float(query.get("to", time.time() + 1)))
        if what == "payments":
            ids = {row["id"] for row in state.rows_between(state.effects, self.name, *times)}
            rows = [row["payment"] for row in state.orders.values() if (row.get("payment") or {}).get("id") in ids]
        elif what == "refunds":
            rows = [_refund(row) for row in state.rows_between(state.refunds, self.name, *times)]
        else:
            rows = [_dispute(row) for row in state.rows_between(state.disputes, self.name, *times)]
        start = int(query.get("skip", 0))
        return collection(rows[start : start + int(query.get("count", 10))])

    def _links(self, reference: str) -> list[JsonObject]:
        return [
            order for order in self.state.orders.values() if order.get("kind") == "link" and order["order"] == reference
        ]

    def _new_link(self, data: JsonObject) -> Answer:
        if self._links(data["reference_id"]):
            return error_answer(f"payment link with given reference_id ({data['reference_id']}) already exists")
        values = {"order": data["reference_id"], "amount": data["amount"], "currency": data["currency"]}
        return 200, self._link(
            self.state.new("plink_", **values, kind="link", status="created", back=data["callback_url"])
        )

    def _charge(self, order: JsonObject, data: JsonObject) -> Answer:
        if order["status"] == "paid":
            return error_answer("Order is already paid")
        if data["token"] == "token_declined":  # noqa: S105  what a test sends
            return error_answer("Your payment has been declined by the bank")
        self._pay(order)
        return 200, {"razorpay_payment_id": order["payment"]["id"]}

    def _pay(self, order: JsonObject, status: str = "captured") -> None:
        order["payment"] = {
            "id": f"pay_{order['id']}",
            "entity": "payment",
            "amount": order["amount"],
            "currency": order["currency"],
            "status": status,
            "method": "card",
            "card": {"network": "Visa", "last4": "1111", "expiry_month": "12", "expiry_year": "2099"},
            "token_id": "token_1",
            "customer_id": "cust_1",
            "notes": {"order": order["order"]},
        }
        if status == "captured":
            order["status"] = "paid"
            self.state.record_money(self.name, order, order["payment"]["id"])

    def _payment(self, method: str, id: str, rest: list[str], data: JsonObject) -> Answer | None:
        order = next(
            (candidate for candidate in self.state.orders.values() if (candidate.get("payment") or {}).get("id") == id),
            None,
        )
        if order is None:
            return None
        payment = order["payment"]
        match method, rest:
            case "GET", []:
                return 200, payment
            case "POST", ["capture"]:
                if payment["status"] == "captured":
                    return error_answer("This payment has already been captured")
                self._pay(order)
                return 200, order["payment"]
            case "POST", ["refund"]:
                if self.state.given_back(id) + int(data["amount"]) > payment["amount"]:
                    return error_answer("The payment has been fully refunded already")
                return 200, _refund(self.state.record_refund(id, data["amount"], ref=data["notes"]["refund"]))
            case "GET", ["refunds"]:
                return collection([_refund(row) for row in self.state.refunds if row["of"] == id])
        return None

    def pay(self, order: JsonObject) -> None:
        if order["status"] == "created":
            self._pay(order, "authorized")
            order["status"] = "partially_paid"

    def _link(self, link: JsonObject) -> JsonObject:
        payment = link.get("payment")
        payments = payment and [{"payment_id": payment["id"], "amount": payment["amount"], "status": payment["status"]}]
        return {
            "id": link["id"],
            "reference_id": link["order"],
            "amount": link["amount"],
            "currency": link["currency"],
            "status": link["status"],
            "short_url": self.page(link),
            "payments": payments,
        }

    def _order(self, order: JsonObject) -> JsonObject:
        names = ("id", "amount", "currency", "status")
        return {**{name: order[name] for name in names}, "receipt": order["order"], "entity": "order"}


def _refund(row: JsonObject) -> JsonObject:
    more = {"notes": {"refund": row["ref"]}, "currency": row["currency"], "status": "processed"}
    return {"id": row["id"], "entity": "refund", "amount": int(row["amount"]), **more}


def _dispute(row: JsonObject) -> JsonObject:
    more = {"reason_code": "chargeback", "respond_by": int(row["at"]) + 7 * 86400, "currency": row["currency"]}
    return {"id": row["id"], "payment_id": row["of"], "amount": row["amount"], "status": row["status"], **more}


def hook(order: JsonObject, secret: str) -> tuple[dict[str, str], bytes]:
    """Return a webhook's headers and body, signed as Razorpay does."""
    entity = {"id": order["id"], "reference_id": order["order"], "notes": {"order": order["order"]}}
    body = json.dumps({"event": "payment_link.paid", "payload": {"payment_link": {"entity": entity}}}).encode()
    signed = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Razorpay-Signature": signed, "X-Razorpay-Event-Id": f"ev_{order['id']}"}, body
