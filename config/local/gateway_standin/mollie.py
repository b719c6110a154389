"""Mollie's wire format: customers, payments, refunds."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any
from urllib.parse import urlencode

from config.local.gateway_standin.state import Answer, Dialect
from core.types import JsonObject


def list_answer(name: str, items: list[Any]) -> Answer:
    return 200, {"count": len(items), "_embedded": {name: items}, "_links": {"next": None, "previous": None}}


class Mollie(Dialect):
    name = "mollie"
    prefixes = ("tr_",)

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        orders = self.state.orders
        match method, path[1:]:
            case "GET", ["methods"]:
                return list_answer("methods", [])
            case "POST", ["customers"]:
                return 201, _customer(self.state.new("cst_", kind="customer")["id"])
            case "GET", ["customers", id]:
                return 200, _customer(id)
            case "GET", ["customers", id, "payments"]:
                ours = [order for order in orders.values() if order.get("customer") == id]
                return list_answer("payments", [self._payment(order) for order in ours])
            case "POST", ["payments"]:
                return self._new(data)
            case "GET", [("payments" | "refunds" | "chargebacks") as what]:
                return self._list_rows(what, query)
            case "GET", ["payments", id, "chargebacks"]:
                return list_answer("chargebacks", [_chargeback(row) for row in self.state.disputes if row["of"] == id])
            case "GET", ["payments", id]:
                return (200, self._payment(orders[id])) if id in orders else None
            case "POST", ["payments", id, "refunds"]:
                return self._refund(id, data)
            case "GET", ["payments", id, "refunds"]:
                return list_answer("refunds", [_refund(row) for row in self.state.refunds if row["of"] == id])
        return None

    def _list_rows(self, what: str, query: dict[str, str]) -> Answer:
        """List from the newest on."""
        state = self.state
        if what == "payments":
            effects = state.rows_between(state.effects, self.name, 0, time.time() + 1)
            rows = [{**self._payment(state.orders[row["id"]]), "createdAt": _day(row["at"])} for row in effects]
        elif what == "refunds":
            rows = [_refund(row) for row in state.rows_between(state.refunds, self.name, 0, time.time() + 1)]
        else:
            rows = [_chargeback(row) for row in state.rows_between(state.disputes, self.name, 0, time.time() + 1)]
        rows.reverse()
        start = [row["id"] for row in rows].index(query["from"]) if "from" in query else 0
        size = int(query["limit"])
        status, page = list_answer(what, rows[start : start + size])
        if len(rows) > start + size:
            address = f"{self.url}/mollie/v2/{what}?from={rows[start + size]['id']}&limit={size}"
            page["_links"]["next"] = {"href": address, "type": "application/hal+json"}
        return status, page

    def _new(self, data: JsonObject) -> Answer:
        order = self.state.new(
            "tr_",
            order=data["metadata"]["order"],
            amount=data["amount"]["value"],
            currency=data["amount"]["currency"],
            status="open",
            customer=data.get("customerId", ""),
            back=data.get("redirectUrl", ""),
        )
        if data.get("sequenceType") == "recurring":
            if data.get("mandateId") == "mdt_declined":
                order["status"] = "failed"
            else:
                self.pay(order)
        return 201, self._payment(order)

    def _refund(self, id: str, data: JsonObject) -> Answer:
        value = data["amount"]["value"]
        done = sum(float(row["amount"]) for row in self.state.refunds if row["of"] == id)
        if done + float(value) > float(self.state.orders[id]["amount"]):
            text = "The specified amount is higher than the maximum"
            return 422, {"status": 422, "title": "Unprocessable Entity", "detail": text}
        return 201, _refund(self.state.record_refund(id, value, ref=data["metadata"]["refund"]))

    def pay(self, order: JsonObject) -> None:
        if order["status"] == "open":
            order["status"] = "paid"
            if float(order["amount"]):
                self.state.record_money(self.name, order, order["id"])

    def _payment(self, order: JsonObject) -> JsonObject:
        page = self.page(order)
        here = {"href": f"{self.url}/mollie/v2/payments/{order['id']}", "type": "application/hal+json"}
        payment = {
            "resource": "payment",
            "id": order["id"],
            "status": order["status"],
            "amount": {"value": order["amount"], "currency": order["currency"]},
            "metadata": {"order": order["order"]},
            "customerId": order["customer"] or None,
            "method": "creditcard",
            "details": {"cardLabel": "Mastercard", "cardNumber": "6787", "cardExpiryDate": "2099-12-31"},
            "_links": {"self": here, "checkout": {"href": page, "type": "text/html"}},
        }
        return payment | ({"mandateId": "mdt_1"} if order["status"] == "paid" and order["customer"] else {})


def _customer(id: str) -> JsonObject:
    return {"resource": "customer", "id": id, "_links": {}}


def _refund(row: JsonObject) -> JsonObject:
    amount = {"value": row["amount"], "currency": row["currency"]}
    more = {"status": "pending", "metadata": {"refund": row["ref"]}, "amount": amount, "createdAt": _day(row["at"])}
    return {"resource": "refund", "id": row["id"], **more}


def _chargeback(row: JsonObject) -> JsonObject:
    amount = {"value": row["amount"], "currency": row["currency"]}
    more = {"paymentId": row["of"], "amount": amount, "createdAt": _day(row["at"]), "reason": {"description": "fraud"}}
    return {"resource": "chargeback", "id": row["id"], "reversedAt": "x" if row["status"] == "won" else None, **more}


def _day(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat()


def hook(order: JsonObject) -> tuple[dict[str, str], bytes]:
    """Return a webhook's headers and body: a form with an id, unsigned."""
    return {"Content-Type": "application/x-www-form-urlencoded"}, urlencode({"id": order["id"]}).encode()
