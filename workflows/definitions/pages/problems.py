"""The problems of a draft in the terms of its pages: they name fields of forms and steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.schemas import label_of

LABELS = {
    "triggerEventType": gettext_lazy("Starts"),
    "filter": gettext_lazy("Conditions"),
    "for": gettext_lazy("How long"),
    "teamMember": gettext_lazy("Member"),
    "arms": gettext_lazy("Ways"),
    "notes": gettext_lazy("Note"),
}
"""Last part of the path of a setting -> its label; others have the names of the forms."""
WHOLE = {
    "noTrigger": gettext_lazy("Choose a trigger"),
    "noGraph": gettext_lazy("Add a step"),
    "notPinned": gettext_lazy("A dry run can't wait for this step: the first branch was used"),
}
"""Code -> its message."""


def problem_view(problem: Values, node: Values | None = None) -> JsonObject:
    """Return a problem with a message for people, and whether its setting is missing. `node` has the setting."""
    message, path = str(problem["message"]), str(problem["path"])
    name = "" if problem["code"] in ("maybeMissing", "unknownReference") else _field(path)
    is_missing = problem["code"] == "missing" or (problem["code"] == "badValue" and _is_empty(path, node))
    if problem["code"] in WHOLE:
        text = WHOLE[problem["code"]]
    elif name and is_missing:
        text = f"{name} {'are' if name.endswith('s') and not name.endswith(('ss', 'us')) else 'is'} missing"
    else:
        text = re.sub(r"\b([Nn])ode(s?)\b", lambda found: f"{'S' if found[1] == 'N' else 's'}tep{found[2]}", message)
        text = f"{name}: {text}" if name and not text.lower().startswith(name.lower()) else text
    missing = bool(name) and is_missing
    return {**problem, "message": f"{text[:1].upper()}{text[1:]}", "plain": message, "isMissing": missing}


def _is_empty(path: str, node: Values | None) -> bool:
    """Return whether the step has an empty value at the path."""
    value: Any = node["data"] if node else None
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False
    return value in ("", [], {})


def _field(path: str) -> str:
    """Return the label of the setting at a path; empty for a path that is no setting of a form."""
    root, *parts = path.split(".")
    names = [part for part in parts if not part.isdecimal()] or ([root] if root in LABELS else [])
    return (LABELS.get(names[-1]) or label_of(names[-1], {})) if names else ""
