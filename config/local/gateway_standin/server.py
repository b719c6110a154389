"""The server of the simulated gateways: the five dialects below /stripe, /paypal …, a page to pay on, and test
switches."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from config.local.gateway_standin import paypal
from config.local.gateway_standin.mollie import Mollie
from config.local.gateway_standin.paypal import PayPal
from config.local.gateway_standin.paystack import Paystack
from config.local.gateway_standin.razorpay import Razorpay
from config.local.gateway_standin.state import Dialect, State
from config.local.gateway_standin.stripe import Stripe
from core.text.currencies import exponent
from core.text.formats import money_text
from core.types import JsonObject, Values

DIALECTS: tuple[type[Dialect], ...] = (Stripe, PayPal, Razorpay, Mollie, Paystack)
KEYS = ("Idempotency-Key", "PayPal-Request-Id", "X-Refund-Idempotency")
MAX_BYTES = 1 << 20
SLOW = 1.5
"""Seconds that a slow answer takes."""
TROUBLE = {"error": {"type": "api_error", "message": "no", "code": "x"}, "message": "no", "title": "no", "detail": "no"}
BAD: dict[str, tuple[int, bytes, str]] = {
    "500 json": (500, json.dumps(TROUBLE).encode(), "application/json"),
    "500 html": (500, b"<html>", "text/html"),
    "502 empty": (502, b"", "text/html"),
    "200 garbage": (200, b"<html>", "text/html"),
    "200 list": (200, b"[]", "application/json"),
    "429": (429, json.dumps({**TROUBLE, "status": 429}).encode(), "application/json"),
    "403": (403, json.dumps({**TROUBLE, "status": 403}).encode(), "application/json"),
    "redirect": (302, b"", "text/html"),
    "slow": (200, b"{}", "application/json"),
    "reset": (0, b"", ""),
}
"""The ways in which every answer can be bad."""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pay</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>
<body><main><h1>Stand-in for {gateway}</h1>
<p>{sum}</p>
<form method="post"><button name="do" value="pay">Pay</button> <button name="do" value="leave">Cancel</button></form>
</main></body></html>"""


MINOR = ("stripe", "razorpay", "paystack")
"""Gateways that count in the smallest unit of a currency."""
TITLES = {"stripe": "Stripe", "paypal": "PayPal", "razorpay": "Razorpay", "mollie": "Mollie", "paystack": "Paystack"}


def sum_of(gateway: str, order: Values) -> str:
    """Return the text about the sum on the page of an order."""
    amount = Decimal(str(order["amount"] or 0))
    currency = str(order["currency"]).upper()
    if not amount:
        return "The method is kept for later payments. Nothing is paid now."
    value = amount.scaleb(-exponent(currency)) if gateway in MINOR else amount
    return f"{money_text(value, currency)}. No money moves here."


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in two packets would cost 40 ms a call
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def _handle(self, method: str) -> None:
        address = urlsplit(self.path)
        path = [part for part in address.path.split("/") if part]
        raw = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BYTES))
        if path[:1] == ["_pay"] and len(path) == 3:
            return self._pay(method, path[1], path[2], raw)
        if path[:4] == ["paypal", "v1", "notifications", "certs"]:
            return self._send(200, paypal.certificate(), "application/x-pem-file")
        if not path or path[0] not in self.server.dialects:
            return self._send(404, b"{}")
        state = self.server.state
        if state.bad:
            return self._be_bad(state.bad)
        fails = method == "POST" and "token" not in path
        if fails and state.strikes("lost_before"):
            return self._drop()
        if fails and state.strikes("error"):
            return self._send(*BAD["500 json"])
        status, body = self._answer(method, path, raw, address.query)
        if fails and state.strikes("lost_after"):
            return self._drop()
        return self._send(status, json.dumps(body).encode())

    def _answer(self, method: str, path: list[str], raw: bytes, query: str) -> tuple[int, JsonObject]:
        state = self.server.state
        gateway = path[0]
        key = next((self.headers[name] for name in KEYS if self.headers.get(name)), "")
        place = (gateway, "/".join(path), key)
        with state.lock:
            if key and method == "POST" and place in state.answered:
                return state.answered[place][1]
            params = {name: values[0] for name, values in parse_qs(query).items()}
            dialect = self.server.dialects[gateway]
            try:
                response = dialect.answer(method, path[1:], self._data(raw), params)
            except (KeyError, ValueError, TypeError, StopIteration):
                response = (400, {**TROUBLE, "status": 400})
            answer = response or (404, {**TROUBLE, "status": 404})
            if key and method == "POST":
                state.answered[place] = (raw, answer)
            return answer

    def _data(self, raw: bytes) -> JsonObject:
        if "json" in self.headers.get("Content-Type", "") and raw:
            body: JsonObject = json.loads(raw)
            return body
        return {name: values[0] for name, values in parse_qs(raw.decode(), keep_blank_values=True).items()}

    def _pay(self, method: str, gateway: str, id: str, raw: bytes) -> None:
        state = self.server.state
        with state.lock:
            order = state.orders.get(id)
            if order is None or gateway not in self.server.dialects:
                return self._send(404, b"there is no such payment", "text/plain")
            if method != "POST":
                page = PAGE.format(gateway=escape(TITLES.get(gateway, gateway)), sum=escape(sum_of(gateway, order)))
                return self._send(200, page.encode(), "text/html")
            if b"do=pay" in raw:
                self.server.dialects[gateway].pay(order)
        return self._send(303, b"", "text/plain", Location=order["back"])

    def _be_bad(self, kind: str) -> None:
        if kind == "reset":
            return self._drop()
        if kind == "slow":
            time.sleep(SLOW)
        status, body, media = BAD[kind]
        more = {"Location": "http://127.0.0.1:1/"} if kind == "redirect" else {}
        return self._send(status, body, media, **more)

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, body: bytes, media: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.state = State()
        self.dialects = {kind.name: kind(self.state, self.url) for kind in DIALECTS}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing: broken connections are part of the simulation."""

    def base(self, gateway: str) -> str:
        """Return the address that takes the place of the gateway's own."""
        return f"{self.url}/{gateway}"

    def pay(self, id: str) -> None:
        """Click on "Pay" on an order's page."""
        with self.state.lock:
            order = self.state.orders.get(id) or self.state.orders[f"ps_{id}"]
            gateway = next(dialect for dialect in self.dialects.values() if dialect.has(order))
            gateway.pay(order)


@contextmanager
def run_server(port: int = 0) -> Iterator[Server]:
    """Run the simulated gateways in this process for the time of the block."""
    with Server(port) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
