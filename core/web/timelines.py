"""Timelines on pages: the API's entries with icons and a text of their changes."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

from core.text.formats import Formats
from core.types import JsonObject, Values
from core.web.cells import format_cell
from core.web.field_values import dated_text

SIZE = 30
STORED_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?", re.ASCII)
ICONS = {
    "note": "sticky-note",
    "comment": "message-square",
    "call": "phone",
    "meeting": "calendar",
    "mail": "mail",
    "follow_up": "bell",
    "quote": "file-text",
    "imported": "upload",
    "merged": "merge",
    "created": "user-plus",
    "assigned": "user-check",
    "status": "arrow-right",
}
"""Kind of an entry -> its icon."""
DAYS = ("expectedCloseAt",)
"""Fields that people enter as days; their times are stored."""
START = 120
"""Characters of a mail that stand in the timeline before it is unfolded."""
AMOUNTS = ("value",)
"""Fields of leads with an amount of money."""
PLANNED = {"meeting": "startsAt", "follow_up": "dueAt"}
"""Kind of an entry -> the field with its time."""


def shown_entry(entry: Values, formats: Formats) -> JsonObject:
    """Return the entry with its icon, (name, old, new) of its changes, and when the meeting or follow-up is."""
    amounts = AMOUNTS if entry["lead"] else ()
    changes = [(change["name"], *_sides(change, formats, amounts)) for change in entry["changes"]]
    notes = entry["data"].get("notes")  # of changes the old and the new text, which `changes` has
    planned = entry["data"].get(PLANNED.get(entry["kind"], ""))
    return {
        **entry,
        "icon": ICONS.get(entry["kind"], "pencil"),
        "told": [] if entry["kind"] == "status" else changes,
        "planned": planned,
        "note": notes if isinstance(notes, str) else "",
        **_mail_words(entry),
    }


def _mail_words(entry: Values) -> JsonObject:
    """Return the words of a sent mail or a reply, the beginning of long ones, and the id by which it is replied to."""
    data = entry["data"]
    text = data.get("text") if entry["kind"] == "mail" else None
    if not isinstance(text, str) or not text.strip():
        return {"text": ""}
    start = " ".join(text.split())
    return {
        "text": text,
        "start": f"{start[:START]}…" if len(start) > START else "",
        "quoted": data.get("quoted") or "",
        "answers": data.get("message") or "",
    }


def _sides(change: Values, formats: Formats, amounts: Collection[str]) -> tuple[str, str]:
    """Return the old and the new value; links that were only added or removed are shown as such."""
    if change["field"] in amounts:
        return _money(change["from"], formats), _money(change["to"], formats)
    if change["field"] in DAYS:
        return _day(change["from"], formats), _day(change["to"], formats)
    if change["added"] is None and change["removed"] is None:
        return _words(change["from"], formats), _words(change["to"], formats)
    parts = (("added", change["added"]), ("removed", change["removed"]))
    return "", "; ".join(f"{word}: {_words(value, formats)}" for word, value in parts if value)


def _money(value: Any, formats: Formats) -> str:
    return "" if value is None else formats.money(Decimal(str(value)))


def _day(value: str | None, formats: Formats) -> str:
    return formats.date(datetime.fromisoformat(value)) if value else ""


def _words(value: Any, formats: Formats) -> str:
    """Write a value of a change, whose field is not known here; days and times by how they are stored."""
    if isinstance(value, list):
        return ", ".join(_words(item, formats) for item in value)
    return dated_text(value, formats) if isinstance(value, str) and STORED_DATE.fullmatch(value) else format_cell(value)
