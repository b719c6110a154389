"""A receiver of webhooks on loopback, and webhooks that tell it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson
from django.db import transaction
from django.utils import timezone

from core.events import deliver, emit
from crm.models import WebhookDelivery
from crm.webhooks import sending
from tests.kit.cast import Cast


@dataclass(frozen=True)
class Call:
    """What a receiver got."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = orjson.loads(self.raw)
        return found


@dataclass
class Receiver:
    """A server that keeps what it gets and answers by a script of (status, headers, body); the last one repeats."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    script: list[Any] = field(default_factory=lambda: [200])
    hangs: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def answers(self, *script: Any) -> None:
        self.script = list(script)

    def next(self, call: Call) -> tuple[int, dict[str, str], bytes]:
        self.calls.append(call)
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        step = step(call) if callable(step) else step
        return (step, {}, b"") if isinstance(step, int) else step


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, own, body = receiver.next(Call(self.path, headers, raw))
            try:
                if status == 0:  # it takes the request and says nothing
                    receiver.hangs.wait(30)
                    return
                self.send_response(status)
                for name, value in own.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                while own.get("X-Stream"):
                    self.wfile.write(b"x" * 4096)
                    time.sleep(0.01)
            except OSError:
                return

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Run a receiver."""
    found = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    server.daemon_threads = True
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.hangs.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def silent_port() -> int:
    """Return a port where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def add(cast: Cast, url: str, **values: Any) -> dict[str, Any]:
    """Create a webhook by the API, by default for all kinds of events."""
    answer = cast.key.post("/webhook", {"url": url, "kinds": ["*"], **values})
    assert answer.status == 201, answer.body
    found: dict[str, Any] = answer.data
    return found


def happen(cast: Cast, kind: str, id: str, **payload: Any) -> None:
    """Emit an event in a transaction of its own."""
    with cast.scope(), transaction.atomic():
        emit(kind, [id], payloads={id: payload})


def work(*, until: Callable[[], float] = lambda: float("inf")) -> None:
    """Hand the events to the webhooks, and send what is due."""
    deliver()
    sending.drain(until())


def let_pass(cast: Cast) -> None:
    """Let the time of all waits pass."""
    from crm.models import Webhook

    with cast.scope():
        WebhookDelivery.objects.update(due_at=timezone.now())
        Webhook.objects.exclude(retry_at=None).update(retry_at=timezone.now())


def rows(cast: Cast, *fields: str) -> list[Any]:
    """Return the deliveries' values in the order of their events."""
    with cast.scope():
        return list(WebhookDelivery.objects.order_by("sequence").values_list(*fields))
