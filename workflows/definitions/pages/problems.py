"""The problems of a draft in the terms of its pages: sentences that say what to do, and the field where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.schemas import label_of, setting_of
from workflows.definitions.pages.problem_texts import CHECK, CHECK_STEP, OF_SETTING, REASONS, WHOLE
from workflows.definitions.pages.words import LABELS as FORM_LABELS

LABELS = {
    "triggerEventType": gettext_lazy("Trigger"),
    "filter": gettext_lazy("Conditions"),
    "for": gettext_lazy("How long"),
    "teamMember": gettext_lazy("Member"),
    "arms": gettext_lazy("Branches"),
    "notes": gettext_lazy("Note"),
    "schedule": gettext_lazy("Schedule"),
    "amount": gettext_lazy("Amount"),
}
"""Last part of the path of a setting -> its label; others have the names of the forms."""
OF_STEP = ("unreachable", "cycle", "leavesLoop", "noErrorEdge")
"""Codes of problems that are fixed where a step is connected."""
CONNECTIONS = "connections"
"""The part of a step's page that connects it."""
FIXED_AT = {
    "noTimes": "schedule.type",
    "noWait": "config.for",
    "twoWaits": "config.for",
    "noAssignee": "config.team",
    "noText": "config.subject",
    "twoTexts": "config.template",
    "onlyOfTemplate": "config.variables",
    "nobodyAsked": "config.members",
    "nobodyTold": "config.members",
    "noValues": "config.values",
    "noChange": "config.values",
    "stageNotSet": "config.updateType",
    "noItems": "config.items",
    "noConditions": "config.filter",
    "otherLoop": "config.mode",
}
"""Reason of a problem with a step or a schedule as a whole -> the setting that fixes it."""


def problem_view(problem: Values, node: Values | None = None) -> JsonObject:
    """Return a problem with a sentence for people as its message. `node` has the setting."""
    return {**problem, "message": _sentence(problem, node)}


def _sentence(problem: Values, node: Values | None) -> str:
    code = str(problem["code"])
    path = str(problem["path"])
    reason = str(problem.get("reason") or "")
    label = "" if code in WHOLE and not reason else _field(path)
    if code == "badValue" and label and _is_empty(path, node):
        reason = reason if reason in REASONS else "missing"
    if reason in REASONS:
        return str(REASONS[reason])
    if code in WHOLE and not (code == "tooLarge" and label):
        return str(WHOLE[code])
    if code in REASONS:
        return str(REASONS[code])
    if not label:
        return str(CHECK_STEP)
    text = OF_SETTING.get(reason) or OF_SETTING.get(code) or CHECK
    return str(text) % {"name": "", **problem.get("params", {}), "label": label}


def anchor_of(problem: Values) -> str:
    """Return the id of the part of the step's page where a problem is fixed; empty for the page as a whole."""
    path = str(problem["path"])
    if problem["code"] in OF_STEP:
        return CONNECTIONS
    if path in ("config", "schedule"):
        path = FIXED_AT.get(str(problem.get("reason") or problem["code"]), path)
    if path == "triggerEventType":
        return "f-triggerEventType"
    root, _, rest = path.partition(".")
    if path == "schedule":
        rest = "type"
    return f"at-{root}.{rest.partition('.')[0]}" if rest and root in ("config", "onError", "schedule") else ""


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


def setting_label(path: str) -> str:
    """Return the label of a setting of a step, such as its template."""
    return _field(f"config.{path}")


def _field(path: str) -> str:
    """Return the label of the setting at a path; empty for a path that is no setting of a form."""
    root, *parts = path.split(".")
    names = [part for part in parts if not part.isdecimal()] or ([root] if root in LABELS else [])
    if not names:
        return ""
    own = FORM_LABELS.get(setting_of(path)) if names[-1] not in LABELS else None
    return str(own or LABELS.get(names[-1]) or label_of(names[-1], {}))
