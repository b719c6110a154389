"""The stand-in's server: the addresses of Google that the service uses, and the page on which a person allows them."""

from __future__ import annotations

import itertools
import json
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from config.demo_vendors import DEMO_CLIENT, HOST, read_state
from config.local.google_standin import ACCOUNT
from config.local.google_standin.calendar import Calendar
from config.local.google_standin.tokens import Logins, read

LOGIN = "/o/oauth2/v2/auth"
CALLBACKS = "/oauth/"
"""Path prefix of the service's own callbacks, to which the page redirects."""
MAX_BYTES = 30 * 1024 * 1024
WORDS = {
    "calendar.events": "See and change the events of your calendar",
    "calendar.freebusy": "See when you are busy",
    "gmail.send": "Send mail in your name",
    "gmail.readonly": "Read your mail",
}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<title>Demo log-in</title><style>
:root{{color-scheme:light dark}}
body{{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem}}
main{{border:1px solid;border-radius:.75rem;padding:1.5rem}}
h1{{font-size:1.3rem;margin:0}}
button{{font:inherit;min-height:2.75rem;padding:0 1.25rem;margin-right:.5rem;border-radius:.5rem;border:1px solid}}
</style></head><body><main><h1>{title}</h1>{content}</main></body></html>"""
CONSENT = """<p>This is the demo's stand-in for Google: no account is used, and nothing leaves this machine.</p>
<p>Leadwright wants to use the account <b>{account}</b>:</p><ul>{scopes}</ul>
<form method="post" action="{path}"><input type="hidden" name="asked" value="{asked}">
<button name="do" value="allow">Allow</button><button name="do" value="refuse">Refuse</button></form>"""


class Server(ThreadingHTTPServer):
    """The stand-in, on the port in the file."""

    daemon_threads = True

    def __init__(self, file: Path) -> None:
        self.lock = Lock()
        self.logins = Logins()
        self.calendar = Calendar()
        self.numbers = itertools.count(1)
        super().__init__((HOST, int(read_state(file)["port"])), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing: callers that go away are no error."""

    def api(self, method: str, path: str, token: str, body: bytes) -> tuple[int, Any]:
        """Return status and answer of a request with a token."""
        if read(token, "access") is None:
            return 401, {"error": {"code": 401}}
        if path.startswith("/calendar/"):
            return self.calendar.answer(method, path, json.loads(body) if body else {})
        if path.endswith("/messages/send"):
            number = next(self.numbers)
            return 200, {"id": f"demo{number}", "threadId": f"thread{number}"}
        return (200, {"messages": []}) if path.endswith("/messages") else (404, {})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == LOGIN:
            self._consent(dict(parse_qsl(parts.query)), parts.query)
        else:
            self._answer("GET", b"")

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BYTES))
        form = dict(parse_qsl(body.decode("utf-8", "replace"))) if len(body) < 100_000 else {}
        path = urlsplit(self.path).path
        with self.server.lock:
            if path == LOGIN:
                self._finish_log_in(form)
            elif path == "/token":
                self._json(*self.server.logins.trade(form))
            elif path == "/revoke":
                self._json(*self.server.logins.revoke(form.get("token", "")))
            else:
                self._json(*self._call_api("POST", body))

    def do_PATCH(self) -> None:
        self._answer("PATCH", self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BYTES)))

    def do_DELETE(self) -> None:
        self._answer("DELETE", b"")

    def _answer(self, method: str, body: bytes) -> None:
        with self.server.lock:
            self._json(*self._call_api(method, body))

    def _call_api(self, method: str, body: bytes) -> tuple[int, Any]:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.server.api(method, urlsplit(self.path).path, token, body)

    def _consent(self, params: dict[str, str], query: str) -> None:
        if refusal := _refusal(params):
            self._page(400, "This log-in cannot go on", f"<p>{escape(refusal)}</p>")
            return
        labels = [
            WORDS[name] for scope in params.get("scope", "").split() if (name := scope.rpartition("/")[2]) in WORDS
        ]
        scopes = "".join(f"<li>{escape(label)}</li>" for label in labels)
        content = CONSENT.format(account=escape(ACCOUNT), scopes=scopes, path=LOGIN, asked=escape(query))
        self._page(200, "Log in at the demo's Google", content)

    def _finish_log_in(self, form: dict[str, str]) -> None:
        params = dict(parse_qsl(form.get("asked", "")))
        if refusal := _refusal(params):
            self._page(400, "This log-in cannot go on", f"<p>{escape(refusal)}</p>")
            return
        outcome = (
            {"error": "access_denied"} if form.get("do") != "allow" else {"code": self.server.logins.allow(params)}
        )
        self.send_response(303)
        self.send_header(
            "Location", f"{params['redirect_uri']}?{urlencode({**outcome, 'state': params.get('state', '')})}"
        )
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _page(self, status: int, title: str, content: str) -> None:
        self._send(status, PAGE.format(title=escape(title), content=content).encode(), "text/html; charset=utf-8")

    def _json(self, status: int, content: Any) -> None:
        self._send(status, b"" if content is None else json.dumps(content).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Write nothing, since the service's log has the requests."""


def _refusal(params: dict[str, str]) -> str:
    """Return why a log-in cannot begin; "" where it can."""
    if params.get("client_id") != DEMO_CLIENT[0]:
        return "The stand-in does not know this client."
    back = urlsplit(params.get("redirect_uri", ""))
    if back.scheme not in ("http", "https") or not back.path.startswith(CALLBACKS):
        return "It would not lead back to the service."
    return ""
