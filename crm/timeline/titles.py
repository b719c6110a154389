"""The titles of the entries of a timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.errors import shorten
from core.types import Values
from crm.activities.models import LeadActivity
from crm.timeline.changes import NAMES

Kind = LeadActivity.Kind
Data = Values
MEETINGS = {
    "created": "Meeting scheduled",
    "updated": "Meeting changed",
    "cancelled": "Meeting cancelled",
    "invited": "Asked to a meeting",
    "removed": "Taken off a meeting",
}
MAILS = {
    "opened": "Mail opened",
    "clicked": "Link of a mail clicked",
    "replied": "Reply received",
    "bounced": "Mail came back",
    "complained": "Complained about mail",
}
MAX_NAMED = 5


def title_of(kind: str, data: Data, names: Mapping[str, str], *, of_lead: bool) -> str:
    """Return the title of an entry; `names` has uniqueFieldID -> name."""
    return TITLES[kind](data, names, "Lead" if of_lead else "Contact")


def _happened(word: str) -> Callable[[Data, Mapping[str, str], str], str]:
    return lambda data, names, noun: f"{noun} {word}"


def _changed(data: Data, names: Mapping[str, str], noun: str) -> str:
    if "unsubscribed" in data:
        return "Unsubscribed" if (data["unsubscribed"] or {}).get("to", True) else "Gets messages again"
    return f"{_listed(data, names, noun)} changed"


def _imported(data: Data, names: Mapping[str, str], noun: str) -> str:
    file = f" from {data['fileName']}" if data.get("fileName") else ""
    if "changes" not in data:
        return f"Imported{file}"
    return f"{_listed(data['changes'], names, noun)} imported{file}"


def _listed(changes: Data, names: Mapping[str, str], noun: str) -> str:
    """Name the changed fields: "Email and City", or "Lead: Value"."""
    # The number as a whole changes with its parts.
    keys = [key for key in changes if key != "contactNumber" or "number" not in changes]
    labels = sorted((names.get(key) or NAMES.get(key) or key[:1].upper() + key[1:] for key in keys), key=str.casefold)
    labels = labels or [noun]
    if len(labels) > MAX_NAMED:
        labels = [*labels[: MAX_NAMED - 1], f"{len(labels) - MAX_NAMED + 1} more"]
    *first, last = labels
    text = f"{', '.join(first)} and {last}" if first else last
    return f"Lead: {text}" if noun == "Lead" != text else text


def _status(data: Data, names: Mapping[str, str], noun: str) -> str:
    change = data.get("status") or {}
    return f"Lead moved from {change.get('from')} to {change.get('to')}"


def _mail(data: Data, names: Mapping[str, str], noun: str) -> str:
    return _with(MAILS.get(data.get("event", ""), "Mail sent"), data.get("subject"))


def _call(data: Data, names: Mapping[str, str], noun: str) -> str:
    direction = "Call received" if data.get("direction") == "inbound" else "Call made"
    minutes, seconds = divmod(int(data.get("duration") or 0), 60)
    length = f"{minutes} min" if minutes else f"{seconds} s"
    outcome = str(data.get("outcome") or "").replace("_", " ")
    return _with(direction, ", ".join(part for part in (outcome, length if data.get("duration") else "") if part))


def _meeting(data: Data, names: Mapping[str, str], noun: str) -> str:
    return _with(MEETINGS.get(data.get("event", ""), "Meeting"), data.get("title"))


def _follow_up(data: Data, names: Mapping[str, str], noun: str) -> str:
    return _with(f"Follow-up {data.get('event', '')}".strip(), data.get("title"))


def _merged(data: Data, names: Mapping[str, str], noun: str) -> str:
    return f"Merge of the {noun.lower()} undone" if data.get("event") == "unmerged" else f"{noun} merged with another"


def _with(text: str, detail: Any) -> str:
    return f"{text}: {shorten(detail)}" if detail else text


TITLES: dict[str, Callable[[Data, Mapping[str, str], str], str]] = {
    Kind.CREATED: _happened("created"),
    Kind.DELETED: _happened("deleted"),
    Kind.RESTORED: _happened("restored"),
    Kind.ASSIGNED: _happened("assigned"),
    Kind.CHANGED: _changed,
    Kind.IMPORTED: _imported,
    Kind.STATUS: _status,
    Kind.NOTE: lambda data, names, noun: "Note",
    Kind.MAIL: _mail,
    Kind.CALL: _call,
    Kind.MEETING: _meeting,
    Kind.FOLLOW_UP: _follow_up,
    Kind.MERGED: _merged,
}
"""Kind of activity -> its title, from its data, the names of fields and "Contact" or "Lead"."""
