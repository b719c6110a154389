"""The follow-ups of a campaign in its form: a fixed number of blank ones, of which empty ones are ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from core.types import JsonObject, Values
from core.web.forms import BoundField, Field, Form, Option
from outreach.runs.genie.pages import chats
from outreach.runs.genie.pages.steps import STOPS, UNITS

MAX_FOLLOW_UPS = 10
MIN_FOLLOW_UPS = 2
NAMES = ("chatTemplate", "chatVariables", "template", "subject", "body", "amount", "unit", "stopOn")


def places(steps: Sequence[Values]) -> int:
    """Return for how many follow-ups the form has fields: one more than there are."""
    return min(MAX_FOLLOW_UPS, max(MIN_FOLLOW_UPS, len(steps) + 1))


def follow_up_fields(steps: Sequence[Values], templates: list[Option], chat_templates: list[Option]) -> list[Field]:
    """Return the fields of the follow-ups, with the values of existing ones."""
    return [
        field
        for place in range(places(steps))
        for field in _fields(place, templates, chat_templates, steps[place] if place < len(steps) else {})
    ]


def _fields(place: int, templates: list[Option], chat_templates: list[Option], step: Values) -> list[Field]:
    delay = step.get("delay") or {"amount": 3, "unit": "days"}
    stops = step.get("stopOn", [option.value for option in STOPS])
    values = {**step, **delay, "stopOn": stops}
    if step.get("template") in {option.value for option in chat_templates}:
        values |= {"chatTemplate": step["template"], "template": ""}
        values["chatVariables"] = chats.variables_shown(step.get("variables"))
    chosen = Field("template", _("Template"), "select", options=templates, placeholder=_("None (write here)"))
    fields = [
        *chats.chat_fields(chat_templates, "chat"),
        *([chosen] if templates else []),
        Field("subject", _("Subject"), help_text=_("Leave empty to reply in the same conversation (Re: …).")),
        Field("body", _("Text"), "textarea", help_text=_("Leave template and text empty to skip this follow-up.")),
        Field("amount", _("Wait"), "number"),
        Field("unit", _("Unit"), "select", options=list(UNITS)),
        Field("stopOn", _("Stop when"), "checks", options=list(STOPS)),
    ]
    for field in fields:
        field.initial = values.get(field.name) or ([] if field.name == "stopOn" else "")
        field.name = f"f{place}-{field.name}"
    return fields


def group_follow_up_fields(form: Form) -> list[JsonObject]:
    """Return the fields of each follow-up by their short names, and whether it has content or an error."""
    by_name = {field.name: field for field in form}
    groups: list[JsonObject] = []
    for place in range(MAX_FOLLOW_UPS):
        own = {name: by_name[key] for name in NAMES if (key := f"f{place}-{name}") in by_name}
        if own:
            groups.append({**own, "open": _has_words(own) or any(field.errors for field in own.values())})
    return groups


def _has_words(own: Mapping[str, BoundField]) -> bool:
    return any(own[name].value() for name in ("body", "template", "chatTemplate") if name in own)


def cadence_of(form: Form, before: Sequence[Values]) -> JsonObject:
    """Return the form's follow-ups in the API's form. Values that the form does not show stay as they were."""
    steps = []
    for place, own in enumerate(group_follow_up_fields(form)):
        if not _has_words(own):
            continue
        values = {name: own[name].value() for name in NAMES if name in own}
        kept = before[place] if place < len(before) else {}
        delay = {"amount": values["amount"], "unit": values["unit"]}
        others = {name: kept[name] for name in ("window", "channel") if kept.get(name)}
        steps.append({**others, "delay": delay, "stopOn": values["stopOn"], **_words(values)})
    return {"steps": steps} if steps else {}


def _words(values: Values) -> JsonObject:
    """Return the content of a follow-up: a chat template, or else a template, or else the typed text."""
    if chosen := values.get("chatTemplate"):
        chat = chats.chat_content(chosen, values["chatVariables"])
        return {"channel": chats.CHAT, "template": chosen, "variables": chat["variables"]}
    content = {"template": values["template"], "body": ""} if values.get("template") else {"body": values["body"]}
    return {"subject": values["subject"], **content}


def form_name(form: Form, path: str) -> str:
    """Return the form's name of a path such as outreachCadence.steps.0.delay.amount; empty if it has none."""
    parts = path.split(".")
    groups = group_follow_up_fields(form)
    used = [place for place, own in enumerate(groups) if _has_words(own)]
    if len(parts) < 4 or not parts[2].isdecimal() or int(parts[2]) >= len(used):
        return ""
    place = used[int(parts[2])]
    names = [name for name in parts[3:] if name != "delay"] or ["amount"]
    name = names[0]
    if "chatTemplate" in groups[place] and groups[place]["chatTemplate"].value():
        name = {"template": "chatTemplate", "variables": "chatVariables"}.get(name, name)
    return f"f{place}-{name}"
