"""A stand-in for the servers of AI models on loopback: it speaks both wire formats, and goes wrong on demand.

Without a script it writes a short mail from the facts that it is sent, as a good model would.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from outreach.models import AiApp

KEY = "sk-canary-93ab7f"
TOKENS = (300, 120)
FACTS = "The facts, as JSON:\n"
CONTACTS = "The contacts, as JSON:\n"


@dataclass(frozen=True)
class Say:
    """What the model says, in the format that it is asked in. `ended`: "", cut or refused."""

    text: str
    ended: str = ""
    tokens: tuple[Any, Any] | None = TOKENS


@dataclass(frozen=True)
class Raw:
    """An answer as it is. `length` is the length that it claims, `trickle` the seconds before each byte."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    trickle: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def is_gemini(self) -> bool:
        return self.path.endswith(":generateContent")

    @property
    def rules(self) -> str:
        if self.is_gemini:
            return str(self.body["systemInstruction"]["parts"][0]["text"])
        return str(self.body["messages"][0]["content"])

    @property
    def texts(self) -> list[str]:
        """The turns of the conversation."""
        if self.is_gemini:
            return [turn["parts"][0]["text"] for turn in self.body["contents"]]
        return [message["content"] for message in self.body["messages"][1:]]


Step = Say | Raw | Callable[[Asked], "Say | Raw"]


@dataclass
class AiServer:
    """The server: what it is asked, and what it answers next."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    script: list[Step] = field(default_factory=list)
    """The next answers, one each; the last one of a script that is `lasting` again and again."""
    lasting: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def then(self, *steps: Step, lasting: bool = False) -> AiServer:
        """Answer by these steps from now on."""
        self.script, self.lasting = list(steps), lasting
        return self

    def next(self, asked: Asked) -> Say | Raw:
        self.asked.append(asked)
        step: Step = write
        if self.script:
            step = self.script[0] if self.lasting and len(self.script) == 1 else self.script.pop(0)
        return step(asked) if callable(step) else step

    def app(self, kind: str, **values: Any) -> AiApp:
        """Make an app, unsaved, whose server this is."""
        path = "/v1" if kind == "ai-b" else ""
        known = {"base_url": self.url + path, "selected_model": "small-1", "api_key": KEY, "timeout_seconds": 5}
        return AiApp(provider=kind, name="Model", **{**known, **values})


def write(asked: Asked) -> Say:
    """Write a mail from the facts, or judge contacts."""
    text = asked.texts[0]
    if CONTACTS in text:
        contacts = json.loads(text.partition(CONTACTS)[2])
        found = [{"contact": one["contact"], "score": 0.9, "reason": f"{one['name']} fits"} for one in contacts]
        return Say(json.dumps({"fits": found}))
    facts = json.loads(text.partition(FACTS)[2])
    name, company = facts.get("contact.name", "there"), facts["company.name"]
    body = f"Hello {name}, {company} would be glad to hear from you about this in the next days."
    claims = [{"text": company, "source": "company.name"}]
    claims += [{"text": name, "source": "contact.name"}] if "contact.name" in facts else []
    return Say(json.dumps({"subject": f"A word from {company}", "body": body, "claims": claims}))


def message(**values: Any) -> str:
    """Return a message as a model says it, with a claim that rests on the company's name."""
    known = {
        "subject": "A word from Green Fields",
        "body": "Good morning. Green Fields would be glad to hear from you about this in the next days.",
        "claims": [{"text": "Green Fields", "source": "company.name"}],
    }
    return json.dumps({**known, **values})


def _gemini(said: Say) -> dict[str, Any]:
    usage = {}
    if said.tokens is not None:
        usage = {"usageMetadata": {"promptTokenCount": said.tokens[0], "candidatesTokenCount": said.tokens[1]}}
    if said.ended == "refused":
        return {"promptFeedback": {"blockReason": "SAFETY"}, **usage}
    parts = [{"text": "let me think", "thought": True}, {"text": said.text}]
    reason = "MAX_TOKENS" if said.ended == "cut" else "STOP"
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}], **usage}


def _openai(said: Say) -> dict[str, Any]:
    usage = {}
    if said.tokens is not None:
        usage = {"usage": {"prompt_tokens": said.tokens[0], "completion_tokens": said.tokens[1]}}
    answer = {"role": "assistant", "content": said.text}
    if said.ended == "refused":
        answer = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    reason = "length" if said.ended == "cut" else "stop"
    return {"choices": [{"index": 0, "message": answer, "finish_reason": reason}], **usage}


def _handler(server: AiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            answer = server.next(asked)
            if isinstance(answer, Say):
                found = _gemini(answer) if asked.is_gemini else _openai(answer)
                answer = Raw(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})
            self.close_connection = True
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) if answer.length is None else answer.length))
                self.end_headers()
                if not answer.trickle:
                    self.wfile.write(answer.body)
                for position in range(len(answer.body) if answer.trickle else 0):
                    time.sleep(answer.trickle)
                    self.wfile.write(answer.body[position : position + 1])
            except OSError:
                return

        def log_message(self, *_: Any) -> None:
            return

    return Handler


@contextmanager
def ai_server() -> Iterator[AiServer]:
    """Run the stand-in."""
    found = AiServer()
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
