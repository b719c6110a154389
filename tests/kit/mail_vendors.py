"""A stand-in for all mail vendors on loopback, by a table: what each answers, and how it knows a key."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.utils import timezone

from outreach.models import MailApp
from tests.kit.google import REFRESH, SEND, Google

KEY = "mv-canary-7d21c4ab90"
SECRET = "mv-second-canary-55aa"
TO = "ada@example.org"
ID = "vendor-id-1"


@dataclass(frozen=True)
class Says:
    """What a vendor answers when it has taken a message, and where it reads the key."""

    accepted: Any
    header: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    """Columns of an app beside its key."""


VENDORS: dict[str, Says] = {
    "brevo": Says({"messageId": ID}, "api-key", 201),
    "resend": Says({"id": ID}, "authorization"),
    "gmail": Says({"id": ID, "threadId": "t-1", "labelIds": ["SENT"]}, "authorization"),
    "mailersend": Says("", "authorization", 202, {"X-Message-Id": ID}),
    "postmark": Says({"To": TO, "MessageID": ID, "ErrorCode": 0, "Message": "OK"}, "x-postmark-server-token"),
    "sendgrid": Says("", "authorization", 202, {"X-Message-Id": ID}),
    "ses": Says({"MessageId": ID}, "authorization", columns={"secret_key": SECRET, "region": "eu-central-1"}),
    "sparkpost": Says(
        {"results": {"id": ID, "total_accepted_recipients": 1, "total_rejected_recipients": 0}}, "authorization"
    ),
    "mailgun": Says({"id": ID, "message": "Queued. Thank you."}, "authorization"),
    "mailjet": Says(
        {"Messages": [{"Status": "success", "To": [{"Email": TO, "MessageID": ID, "MessageUUID": "u"}]}]},
        "authorization",
        columns={"secret_key": SECRET},
    ),
    "mailtrap": Says({"success": True, "message_ids": [ID]}, "api-token"),
    "mandrill": Says([{"email": TO, "status": "sent", "_id": ID}], "body"),
    "scaleway": Says(
        {"emails": [{"mail_rcpt": TO, "id": ID, "status": "sending"}]},
        "x-auth-token",
        columns={"subaccount": "project-1", "region": "fr-par"},
    ),
    "unisender-go": Says({"status": "success", "job_id": ID, "emails": [TO]}, "x-api-key", columns={"region": "go1"}),
    "postal": Says({"status": "success", "data": {"messages": {TO: {"id": ID}}}}, "x-server-api-key"),
}


@dataclass(frozen=True)
class Fault:
    """What goes wrong: an answer, silence, or a connection that is cut."""

    status: int = 0
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cut: bool = False
    sends: bool = False
    """The message goes out nevertheless."""


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class VendorServer:
    """The server of one vendor at a time: what it is asked, and what it answers next."""

    port: int = 0
    vendor: str = "brevo"
    asked: list[Asked] = field(default_factory=list)
    script: list[Fault] = field(default_factory=list)
    """The next answers to messages, one each; afterwards they are accepted."""
    google: Google = field(default_factory=Google)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sent(self) -> list[Asked]:
        """The messages that it was given: every POST but those about log-ins."""
        return [one for one in self.asked if one.method == "POST" and one.path not in ("/token", "/revoke")]

    def be(self, vendor: str, *script: Fault) -> VendorServer:
        """Be this vendor from now on."""
        self.vendor, self.script = vendor, list(script)
        self.asked.clear()
        self.google = Google()
        return self

    def app(self, vendor: str, **values: Any) -> MailApp:
        """Make an app of the vendor, unsaved."""
        known: dict[str, Any] = {"api_key": KEY, "from_email": "me@example.com", "from_name": "Me", "letter": "a"}
        if vendor == "postal":
            known["endpoint"] = self.url
        if vendor == "gmail":
            token = "access-canary-0"  # noqa: S105
            self.google.access.add(token)
            ends_at = timezone.now() + timedelta(hours=1)
            known |= {"api_key": REFRESH, "access_token": token, "access_ends_at": ends_at, "scopes": SEND}
        return MailApp(vendor=vendor, **{**known, **VENDORS[vendor].columns, **values})

    def next(self, asked: Asked) -> Fault:
        self.asked.append(asked)
        if self.vendor == "gmail":
            if asked.path.startswith("/o/oauth2/v2/auth"):  # whoever opens it allows it
                return Fault(302, "", {"Location": self.google.leads_back(f"{self.url}{asked.path}")})
            told = self.google.answer(asked)
            if told is not None:
                return Fault(*told)
            fault = self.script[0] if self.script else None
            if fault is None or fault.sends:
                self.google.accept(asked)
        if asked.method == "POST" and self.script:
            return self.script.pop(0)
        says = VENDORS[self.vendor]
        if asked.method == "GET":
            return Fault(200, {})
        return Fault(says.status, says.accepted, says.headers)


def _handler(server: VendorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            if len(body) < size:  # whoever asked was killed on the way: a vendor takes no half of a request
                self.close_connection = True
                return
            found = {name.lower(): value for name, value in self.headers.items()}
            fault = server.next(Asked(self.command, self.path, found, body))
            time.sleep(fault.seconds)
            if fault.cut:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            content = fault.body.encode() if isinstance(fault.body, str) else json.dumps(fault.body).encode()
            try:
                self.send_response(fault.status or 200)
                for name, value in fault.headers.items():
                    self.send_header(name, value)
                if content:
                    self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def vendor_server(kind: type[VendorServer] = VendorServer) -> Iterator[VendorServer]:
    """Run the stand-in."""
    found = kind()
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
