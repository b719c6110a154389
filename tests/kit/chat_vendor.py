"""A stand-in for the chat vendor on loopback: it takes messages and templates as the vendor does, and goes wrong on
demand."""

from __future__ import annotations

import email
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.test import Client

from outreach.connections.chat_apps.hooks import hook_url
from outreach.models import ChatApp

TOKEN = "chat-canary-5b1d"  # noqa: S105
SECRET = "chat-secret-canary-9e"  # noqa: S105
PHONE_ID, WABA, APP = "1001", "2002", "3003"
NUMBER = {"display_phone_number": "+49 30 1", "verified_name": "Acme", "quality_rating": "GREEN"}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with a message: an error, silence, or a connection that is cut after it was taken."""

    status: int = 400
    code: int = 0
    cut: bool = False
    takes: bool = False
    """The message goes out nevertheless."""
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    body: Any = None


@dataclass
class ChatVendor:
    """The server: what it was given, and what it answers next."""

    port: int = 0
    sent: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    script: list[Fault] = field(default_factory=list)
    templates: dict[str, dict[str, Any]] = field(default_factory=dict)
    refuses_template: int = 0
    media: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """Id -> type and content of what people have sent, and of what was uploaded."""
    media_faults: list[int] = field(default_factory=list)
    """Statuses that the next requests for media get."""
    hides_size: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> ChatVendor:
        self.sent, self.asked, self.script, self.templates = [], [], [], {}
        self.refuses_template = 0
        self.media, self.media_faults, self.hides_size = {}, [], False
        return self

    def texts(self) -> list[str]:
        return [one["text"]["body"] for one in self.sent if one["type"] == "text"]

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Any, Fault]:
        path = path.split("/", 2)[2] if path.startswith("/v") else path
        fault = Fault()
        with self.lock:
            self.asked.append((method, path, headers, body))
            token = headers.get("authorization", "").split(" ")[-1]
            if token != TOKEN:
                return 401, _error(190, "Invalid OAuth access token"), fault
            if path.startswith(f"{PHONE_ID}/messages"):
                return self._message(json.loads(body))
            if (found := self._of_media(path, headers, body)) is not None:
                return (*found, fault)
            return (*self._other(method, path, body), fault)

    def _of_media(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Any] | None:
        """Answer what is asked of media: an upload, where something is, or the content itself."""
        path = path.lstrip("/")
        uploads = path.startswith(f"{PHONE_ID}/media")
        id = path.partition("?")[0].removeprefix("content/")
        if not uploads and id not in self.media and not id.startswith("media."):
            return None
        if self.media_faults:
            return self.media_faults.pop(0), _error(131000, "Something went wrong")
        if uploads:
            message = email.message_from_bytes(
                b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body
            )
            parts = {part.get_param("name", header="content-disposition"): part for part in message.get_payload()}
            new = f"up{len(self.media) + 1}"
            self.media[new] = (parts["type"].get_payload(), parts["file"].get_payload(decode=True))
            return 200, {"id": new}
        if id not in self.media:
            return 400, _error(100, "Unsupported get request")
        mime, content = self.media[id]
        if path.startswith("content/"):
            return 200, content
        size = {} if self.hides_size else {"file_size": len(content)}
        return 200, {"id": id, "url": f"{self.url}/content/{id}", "mime_type": mime, **size}

    def _message(self, given: dict[str, Any]) -> tuple[int, Any, Fault]:
        fault = self.script.pop(0) if self.script else None
        if fault is None or fault.takes:
            self.sent.append(given)
        id = f"wamid.{given['biz_opaque_callback_data']}"
        taken = {"messaging_product": "whatsapp", "messages": [{"id": id, "message_status": "accepted"}]}
        if fault is None:
            return 200, taken, Fault()
        if fault.body is not None:
            return fault.status, fault.body, fault
        return fault.status, _error(fault.code, "no") if fault.code else "<html>", fault

    def _other(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if path.startswith(f"{WABA}/message_templates"):
            if method == "GET":
                return 200, {"data": list(self.templates.values())}
            if method == "DELETE":
                name = path.split("name=")[1].split("&")[0]
                self.templates.pop(name, None)
                return 200, {"success": True}
            given = json.loads(body)
            if self.refuses_template:
                return 400, _error(self.refuses_template, "Invalid parameter")
            row = {"id": f"t{len(self.templates) + 1}", "status": "PENDING", **given}
            self.templates[given["name"]] = row
            return 200, {"id": row["id"], "status": "PENDING", "category": given["category"]}
        if path.startswith(f"{APP}/uploads"):
            return 200, {"id": "upload:abc"}
        if path.startswith("upload:"):
            return 200, {"h": f"4::{len(body)}"}
        if path.startswith(PHONE_ID):
            return 200, NUMBER
        if method == "POST":
            return 200, {"success": True}
        return 404, _error(100, "Unknown path")


def _error(code: int, text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "OAuthException", "code": code, "error_data": {"details": f"d{code}"}}}


def _handler(vendor: ChatVendor) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            if len(body) < size:
                self.close_connection = True
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, found, fault = vendor.answer(self.command, self.path, headers, body)
            time.sleep(fault.seconds)
            if fault.cut:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            content = found.encode() if isinstance(found, str) else found if isinstance(found, bytes) else b""
            content = content or json.dumps(found).encode()
            self.send_response(status)
            for name, value in {**fault.headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _answer

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def chat_vendor() -> Iterator[ChatVendor]:
    """Run the stand-in."""
    found = ChatVendor()
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


def signature(body: bytes, secret: str = SECRET) -> str:
    """Return what the vendor signs a webhook with."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def tell(app: ChatApp, *, signed: str | None = None, field: str = "messages", **value: Any) -> int:
    """Send a webhook as the vendor does. Returns the answer's status."""
    if field == "messages":
        value = {"messaging_product": "whatsapp", "metadata": {"phone_number_id": PHONE_ID}, **value}
    body = json.dumps({"entry": [{"id": WABA, "changes": [{"field": field, "value": value}]}]}).encode()
    path = hook_url(app.pk, app.hook_salt).split("//", 1)[1].split("/", 1)[1]
    headers = {"HTTP_X_HUB_SIGNATURE_256": signature(body) if signed is None else signed}
    return Client().post(f"/{path}", body, content_type="application/json", **headers).status_code  # type: ignore[arg-type]


def wrote(
    text: str, *, phone: str = "4915112345678", id: str = "in.1", at: int | None = None, **more: Any
) -> dict[str, Any]:
    """Return what the vendor tells of a text that somebody has written."""
    stamp = str(at if at is not None else int(time.time()))
    message = {"from": phone, "id": id, "timestamp": stamp, "type": "text", "text": {"body": text}, **more}
    return {"contacts": [{"wa_id": phone, "profile": {"name": "Ada"}}], "messages": [message]}


def became(job: str, status: str, *, id: str = "", code: int = 0, at: int | None = None) -> dict[str, Any]:
    """Return what the vendor tells of a message that was sent."""
    stamp = str(at if at is not None else int(time.time()))
    one: dict[str, Any] = {
        "id": id or f"wamid.{job}",
        "status": status,
        "timestamp": stamp,
        "recipient_id": "4915112345678",
    }
    one["biz_opaque_callback_data"] = job
    if code:
        one["errors"] = [{"code": code, "title": "no", "error_data": {"details": f"d{code}"}}]
    return {"statuses": [one]}
