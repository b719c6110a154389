"""Reads the webhook events of a messenger and of the second social platform: messages, and comments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
from django.utils import timezone

from core.types import JsonObject, Values
from outreach.chat.chat_events.models import ChatEvent
from outreach.chat.chat_events.parser import MAX_EVENTS, ProviderEvent, _clean, _key, _rows, _text, _value_at
from outreach.chat.conversations.channels import COMMENTS
from outreach.connections.chat_apps.models import ChatApp

FILES = ("document", "audio", "voice", "video", "video_note", "animation", "sticker")
"""Attachments that a message of the messenger may have in addition to pictures."""


def read_messenger(app: ChatApp, body: bytes) -> list[ProviderEvent]:
    """Return the private message of an update; nothing for any other update."""
    update = _json(body)
    message = update.get("message")
    if (
        not isinstance(message, dict)
        or _value_at(message, "chat", "type") != "private"
        or _value_at(message, "from", "is_bot")
    ):
        return []
    chat, id = _text(_value_at(message, "chat", "id"), 20), _text(message.get("message_id"), 20)
    if not chat or not id:
        return []
    names = [_text(_value_at(message, "from", name), 100) for name in ("first_name", "last_name")]
    kind, media = _messenger_media(message)
    data = {
        "id": f"messenger:{app.pk}:{chat}:{id}",
        "address": chat,
        "name": " ".join(filter(None, names)) or _text(_value_at(message, "from", "username"), 100),
        "kind": kind,
        "text": (_clean(message.get("text")) or _clean(message.get("caption")))[:10_000],
        "media": media,
        "replyTo": _text(_value_at(message, "reply_to_message", "message_id"), 20),
    }
    return [
        ProviderEvent(_key("messenger", chat, id), ChatEvent.Kind.MESSAGE, _event_time(message.get("date")), chat, data)
    ]


def _messenger_media(message: Values) -> tuple[str, JsonObject | None]:
    pictures = _rows(message, "photo")
    if pictures:
        return "image", {"id": _text(pictures[-1].get("file_id"), 200), "mime": "image/jpeg", "name": ""}
    for kind in FILES:
        part = message.get(kind)
        if isinstance(part, dict) and part.get("file_id"):
            details = {"mime": _text(part.get("mime_type"), 100), "name": _text(part.get("file_name"), 200)}
            return kind[:16], {"id": _text(part.get("file_id"), 200), **details}
    return "text", None


def read_social_b(app: ChatApp, body: bytes) -> list[ProviderEvent]:
    """Return the events of a signed webhook about the account, without its own messages."""
    return list(_social_b(app, _json(body)))[:MAX_EVENTS]


def _social_b(app: ChatApp, update: Values) -> Iterator[ProviderEvent]:
    for entry in _rows(update, "entry"):
        if _text(entry.get("id"), 40) != app.phone_number_id:
            continue
        for row in _rows(entry, "messaging"):
            message, sender = row.get("message"), _text(_value_at(row, "sender", "id"), 20)
            own = not isinstance(message, dict) or message.get("is_echo") or message.get("is_deleted")
            if own or not sender or sender == app.phone_number_id:
                continue
            yield from _direct_message(app, message, sender, _event_time(row.get("timestamp"), thousandths=True))
        for change in _rows(entry, "changes"):
            value = change.get("value")
            if change.get("field") == "comments" and isinstance(value, dict):
                yield from _comment(app, value, _event_time(entry.get("time")))


def _direct_message(app: ChatApp, message: Any, sender: str, at: datetime) -> Iterator[ProviderEvent]:
    id = _text(message.get("mid"), 150)
    if not id:
        return
    files = _rows(message, "attachments")
    media, kind = None, "text"
    url = _text(_value_at(files[0], "payload", "url"), 2000) if files else ""
    if url:
        kind = _text(files[0].get("type"), 16) or "file"
        media = {"id": id, "url": url, "mime": "", "name": "", "kind": kind}
    data = {"id": f"social-b:{app.pk}:{id}", "address": sender, "name": "", "kind": kind, "media": media}
    data |= {"text": _clean(message.get("text"))[:10_000], "replyTo": _text(_value_at(message, "reply_to", "mid"), 190)}
    yield ProviderEvent(_key("social-b", id), ChatEvent.Kind.MESSAGE, at, sender, data)


def _comment(app: ChatApp, value: Values, at: datetime) -> Iterator[ProviderEvent]:
    id, author = _text(value.get("id"), 40), _text(_value_at(value, "from", "id"), 20)
    post = _text(_value_at(value, "media", "id"), 40)
    if not id.isalnum() or not author.isalnum() or not post.isalnum() or author == app.phone_number_id:
        return
    name = _text(_value_at(value, "from", "username"), 100)
    data = {"id": f"social-b:{app.pk}:{id}", "address": f"{COMMENTS}{author}:{post}", "kind": "comment", "media": None}
    data |= {"name": name and f"@{name}", "text": _clean(value.get("text"))[:10_000]}
    data["replyTo"] = _text(value.get("parent_id"), 190)
    yield ProviderEvent(_key("social-b", "comment", id), ChatEvent.Kind.MESSAGE, at, author, data)


def _json(body: bytes) -> JsonObject:
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _event_time(value: Any, *, thousandths: bool = False) -> datetime:
    """Return when it happened: never later than now."""
    now = timezone.now()
    if not isinstance(value, int | float) or isinstance(value, bool):
        return now
    seconds = value / 1000 if thousandths else value
    return min(now, datetime.fromtimestamp(seconds, UTC)) if 0 < seconds < 2**33 else now
