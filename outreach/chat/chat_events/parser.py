"""Reads the events of the chat vendor's webhook: messages, statuses of messages, statuses of templates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
from django.utils import timezone

from core.types import JsonObject, Values
from outreach.chat.chat_events.models import ChatEvent
from outreach.connections.chat_apps.models import ChatApp

Kind = ChatEvent.Kind
# A signed webhook has some events; more would be a mistake that fills the table.
MAX_EVENTS = 1000
STATUSES = ("sent", "delivered", "read", "failed")
MEDIA = ("image", "video", "audio", "document", "sticker")


@dataclass(frozen=True)
class ProviderEvent:
    """An event."""

    key: str
    kind: str
    happened_at: datetime
    phone: str
    data: Values


def read_hook(app: ChatApp, body: bytes) -> list[ProviderEvent]:
    """Return the events of a signed webhook about the app. Those of another number, and unknown content, are
    ignored."""
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            payload = json.loads(body)  # takes half a surrogate, which somebody's keyboard may have sent
        except (ValueError, RecursionError):
            # Signed by the vendor and unreadable all the same: repeating it would change nothing.
            return []
    return list(_read(app, payload))[:MAX_EVENTS]


def _read(app: ChatApp, payload: Any) -> Iterator[ProviderEvent]:
    for entry in _rows(payload, "entry"):
        for change in _rows(entry, "changes"):
            value = change.get("value")
            if not isinstance(value, dict):
                continue
            # One webhook of a Meta app may carry events of other accounts.
            if change.get("field") == "message_template_status_update" and str(entry.get("id")) == app.waba_id:
                yield _template(value)
            elif (
                change.get("field") == "messages"
                and _value_at(value, "metadata", "phone_number_id") == app.phone_number_id
            ):
                yield from _messages(value)


def _messages(value: Values) -> Iterator[ProviderEvent]:
    names = {}
    for contact in _rows(value, "contacts"):
        name = _value_at(contact, "profile", "name")
        if isinstance(name, str):
            names[str(contact.get("wa_id"))] = _clean(name)[:200]
    for row in _rows(value, "messages"):
        id, phone = _text(row.get("id"), 190), _phone(row.get("from"))
        if id and phone:
            data = {"id": id, "name": names.get(phone.removeprefix("+"), ""), **_words(row)}
            yield ProviderEvent(_key("message", id), Kind.MESSAGE, _time(row.get("timestamp")), phone, data)
    for row in _rows(value, "statuses"):
        id, status = _text(row.get("id"), 190), row.get("status")
        if id and status in STATUSES:
            errors = _rows(row, "errors")
            # Our own id, which the vendor gives back; the message's id may not be stored yet when the status
            # comes.
            data = {
                "id": id,
                "status": status,
                "job": _text(row.get("biz_opaque_callback_data"), 24),
                "category": _text(_value_at(row, "pricing", "category"), 32),
                "error": _error(errors[0]) if errors else None,
            }
            happened_at = _time(row.get("timestamp"))
            # Each status of a message counts once; repetitions have the same key.
            yield ProviderEvent(
                _key("status", id, str(status)), Kind.STATUS, happened_at, _phone(row.get("recipient_id")), data
            )


def _words(message: Values) -> JsonObject:
    """Return kind, text, media and the message replied to, of a message."""
    kind = _text(message.get("type"), 16) or "unknown"
    part = message.get(kind)
    part = part if isinstance(part, dict) else {}
    text, media = "", None
    if kind == "text":
        text = _clean(part.get("body"))
    elif kind == "button":
        text = _clean(part.get("text"))
    elif kind == "interactive":
        chosen = part.get("button_reply") or part.get("list_reply")
        text = _clean(chosen.get("title")) if isinstance(chosen, dict) else ""
    elif kind in MEDIA:
        text = _clean(part.get("caption"))
        media = {"id": _text(part.get("id"), 64), "mime": _text(part.get("mime_type"), 100)}
        media["name"] = _text(part.get("filename"), 200)
    elif kind == "location":
        text = _clean(part.get("name"))
        media = {name: part[name] for name in ("latitude", "longitude") if _is_degrees(part.get(name))}
    elif kind == "reaction":
        text = _clean(part.get("emoji"))
    return {
        "kind": kind,
        "text": text[:10_000],
        "media": media,
        "replyTo": _text(_value_at(message, "context", "id"), 190),
    }


def _template(value: Values) -> ProviderEvent:
    kept = ("event", "message_template_id", "message_template_name", "message_template_language", "reason")
    data = {name: _text(value.get(name), 512) for name in kept}
    # Nothing tells one such event from the next but when it came: the same status again changes nothing.
    return ProviderEvent(
        _key("template", *data.values(), f"{timezone.now():%Y%m%d%H%M}"), Kind.TEMPLATE, timezone.now(), "", data
    )


def _is_degrees(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -180 <= value <= 180


def _error(error: Values) -> JsonObject:
    """Return the parts of an error that are read later, in values that can be stored."""
    code = error.get("code")
    is_code = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31
    kept: JsonObject = {"code": code} if is_code else {}
    details = _text(_value_at(error, "error_data", "details"), 1000)
    return {**kept, "message": _text(error.get("message"), 1000), "title": _text(error.get("title"), 1000)} | (
        {"error_data": {"details": details}} if details else {}
    )


def _rows(value: Any, name: str) -> list[JsonObject]:
    rows = value.get(name) if isinstance(value, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _value_at(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _clean(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def _text(value: Any, most: int) -> str:
    return _clean(str(value))[:most] if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _phone(value: Any) -> str:
    digits = _text(value, 20).removeprefix("+")
    return f"+{digits}" if digits.isascii() and digits.isdigit() and 6 < len(digits) < 16 else ""


def _time(value: Any) -> datetime:
    """Return when it happened: never later than now."""
    now = timezone.now()
    text = _text(value, 12)
    if not (text.isascii() and text.isdigit()):
        return now
    # The year 2242: later numbers are no times, and may be beyond what datetime takes.
    return min(now, datetime.fromtimestamp(int(text), UTC)) if int(text) < 2**33 else now


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
