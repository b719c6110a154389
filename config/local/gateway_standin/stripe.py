"""Stripe's wire format: checkout sessions, payment intents, refunds."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

from config.local.gateway_standin.state import Answer, Dialect
from core.types import JsonObject

STATES = {"open": "requires_payment_method", "paid": "succeeded", "expired": "canceled", "declined": "canceled"}


CARD = {
    "id": "pm_card",
    "object": "payment_method",
    "card": {"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2099},
}


def list_answer(rows: list[Any], *, more: bool = False) -> Answer:
    return 200, {"object": "list", "data": rows, "has_more": more}


def error(status: int, kind: str, code: str, message: str) -> Answer:
    return status, {"error": {"type": kind, "code": code, "message": message}}


class Stripe(Dialect):
    name = "stripe"
    prefixes = ("cs_", "pi_")

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        orders = self.state.orders
        match method, path[1:]:
            case "GET", ["balance"]:
                return 200, {"object": "balance", "available": []}
            case "POST", ["checkout", "sessions"]:
                return 200, self._session(self._new_session(data))
            case "GET", ["checkout", "sessions", id]:
                return (200, self._session(orders[id])) if id in orders else None
            case "POST", ["payment_intents"]:
                return 200, self._intent(self._new_intent(data))
            case "GET", [("payment_intents" | "refunds" | "disputes") as what] if "created[gte]" in query:
                return self._list_rows(what, query)
            case "GET", ["disputes"]:
                rows = [row for row in self.state.disputes if row["of"] == query["payment_intent"]]
                return list_answer([_dispute(row) for row in rows])
            case "GET", ["payment_intents", id]:
                return (200, self._intent(orders[id])) if id in orders else None
            case "POST", ["payment_intents", id, "confirm"]:
                return self._confirm(orders[id])
            case "POST", ["refunds"]:
                return self._refund(data)
            case "GET", ["refunds"]:
                rows = [row for row in self.state.refunds if row["of"] == query["payment_intent"]]
                return list_answer([_refund(row) for row in rows])
        return None

    def _list_rows(self, what: str, query: dict[str, str]) -> Answer:
        state = self.state
        times = (float(query["created[gte]"]), float(query["created[lt]"]))
        if what == "payment_intents":
            rows = state.rows_between(state.effects, self.name, *times)
            entries = [self._intent(state.orders[row["id"]]) for row in rows]
        elif what == "refunds":
            entries = [_refund(row) for row in state.rows_between(state.refunds, self.name, *times)]
        else:
            entries = [_dispute(row) for row in state.rows_between(state.disputes, self.name, *times)]
        ids = [entry["id"] for entry in entries]
        size = int(query["limit"])
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        return list_answer(entries[start : start + size], more=len(entries) > start + size)

    def _new_session(self, data: JsonObject) -> JsonObject:
        if data["mode"] == "setup":
            back = {"back": data["success_url"], "currency": data["currency"]}
            return self.state.new("cs_", order=data["client_reference_id"], amount=0, status="open", setup=True, **back)
        values = {
            "order": data["client_reference_id"],
            "amount": int(data["line_items[0][price_data][unit_amount]"]),
            "currency": data["line_items[0][price_data][currency]"],
            "status": "open",
            "back": data["success_url"],
            "saves": "payment_intent_data[setup_future_usage]" in data,
        }
        session = self.state.new("cs_", **values)
        session["intent"] = self.state.new("pi_", **values)["id"]
        return session

    def _new_intent(self, data: JsonObject) -> JsonObject:
        return self.state.new(
            "pi_",
            order=data.get("metadata[order]"),
            amount=int(data["amount"]),
            currency=data["currency"],
            status="open",
            method=data.get("payment_method", ""),
            saves=True,
        )

    def _confirm(self, intent: JsonObject) -> Answer:
        if intent["status"] != "open":
            text = "This PaymentIntent's status does not allow it to be confirmed"
            return error(400, "invalid_request_error", "payment_intent_unexpected_state", text)
        if intent.get("method") == "pm_declined":
            return error(402, "card_error", "card_declined", "Your card was declined.")
        if intent.get("method") == "pm_authenticate":
            return error(402, "card_error", "authentication_required", "It needs the customer.")
        intent["status"] = "paid"
        self.state.record_money(self.name, intent, intent["id"])
        return 200, self._intent(intent)

    def _refund(self, data: JsonObject) -> Answer:
        of = data["payment_intent"]
        amount = int(data["amount"])
        if self.state.given_back(of) + amount > self.state.orders[of]["amount"]:
            return error(400, "invalid_request_error", "charge_already_refunded", "greater than what is left")
        return 200, _refund(self.state.record_refund(of, amount, ref=data.get("metadata[refund]")))

    def pay(self, order: JsonObject) -> None:
        if order.get("setup"):
            order["status"] = "paid"
            return
        intent = self.state.orders[order["intent"]]
        if order["status"] == "open":
            order["status"] = intent["status"] = "paid"
            self.state.record_money(self.name, intent, intent["id"])

    def _session(self, order: JsonObject) -> JsonObject:
        status = {"open": "open", "paid": "complete"}.get(order["status"], "expired")
        is_paid = order["status"] == "paid"
        saved = {"id": "seti_1", "object": "setup_intent", "status": "succeeded", "payment_method": CARD}
        return {
            "setup_intent": saved if is_paid and order.get("setup") else None,
            "customer": "cus_1",
            "id": order["id"],
            "object": "checkout.session",
            "url": self.page(order),
            "client_reference_id": order["order"],
            "amount_total": order["amount"],
            "currency": order["currency"],
            "status": status,
            "payment_status": "paid" if is_paid else "unpaid",
            "payment_intent": self._intent(self.state.orders[order["intent"]])
            if is_paid and "intent" in order
            else None,
        }

    def _intent(self, order: JsonObject) -> JsonObject:
        is_paid = order["status"] == "paid"
        return {
            "id": order["id"],
            "object": "payment_intent",
            "amount": order["amount"],
            "amount_received": order["amount"] if is_paid else 0,
            "currency": order["currency"],
            "status": STATES[order["status"]],
            "metadata": {"order": order["order"]},
            "customer": "cus_1" if order.get("saves") else None,
            "payment_method": CARD if is_paid else None,
        }


def _refund(row: JsonObject) -> JsonObject:
    more = {"metadata": {"refund": row["ref"]}, "currency": str(row["currency"]).lower(), "status": "succeeded"}
    return {"id": row["id"], "object": "refund", "amount": row["amount"], **more}


def _dispute(row: JsonObject) -> JsonObject:
    return {
        "id": row["id"],
        "object": "dispute",
        "payment_intent": row["of"],
        "amount": row["amount"],
        "currency": row["currency"],
        "status": {"open": "needs_response"}.get(row["status"], row["status"]),
        "reason": "fraudulent",
        "evidence_details": {"due_by": int(row["at"]) + 7 * 86400},
    }


def dispute_hook(row: JsonObject, secret: str) -> tuple[dict[str, str], bytes]:
    """Return the webhook of a dispute."""
    return _sign_event(
        {"id": f"evt_{row['id']}", "object": "event", "type": "charge.dispute.created"}, _dispute(row), secret
    )


def hook(order: JsonObject, secret: str, *, at: float | None = None) -> tuple[dict[str, str], bytes]:
    """Return a webhook's headers and body, signed as Stripe does."""
    about = {"id": order["id"], "object": "checkout.session", "client_reference_id": order["order"]}
    return _sign_event({"id": f"evt_{order['id']}", "object": "event", "type": "x"}, about, secret, at)


def _sign_event(
    event: JsonObject, about: JsonObject, secret: str, at: float | None = None
) -> tuple[dict[str, str], bytes]:
    body = json.dumps({**event, "data": {"object": about}}).encode()
    stamp = int(time.time() if at is None else at)
    signed = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Stripe-Signature": f"t={stamp},v1={signed}"}, body
