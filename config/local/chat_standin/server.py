"""The stand-in's server: the chat vendor's addresses, and the webhook events that follow from requests.

A message is delivered and read after a short time, and its recipient answers once a minute at most. A template is
approved, or rejected if its name contains "reject". POST /say {"from", "name", "text"} sends a message from a person.
With "picture" it is a picture, and with "to": "messenger" it goes to the bot of the messenger.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import time
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Timer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from config.demo_vendors import HOST, read_state
from config.local.chat_standin import SECRET, TOKEN
from config.local.chat_standin.bots import Bots
from core.types import JsonObject

NUMBER = {
    "display_phone_number": "+49 30 901820",
    "verified_name": "Roastery",
    "quality_rating": "GREEN",
    "messaging_limit_tier": "TIER_1K",
}
ANSWERS = ("Thanks, that helps!", "Great. Until when are you there today?", "I'll come by tomorrow.")
STATES = (("sent", 0.3), ("delivered", 1.0), ("read", 2.5))
"""Reported states of a message, with the seconds until each."""
ANSWERS_AFTER = 5.0
APPROVES_AFTER = 3.0
RETRY_AFTER = 5.0
TRIES = 5
ONE_A_MINUTE = 60.0
MAX_BYTES = 20 * 1024 * 1024
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAHgAAAB4CAIAAAC2BqGFAAAAs0lEQVR42u3QMQ0AAAgDsF1YRitucAFPkypoposDUSBaNKJFi7Yg"
    "WjSiRYu2IFo0okWLRrRoRIsWjWjRiBYtGtGiES1aNKJFI1q0aESLRrRo0YgWjWjRohEtGtGiRSNaNKJFi0a0aESLFo1o0YgWLRrR"
    "ohEtWjSiRSNatGhEi0a0aNGIFo1o0aIRLRrRokUjWjSiRYtGtGhEixaNaNGIFi0a0aIRLVo0okUjWrRoRItG9L8Fg/wp5jOwazUA"
    "AAAASUVORK5CYII="
)
"""The picture that people send: an orange square."""
SEVERAL = 1000
"""Templates and people that are remembered."""


class Server(ThreadingHTTPServer):
    """The stand-in for one number. The file names the number and its webhook."""

    daemon_threads = True

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lock = Lock()
        self.bots = Bots(self.run_later)
        self.templates: dict[str, JsonObject] = {}
        self.answered: dict[str, float] = {}
        self.numbers = itertools.count(int(time.time()) % 10**8 * 1000)
        super().__init__((HOST, int(read_state(file)["port"])), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing: callers that go away are no error."""

    def answer(self, method: str, address: str, body: bytes) -> tuple[int, Any]:
        """Return status and answer of a request with the right token."""
        parts = urlsplit(address)
        path = [entry for entry in parts.path.split("/") if entry]
        path = path[1:] if path and path[0].startswith("v") else path
        last = path[-1] if path else ""
        if last == "messages" and method == "POST":
            return self.accept(json.loads(body))
        if last == "message_templates":
            return self.template(method, json.loads(body) if body else {}, parse_qs(parts.query))
        if last == "media" and method == "POST":
            return 200, {"id": f"media{next(self.numbers)}"}
        if last == "picture":
            address = f"http://{HOST}:{self.server_address[1]}/content/picture"
            content = {"url": f"{address}.png", "mime_type": "image/png", "file_size": len(PICTURE)}
            return 200, {"id": last, **content}
        if last == "picture.png":
            return 200, PICTURE
        if last == "uploads" and method == "POST":
            return 200, {"id": f"upload:{next(self.numbers)}"}
        if last.startswith("upload:"):
            return 200, {"h": f"4::{next(self.numbers)}"}
        if method == "POST":
            changed = next((entry for entry in self.templates.values() if entry["id"] == last), None)
            if changed is not None:
                self.run_later(APPROVES_AFTER, self.approve, changed)
            return 200, {"success": True}
        return 200, {"id": last, **NUMBER}

    def accept(self, message: JsonObject) -> tuple[int, Any]:
        """Take a message, tell what becomes of it, and let the person answer."""
        to, job = str(message["to"]), str(message.get("biz_opaque_callback_data", ""))
        id = f"wamid.demo{next(self.numbers)}"
        for state, seconds in STATES:
            self.run_later(seconds, self.tell_state, id, job, to, state)
        with self.lock:
            quiet = time.monotonic() - self.answered.get(to, float("-inf")) < ONE_A_MINUTE
            if not quiet:
                self.answered[to] = time.monotonic()
                while len(self.answered) > SEVERAL:
                    self.answered.pop(next(iter(self.answered)))
        if not quiet:
            self.run_later(ANSWERS_AFTER, self.send_to_number, to, "", ANSWERS[next(self.numbers) % len(ANSWERS)])
        return 200, {"messaging_product": "whatsapp", "messages": [{"id": id, "message_status": "accepted"}]}

    def template(self, method: str, values: JsonObject, query: dict[str, list[str]]) -> tuple[int, Any]:
        """List, delete or accept a template. An accepted one is judged a short time later."""
        with self.lock:
            if method == "GET":
                return 200, {"data": list(self.templates.values())}
            if method == "DELETE":
                self.templates.pop(query.get("name", [""])[0], None)
                return 200, {"success": True}
            row = {"id": f"{next(self.numbers)}", "status": "PENDING", **values}
            self.templates[str(values["name"])] = row
            while len(self.templates) > SEVERAL:
                self.templates.pop(next(iter(self.templates)))
        self.run_later(APPROVES_AFTER, self.approve, row)
        return 200, {"id": row["id"], "status": "PENDING", "category": values.get("category", "UTILITY")}

    def approve(self, row: JsonObject) -> None:
        """Approve a template, or reject it for its name."""
        rejects = "reject" in row["name"]
        row["status"] = "REJECTED" if rejects else "APPROVED"
        reason = "INVALID_FORMAT" if rejects else "NONE"
        update = {"message_template_id": row["id"], "message_template_name": row["name"], "event": row["status"]}
        update |= {"message_template_language": row.get("language", "en"), "reason": reason}
        self.tell("message_template_status_update", update)

    def tell_state(self, id: str, job: str, to: str, state: str) -> None:
        status = {"id": id, "status": state, "timestamp": f"{time.time():.0f}", "recipient_id": to}
        self.tell("messages", {"statuses": [{**status, "biz_opaque_callback_data": job}]})

    def send_to_number(self, sender: str, name: str, text: str, picture: bool = False) -> None:
        """Send a message from a person to the number, or a picture with the text below it."""
        message = {"from": sender, "id": f"wamid.in{next(self.numbers)}", "timestamp": f"{time.time():.0f}"}
        contact = {"wa_id": sender, "profile": {"name": name}}
        content: JsonObject = {"type": "text", "text": {"body": text}}
        if picture:
            content = {"type": "image", "image": {"id": "picture", "mime_type": "image/png", "caption": text}}
        self.tell("messages", {"contacts": [contact], "messages": [{**message, **content}]})

    def tell(self, field: str, value: JsonObject, tries: int = TRIES) -> None:
        """Call the number's webhook, again a few times where it is not taken."""
        place = read_state(self.file)
        hook = urlsplit(str(place.get("hook", "")))
        if field == "messages":
            number = {"phone_number_id": place.get("phoneNumberId", "")}
            value = {"messaging_product": "whatsapp", "metadata": number, **value}
        body = json.dumps({"entry": [{"id": "demo", "changes": [{"field": field, "value": value}]}]}).encode()
        signed = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        try:
            caller = HTTPConnection(hook.hostname or HOST, hook.port, timeout=10)
            headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signed}
            caller.request("POST", hook.path, body, headers)
            is_accepted = caller.getresponse().status < 300
            caller.close()
        except (OSError, HTTPException):
            is_accepted = False
        if not is_accepted and tries > 1:
            self.run_later(RETRY_AFTER, self.tell, field, value, tries - 1)

    def run_later(self, seconds: float, call: Any, *arguments: Any) -> None:
        timer = Timer(seconds, call, arguments)
        timer.daemon = True
        timer.start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: Server

    def _handle(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(size, MAX_BYTES))
        answer: Any
        try:
            if self.path == "/say" and self.command == "POST":
                message = json.loads(body)
                who = str(message["from"]).lstrip("+")
                name = str(message.get("name", ""))
                text = str(message["text"])
                if message.get("to") == "messenger":
                    self.server.bots.send_to_bot(who, name, text)
                else:
                    self.server.send_to_number(who, name, text, bool(message.get("picture")))
                status = 200
                answer = {"said": True}
            elif self.path.startswith("/bot"):
                status, answer = self.server.bots.answer(self.path, body)
            elif self.headers.get("Authorization", "").split(" ")[-1] != TOKEN:
                status = 401
                answer = {"error": {"message": "The token of the demo is: demo", "code": 190}}
            else:
                status, answer = self.server.answer(self.command, self.path, body)
        except (ValueError, KeyError, TypeError, AttributeError):
            status = 400
            answer = {"error": {"message": "Invalid parameter", "code": 100}}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "image/png" if isinstance(answer, bytes) else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = _handle

    def log_message(self, *_: Any) -> None:
        return
