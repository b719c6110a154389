"""A stand-in for the social platform on loopback: tokens, pages, forms and leads, and a token that dies."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.test import Client

from outreach.connections.social_apps.hooks import hook_url
from outreach.models import SocialAApp

USER_TOKEN, LONG_TOKEN = "user-canary-1", "user-canary-long"  # noqa: S105
PAGE_TOKEN = "page-canary-7"  # noqa: S105
SECRET = "social-secret-canary-3"  # noqa: S105
PAGE, FORM = "7001", "8001"
QUESTIONS = [
    {"key": "full_name", "label": "Full name"},
    {"key": "email", "label": "Email"},
    {"key": "phone_number", "label": "Phone"},
]


@dataclass
class SocialPlatform:
    """The server: its leads, what it was asked, and whether it is dead to the tokens, or to everybody."""

    port: int = 0
    leads: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    dead: bool = False
    down: bool = False
    subscribes: bool = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> SocialPlatform:
        self.leads, self.asked, self.dead, self.down, self.subscribes = {}, [], False, False, True
        return self

    def add(self, id: str, **answers: Any) -> str:
        """Add a lead. Returns its id."""
        rows = [
            {"name": name, "values": [value]}
            for name, value in {"phone_number": f"+49151123456{id}", **answers}.items()
        ]
        self.leads[id] = {"id": id, "created_time": "2026-11-20T10:00:00+0000", "form_id": FORM, "field_data": rows}
        return id

    def answer(self, method: str, path: str, token: str) -> tuple[int, Any]:
        path = path.split("/", 2)[2]
        name = path.partition("?")[0]
        self.asked.append(f"{method} {name}")
        if self.down:
            return 503, {}
        if self.dead or token not in (USER_TOKEN, LONG_TOKEN, PAGE_TOKEN):
            return 400, {"error": {"message": "Error validating access token", "type": "OAuthException", "code": 190}}
        if name == "oauth/access_token":
            return 200, {"access_token": LONG_TOKEN, "token_type": "bearer", "expires_in": 5184000}
        if name == "me/accounts":
            return 200, {"data": [{"id": PAGE, "name": "Acme", "access_token": PAGE_TOKEN}]}
        if name == f"{PAGE}/leadgen_forms":
            return 200, {"data": [{"id": FORM, "name": "Autumn", "status": "ACTIVE", "questions": QUESTIONS}]}
        if name == f"{PAGE}/subscribed_apps":
            return (200, {"success": True}) if self.subscribes else (400, {"error": {"message": "no", "code": 100}})
        if name == f"{FORM}/leads":
            return 200, {"data": list(self.leads.values())}
        if name in self.leads:
            return 200, self.leads[name]
        return 400, {"error": {"message": "Unsupported get request", "code": 100}}


def _handler(platform: SocialPlatform) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, found = platform.answer(self.command, self.path, token)
            content = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def social_platform() -> Iterator[SocialPlatform]:
    """Run the stand-in."""
    found = SocialPlatform()
    served = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    served.daemon_threads = True
    found.port = served.server_address[1]
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        served.shutdown()
        served.server_close()


def signature(body: bytes, secret: str = SECRET) -> str:
    """Return what the platform signs a webhook with."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def hook_path(app: SocialAApp) -> str:
    """Return the path of an app's webhook."""
    return "/" + hook_url(app.pk, app.hook_salt).split("//", 1)[1].split("/", 1)[1]


def tell(app: SocialAApp, *ids: Any, signed: str | None = None, form: Any = FORM) -> int:
    """Tell of leads as the platform does. Returns the answer's status."""
    values = [{"leadgen_id": id, "form_id": form, "page_id": PAGE, "created_time": 1763900000} for id in ids]
    changes = [{"field": "leadgen", "value": value} for value in values]
    body = json.dumps({"object": "page", "entry": [{"id": PAGE, "changes": changes}, "x"]}).encode()
    headers = {"HTTP_X_HUB_SIGNATURE_256": signature(body) if signed is None else signed}
    return Client().post(hook_path(app), body, content_type="application/json", **headers).status_code  # type: ignore[arg-type]
