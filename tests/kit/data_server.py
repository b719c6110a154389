"""A stand-in for lead sources and enrichment apps on loopback: it knows some people, and goes wrong on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.kit.ai_server import Raw

KEY = "ds-canary-51c0ffee"
SOURCE_PATHS = {
    "name": "fullName",
    "email": "emails.0.address",
    "phone": "phone",
    "company": "employer.name",
    "title": "role",
    "url": "profile",
}


@dataclass(frozen=True)
class Asked:
    """A request: how, where, with which headers (in lower case), and what is asked."""

    method: str
    path: str
    headers: dict[str, str]
    values: dict[str, Any]


Answer = Raw | Callable[[Asked], Any] | Any
"""What is answered: a value as JSON, an answer as it is, or a function that returns one of both."""


@dataclass
class DataServer:
    """The server: what it is asked, and what it answers next; the last answer again and again."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    script: list[Answer] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def then(self, *script: Answer) -> DataServer:
        self.script = list(script)
        return self

    def next(self, asked: Asked) -> Raw:
        self.asked.append(asked)
        step = (self.script[0] if len(self.script) == 1 else self.script.pop(0)) if self.script else {}
        found = step(asked) if callable(step) else step
        return found if isinstance(found, Raw) else Raw(body=json.dumps(found).encode())


def somebody(name: str, *, town: str = "berlin", role: str = "Marketing Manager", **values: Any) -> dict[str, Any]:
    """Return a person as the stand-in tells of them."""
    known = {
        "fullName": name,
        "emails": [{"address": f"{name.lower().replace(' ', '.')}@{town}.example"}],
        "phone": f"+49 1512 {sum(map(ord, name)) % 10**7 + 10**6:07}",
        "employer": {"name": f"{town.title()} Works"},
        "role": role,
        "profile": f"https://people.example/{name.lower()}",
    }
    return {**known, **values}


def _handler(server: DataServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self.answer(parts.path, dict(parse_qsl(parts.query)))

        def do_POST(self) -> None:
            self.answer(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def answer(self, path: str, values: dict[str, Any]) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            found = server.next(Asked(self.command, path, headers, values))
            self.close_connection = True
            try:
                self.send_response(found.status)
                for name, value in found.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(found.body) if found.length is None else found.length))
                self.end_headers()
                for position in range(len(found.body) if found.trickle else 0):
                    time.sleep(found.trickle)
                    self.wfile.write(found.body[position : position + 1])
                if not found.trickle:
                    self.wfile.write(found.body)
            except OSError:
                return

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def data_server() -> Iterator[DataServer]:
    """Run the stand-in."""
    found = DataServer()
    served = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    served.daemon_threads = True
    found.port = served.server_address[1]
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        served.shutdown()
        served.server_close()
        thread.join(5)
