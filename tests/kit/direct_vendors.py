"""A stand-in on loopback for the messenger and the second social platform, which goes wrong on demand."""

from __future__ import annotations

import email
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.test import Client

from outreach.connections.direct_apps.hooks import SECRET_HEADER, hook_secret, hook_url
from outreach.models import ChatApp
from tests.kit.chat_vendor import signature

BOT_TOKEN = "4711:bot-canary-8c"  # noqa: S105
ACCESS_TOKEN = "social-b-canary-2f"  # noqa: S105
APP_SECRET = "social-b-secret-canary"  # noqa: S105
ACCOUNT = "17841400"


@dataclass
class DirectVendors:
    """The server: what it was given, and what it answers next."""

    port: int = 0
    asked: list[tuple[str, Any]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    script: list[tuple[int, Any]] = field(default_factory=list)
    """Status and answer of the next messages; None as the answer: it is taken, and the connection cut."""
    dead: bool = False
    """Whether no token is taken."""
    token: str = ACCESS_TOKEN
    """The token of the account; a new one is given for it while `renews`."""
    renews: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> DirectVendors:
        self.asked, self.sent, self.files, self.script, self.dead = [], [], {}, [], False
        self.token, self.renews = ACCESS_TOKEN, False
        return self

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, Any]:
        given = read(headers.get("Content-Type") or "", body)
        self.asked.append((path, given))
        bot = path.startswith((f"/bot{BOT_TOKEN}/", f"/file/bot{BOT_TOKEN}/"))
        account = headers.get("Authorization") == f"Bearer {self.token}"
        if path.startswith("/cdn/"):
            return (200, self.files[path[5:]]) if path[5:] in self.files else (404, {})
        if self.dead or not (bot or account):
            wrong = {"ok": False, "error_code": 401, "description": "Unauthorized"}
            return 401, {**wrong, "error": {"code": 190, "message": "Invalid OAuth access token"}}
        return self.of_messenger(path, given) if bot else self.of_social_b(path, given)

    def of_messenger(self, path: str, given: Any) -> tuple[int, Any]:
        method = path.rpartition("/")[2]
        if path.startswith("/file/"):
            return 200, self.files[method]
        if method == "getMe":
            return 200, {
                "ok": True,
                "result": {"id": 4711, "is_bot": True, "username": "acme_bot", "first_name": "Acme"},
            }
        if method == "getFile":
            if given["file_id"] not in self.files:
                return 400, {"ok": False, "error_code": 400, "description": "Bad Request: invalid file_id"}
            size = len(self.files[given["file_id"]])
            return 200, {"ok": True, "result": {"file_path": f"photos/{given['file_id']}", "file_size": size}}
        if method == "setWebhook":
            return 200, {"ok": True, "result": True}
        return self.accept({"method": method, **given}, {"ok": True, "result": {"message_id": len(self.sent) + 1}})

    def of_social_b(self, path: str, given: Any) -> tuple[int, Any]:
        if "/me?" in path:
            return 200, {"user_id": ACCOUNT, "username": "acme"}
        if path.startswith(("/access_token?", "/refresh_access_token?")):
            if not self.renews:
                return 400, {"error": {"code": 100, "message": "Unsupported request"}}
            self.token = f"{ACCESS_TOKEN}-{len(self.asked)}"
            return 200, {"access_token": self.token, "token_type": "bearer", "expires_in": 60 * 24 * 3600}
        made = (
            {"id": f"c{len(self.sent) + 1}"} if path.endswith("/replies") else {"message_id": f"m{len(self.sent) + 1}"}
        )
        return self.accept({"path": path.split("/", 2)[2], **given}, made)

    def accept(self, given: dict[str, Any], answer: Any) -> tuple[int, Any]:
        if self.script:
            status, said = self.script.pop(0)
            if said is None:
                self.sent.append(given)
            return status, said
        self.sent.append(given)
        return 200, answer


def read(kind: str, body: bytes) -> Any:
    """Return a body of JSON, or the parts of a form by their names."""
    if not kind.startswith("multipart/"):
        return json.loads(body or b"null")
    message = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    parts: Any = message.get_payload()
    return {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parts}


def _handler(vendors: DirectVendors) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, found = vendors.answer(self.path, self.headers, body)
            if found is None:
                self.close_connection = True
                return
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def direct_vendors() -> Iterator[DirectVendors]:
    """Run the stand-in."""
    found = DirectVendors()
    served = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    served.daemon_threads = True
    found.port = served.server_address[1]
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        served.shutdown()
        served.server_close()


def tell(app: ChatApp, value: Any, *, secret: str | None = None, signed: str | None = None) -> int:
    """Send a webhook as the app's vendor does. Returns the answer's status."""
    body = json.dumps(value).encode()
    path = hook_url(app.vendor, app.pk, app.hook_salt).split("//", 1)[1].split("/", 1)[1]
    header = f"HTTP_{SECRET_HEADER.upper().replace('-', '_')}"
    if app.vendor == ChatApp.Vendor.MESSENGER:
        headers = {header: hook_secret(app.pk, app.hook_salt) if secret is None else secret}
    else:
        headers = {"HTTP_X_HUB_SIGNATURE_256": signature(body, APP_SECRET) if signed is None else signed}
    return Client().post(f"/{path}", body, content_type="application/json", **headers).status_code  # type: ignore[arg-type]


def update(text: str, *, id: int = 1, chat: int = 900, name: str = "Ada", **more: Any) -> dict[str, Any]:
    """Return what the messenger tells of what somebody has written to a bot."""
    sender = {"id": chat, "is_bot": False, "first_name": name}
    message = {"message_id": id, "from": sender, "chat": {"id": chat, "type": "private"}, "date": int(time.time())}
    return {"update_id": id, "message": {**message, "text": text, **more}}


def direct(text: str, *, id: str = "mid.1", sender: str = "5005", **more: Any) -> dict[str, Any]:
    """Return what the platform tells of a message to an account."""
    one = {"sender": {"id": sender}, "recipient": {"id": ACCOUNT}, "timestamp": int(time.time() * 1000)}
    one["message"] = {"mid": id, "text": text, **more}
    return {"object": "instagram", "entry": [{"id": ACCOUNT, "time": 1, "messaging": [one]}]}


def comment(text: str, *, id: str = "c900", sender: str = "5005", post: str = "p1") -> dict[str, Any]:
    """Return what the platform tells of a comment below a post."""
    value = {"id": id, "text": text, "from": {"id": sender, "username": "ada"}, "media": {"id": post}}
    return {"entry": [{"id": ACCOUNT, "time": int(time.time()), "changes": [{"field": "comments", "value": value}]}]}
