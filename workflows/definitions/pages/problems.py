"""The problems of a draft in the terms of its pages: they name fields of forms and steps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.types import JsonObject, Values
from core.web.flows.schemas import label_of

LABELS = {
    "triggerEventType": "Starts",
    "filter": "Conditions",
    "for": "How long",
    "teamMember": "Member",
    "arms": "Ways",
    "notes": "Note",
}
"""Last part of the path of a setting -> its label; others have the names of the forms."""
WHOLE = {
    "noTrigger": "Say what starts it",
    "noGraph": "Add a step: nothing happens yet",
    "notPinned": "Nobody knows what it waits for: the dry run went the first way",
}
"""Code -> its message."""
MISSING = ("is missing", "are missing")
"""Ends of messages about an empty setting."""
NOTHING = ("field required", "should have at least 1", "ensure this value has at least 1")
"""Parts of messages about a missing value."""


def problem_view(problem: Values, labels: Mapping[str, str] | None = None) -> JsonObject:
    """Return a problem with a message for people. `labels` are those of forms, path -> label."""
    message, path = str(problem["message"]), str(problem["path"])
    name = "" if problem["code"] in ("maybeMissing", "unknownReference") else _field(path, labels or {})
    if problem["code"] in WHOLE:
        text = WHOLE[problem["code"]]
    elif name and (problem["code"] == "missing" or any(part in message.lower() for part in NOTHING)):
        text = f"{name} {'are' if name.endswith('s') and not name.endswith(('ss', 'us')) else 'is'} missing"
    else:
        text = re.sub(r"\b([Nn])ode(s?)\b", lambda found: f"{'S' if found[1] == 'N' else 's'}tep{found[2]}", message)
        text = f"{name}: {text}" if name and not text.lower().startswith(name.lower()) else text
    return {**problem, "message": f"{text[:1].upper()}{text[1:]}", "plain": message}


def _field(path: str, labels: Mapping[str, str]) -> str:
    """Return the label of the setting at a path; empty for a path that is no setting of a form."""
    if path in labels:
        return labels[path]
    root, *parts = path.split(".")
    names = [part for part in parts if not part.isdecimal()] or ([root] if root in LABELS else [])
    return (LABELS.get(names[-1]) or label_of(names[-1], {})) if names else ""
