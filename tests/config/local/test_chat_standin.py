"""The demo's stand-in for the chat vendor: it takes messages of the service's own client, and tells of them signed."""

from __future__ import annotations

import hashlib
import hmac
import json
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from config.demo_vendors import demo_vendors, state_file
from config.local.chat_standin import SECRET, TOKEN, server
from outreach.connections.chat_apps.client import ChatClient, ChatFailed
from outreach.connections.smtp.outcome import Sent

WORDS = {"name": "hours", "language": "en", "category": "UTILITY", "components": [{"type": "BODY", "text": "Hi"}]}


def test_it_takes_messages_and_tells_of_them(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    monkeypatch.setattr(server, "STATES", (("sent", 0.0),))
    monkeypatch.setattr(server, "ANSWERS_AFTER", 0.0)
    monkeypatch.setattr(server, "APPROVES_AFTER", 0.0)
    told: Queue[dict[str, Any]] = Queue()
    early: list[dict[str, Any]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            signed = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            assert self.headers["X-Hub-Signature-256"] == signed
            told.put(json.loads(body)["entry"][0]["changes"][0])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    def value(key: str) -> Any:
        """Wait for what is told of the kind. Other kinds may come before it, since each has a thread."""
        while not any(key in found for found in early):
            early.append(told.get(timeout=20)["value"])
        found = next(found for found in early if key in found)
        early.remove(found)
        return found[key]

    file = state_file(tmp_path)
    assert demo_vendors(tmp_path) == {}
    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as hook:
        file.write_text(json.dumps({"port": 1}))
        assert demo_vendors(tmp_path) == {"chatapp": "http://127.0.0.1:1", "messenger": "http://127.0.0.1:1"}
        monkeypatch.setattr(
            server, "read_state", lambda _: {"port": 0, "hook": f"http://127.0.0.1:{hook.server_port}/x"}
        )
        with server.Server(file) as vendor:
            for one in (hook, vendor):
                Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            url = f"http://127.0.0.1:{vendor.server_port}"
            client = ChatClient(f"{url}/v23.0", TOKEN, "100", "200", "300")
            assert client.number()["quality_rating"] == "GREEN"
            sent = client.send("+4915112345678", {"type": "text", "text": {"body": "Hello"}}, "job-1")
            assert isinstance(sent, Sent)
            [state] = value("statuses")
            assert (state["id"], state["biz_opaque_callback_data"]) == (sent.provider_id, "job-1")
            [answer] = value("messages")
            assert (answer["from"], answer["text"]["body"] in server.ANSWERS) == ("4915112345678", True)
            client.create_template(WORDS)
            assert value("event") == "APPROVED"
            assert client.templates()[0]["status"] == "APPROVED"
            client.create_template({**WORDS, "name": "rejected"})
            assert value("event") == "REJECTED"
            assert client.header_handle(b"%PDF", "application/pdf").startswith("4::")
            with pytest.raises(ChatFailed, match="demo"):
                ChatClient(f"{url}/v23.0", "other", "100", "200", "300").number()
            caller = HTTPConnection("127.0.0.1", vendor.server_port, timeout=10)
            caller.request("POST", "/say", json.dumps({"from": "+491", "name": "Ada", "text": "Hi"}))
            assert caller.getresponse().status == 200
            caller.close()
            assert value("messages")[0]["text"]["body"] == "Hi"
            hook.shutdown()
            vendor.shutdown()
