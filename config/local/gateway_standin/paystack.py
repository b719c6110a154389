"""Paystack's wire format: transactions and refunds."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import time
from typing import Any

from config.local.gateway_standin.state import Answer, Dialect
from core.types import JsonObject


def no(status: int, text: str) -> Answer:
    return status, {"status": False, "message": text}


def yes(data: Any) -> Answer:
    return 200, {"status": True, "message": "ok", "data": data}


class Paystack(Dialect):
    name = "paystack"
    prefixes = ("ps_",)

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        orders = self.state.orders
        match method, path:
            case "GET", ["balance"]:
                return yes([])
            case "POST", ["transaction", ("initialize" | "charge_authorization") as what]:
                return self._new(data, charges=what == "charge_authorization")
            case "GET", ["transaction", "verify", reference]:
                key = f"ps_{reference}"
                return (
                    yes(self._transaction(orders[key])) if key in orders else no(404, "Transaction reference not found")
                )
            case "POST", ["refund"]:
                of = data["transaction"]
                if self.state.given_back(of) + int(data["amount"]) > orders[f"ps_{of}"]["amount"]:
                    return no(400, "Transaction has been fully reversed")
                return yes(_refund(self.state.record_refund(of, data["amount"], ref=data["merchant_note"])))
            case "GET", [("transaction" | "refund" | "dispute") as what] if "from" in query or what == "dispute":
                return self._list_rows(what, query)
            case "GET", ["refund"]:
                return yes([_refund(row) for row in self.state.refunds if row["of"] == query["reference"]])
        return None

    def _list_rows(self, what: str, query: dict[str, str]) -> Answer:
        state = self.state
        times = (_moment(query.get("from"), 0), _moment(query.get("to"), time.time() + 1))
        if what == "transaction":
            rows = [
                self._transaction(state.orders[row["id"]])
                for row in state.rows_between(state.effects, self.name, *times)
            ]
        elif what == "refund":
            rows = [_refund(row) for row in state.rows_between(state.refunds, self.name, *times)]
        else:
            disputes = state.rows_between(state.disputes, self.name, *times)
            rows = [
                _dispute(row) for row in disputes if query.get("transaction", f"1{row['order']}") == f"1{row['order']}"
            ]
        size, page = int(query["perPage"]), int(query["page"])
        return yes(rows[size * (page - 1) : size * page])

    def _new(self, data: JsonObject, *, charges: bool) -> Answer:
        reference = data["reference"]
        key = f"ps_{data['reference']}"
        if key in self.state.orders:
            return no(400, "Duplicate Transaction Reference")
        if charges and data["authorization_code"] == "AUTH_declined":
            return no(400, "Declined")
        order = {"id": key, "order": reference, "amount": int(data["amount"]), "currency": data["currency"]}
        order |= {"status": "abandoned", "back": data.get("callback_url", "")}
        self.state.orders[key] = order
        if charges:
            self.pay(order)
            return yes(self._transaction(order))
        return yes({"authorization_url": self.page(order), "reference": reference, "access_code": "x"})

    def pay(self, order: JsonObject) -> None:
        if order["status"] == "abandoned":
            order["status"] = "success"
            self.state.record_money(self.name, order, order["id"])

    def _transaction(self, order: JsonObject) -> JsonObject:
        card = {"authorization_code": "AUTH_1", "reusable": True, "brand": "visa", "last4": "4081"}
        card |= {"exp_month": "12", "exp_year": "2099"}
        return {
            "id": f"1{order['order']}",
            "status": order["status"],
            "reference": order["order"],
            "amount": order["amount"],
            "currency": order["currency"],
            "gateway_response": "Successful" if order["status"] == "success" else "Not completed",
            "authorization": card,
        }


def _refund(row: JsonObject) -> JsonObject:
    more = {"amount": row["amount"], "currency": row["currency"], "status": "processed"}
    return {"id": row["id"], "merchant_note": row["ref"], **more}


def _dispute(row: JsonObject) -> JsonObject:
    decided = {"won": "declined", "lost": "merchant-accepted"}.get(row["status"])
    return {
        "id": row["id"],
        "refund_amount": row["amount"],
        "currency": row["currency"],
        "status": "resolved" if decided else "awaiting-merchant-feedback",
        "resolution": decided,
        "category": "fraud",
        "dueAt": dt.datetime.fromtimestamp(row["at"] + 7 * 86400, dt.UTC).isoformat(),
        "transaction": {"reference": row["order"]},
    }


def _moment(text: str | None, default: float) -> float:
    return dt.datetime.fromisoformat(text).timestamp() if text else default


def hook(order: JsonObject, secret: str) -> tuple[dict[str, str], bytes]:
    """Return a webhook's headers and body, signed as Paystack does."""
    body = json.dumps({"event": "charge.success", "data": {"reference": order["order"]}}).encode()
    return {"X-Paystack-Signature": hmac.new(secret.encode(), body, hashlib.sha512).hexdigest()}, body
