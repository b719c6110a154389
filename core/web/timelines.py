"""Timelines on pages: the API's entries with icons and changes in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.web.cells import cell

SIZE = 30
ICONS = {
    "note": "sticky-note",
    "call": "phone",
    "meeting": "calendar",
    "mail": "mail",
    "follow_up": "bell",
    "imported": "upload",
    "merged": "merge",
    "created": "user-plus",
    "assigned": "user-check",
    "status": "arrow-right",
}
"""Kind of an entry -> its icon."""
PLANNED = {"meeting": "startsAt", "follow_up": "dueAt"}
"""Kind of an entry -> what says when that is."""


def shown_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry with its icon, (name, old, new) of its changes, and when the meeting or follow-up is."""
    told = [] if entry["kind"] == "status" else [(one["name"], *_sides(one)) for one in entry["changes"]]
    planned = entry["data"].get(PLANNED.get(entry["kind"], ""))
    return {**entry, "icon": ICONS.get(entry["kind"], "pencil"), "told": told, "planned": planned}


def _sides(change: Mapping[str, Any]) -> tuple[str, str]:
    """Return the old and the new value; links that only came or went are told as such."""
    if change["added"] is None and change["removed"] is None:
        return cell(change["from"]), cell(change["to"])
    parts = (("added", change["added"]), ("removed", change["removed"]))
    return "", "; ".join(f"{word}: {cell(value)}" for word, value in parts if value)
