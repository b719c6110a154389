"""A website's visitor, as the script of a widget asks for them."""

from __future__ import annotations

from typing import Any

import orjson
from django.test import Client
from django.utils import timezone

from tests.kit.cast import Answer, Cast

SITE = "https://www.acme.example"
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
