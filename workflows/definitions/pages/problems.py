"""The problems of a draft in the terms of its pages: they name fields of forms and steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.cures import without_addresses
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
    "senderMissing": gettext_lazy("Connect an email sender, or choose another"),
    "aiMissing": gettext_lazy("Connect an AI app, or choose another"),
    "noErrorEdge": gettext_lazy("Connect a step to “If it fails”: the run ends there"),
    "noLead": gettext_lazy("This step needs a lead, but the trigger and earlier steps have none"),
}
"""Code -> its message."""
SENTENCES = {
    "needs for, until or window": gettext_lazy("Set how long to wait, a date, or opening hours."),
    "for and until: take one of both": gettext_lazy("Set how long to wait or a date, not both."),
    "needs team or teamMember": gettext_lazy("Choose a team or a member."),
    "needs a template, or subject and body": gettext_lazy("Choose a template, or enter a subject and a body."),
    "template, or subject and body: take one of both": gettext_lazy("Choose a template, or enter your own text."),
    "variables: belong to a template": gettext_lazy("Choose a template, or remove the variables."),
    "needs events, or a filter": gettext_lazy("Choose events, or add conditions."),
    "members: needs members, or roles": gettext_lazy("Choose members or roles."),
    "values: a new record needs some": gettext_lazy("Add at least one value."),
    "values: name at least one to change": gettext_lazy("Add a value or a tag to change."),
    "options: are those of a choice, which needs some": gettext_lazy("Only a choice has options. Add at least one."),
    "header: needs the name of a header that the service does not write itself": gettext_lazy(
        "Enter another header name: the service sets this header."
    ),
    "items: is needed by a loop of mode list": gettext_lazy("Set the items to go through."),
    "filter: is needed by a loop of mode while": gettext_lazy("Add the conditions of the loop."),
    "cron: is needed by a schedule of type cron": gettext_lazy("Set the days and the time."),
    "every: is needed by a schedule of type interval": gettext_lazy("Set how often to repeat."),
    "at: is needed by a schedule of type dates": gettext_lazy("Add at least one time."),
    "field: is needed by a schedule of type field": gettext_lazy("Choose a date field."),
    "audience.panel: is another one than field.panel": gettext_lazy("Choose the same records as for the date."),
    "a workflow that time starts needs a schedule": gettext_lazy("Add a schedule."),
}
"""Message of the API about several settings -> the message for people, in the words of the form's labels."""


def problem_view(problem: Values, node: Values | None = None) -> JsonObject:
    """Return a problem with a message for people, and whether its setting is missing. `node` has the setting."""
    message = without_addresses(str(problem["message"]))
    path = str(problem["path"])
    if message in SENTENCES:
        sentence = str(SENTENCES[message])
        return {**problem, "message": sentence, "plain": sentence, "isMissing": False}
    name = "" if problem["code"] in ("maybeMissing", "unknownReference") else _field(path)
    is_missing = problem["code"] == "missing" or (problem["code"] == "badValue" and _is_empty(path, node))
    if problem["code"] in WHOLE:
        text = message = str(WHOLE[problem["code"]])
    elif name and problem["code"] == "unused":
        text = _("%(name)s has no effect with this trigger") % {"name": name}
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


def setting_label(path: str) -> str:
    """Return the label of a setting of a step, such as its template."""
    return _field(f"config.{path}")


def _field(path: str) -> str:
    """Return the label of the setting at a path; empty for a path that is no setting of a form."""
    root, *parts = path.split(".")
    names = [part for part in parts if not part.isdecimal()] or ([root] if root in LABELS else [])
    return (LABELS.get(names[-1]) or label_of(names[-1], {})) if names else ""
