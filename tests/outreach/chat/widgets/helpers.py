"""A website's visitor, as the script of a widget asks for them."""

from __future__ import annotations

from typing import Any

import orjson
from django.test import Client
from django.utils import timezone

from core.models import Event
from tests.kit.cast import Answer, Cast

SITE = "https://www.acme.example"
ADDRESS = "ann@acme.example"
BOT: dict[str, Any] = {
    "name": "Porter",
    "conversations": [{"text": "Which day?", "order": 1}, {"text": "Thank you.", "order": 2}],
    "handover": {"mode": "any", "rules": [{"type": "contains_text", "text": "human"}]},
}


def away() -> dict[str, Any]:
    """Return hours that are days away, so that nobody is there."""
    day = (timezone.now().isoweekday() + 2) % 7 + 1
    return {"timezone": "UTC", "days": [{"day": day, "from": "09:00", "to": "17:00"}]}


def made(cast: Cast, **values: Any) -> dict[str, Any]:
    """Make a widget."""
    answer = cast.key.post("/chat-widget", {"name": "Site", "allowedOrigins": [SITE], **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def published(cast: Cast) -> str:
    """Make a chatbot that answers."""
    id = cast.key.post("/manual-chatbot", BOT).data["_id"]
    assert cast.key.post(f"/manual-chatbot/{id}/publish").status == 200
    return str(id)


def call(widget: dict[str, Any], path: str, body: Any = None, *, origin: str = SITE, method: str = "") -> Answer:
    """Ask as a browser does from a website."""
    response = Client(raise_request_exception=False).generic(
        method or ("GET" if body is None else "POST"),
        f"/api/public/widget/{widget['token']}/{path}",
        b"" if body is None else orjson.dumps(body),
        content_type="application/json",
        headers={"Origin": origin} if origin else {},
    )
    return Answer(response.status_code, orjson.loads(response.content or b"null"), response.headers)


def began(widget: dict[str, Any], **answers: str) -> str:
    started = call(widget, "start", {"answers": answers, "page": f"{SITE}/prices"})
    assert started.status == 201, started.body
    return str(started.data["visitor"])


def said(widget: dict[str, Any], visitor: str, text: str, key: str = "1") -> Answer:
    return call(widget, "messages", {"visitor": visitor, "text": text, "key": key})


def unknown(cast: Cast, **values: Any) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Begin the chat of a visitor without address. Returns the widget, the visitor's token and the conversation."""
    widget = made(cast, **values)
    visitor = began(widget)
    assert said(widget, visitor, "Hello").status == 201
    [chat] = cast.key.get("/conversation").data
    return widget, visitor, chat


def events(kind: str) -> list[Event]:
    return list(Event.objects.filter(kind=kind).order_by("pk"))
