"""Descriptions of nodes' actions, in a sentence, from their rendered settings: dry runs show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accounts.models import Member
from core.types import Values
from crm.segments.models import Segment
from crm.teams.models import Team
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.runs.campaigns.models import Campaign
from workflows.expressions.filters import ExpressionFailed, text


def quoted(value: Any, most: int = 100) -> str:
    """Return a value as a sentence quotes it."""
    try:
        words = value if isinstance(value, str) else text(value)
    except ExpressionFailed:
        return "“…”"
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def of_record(panel: str) -> Callable[[Values], str]:
    def effect(settings: Values) -> str:
        action, values = settings["action"], settings.get("values") or {}
        if action == "delete":
            return f"Deletes the {panel} of the run."
        assignments = ", ".join(f"{key} {quoted(value)}" for key, value in list(values.items())[:20])
        tags = counted(len(settings["tags"]), "tag") if settings.get("tags") else ""
        what = " and ".join(filter(None, (assignments, tags)))
        if action == "update":
            verb = {"set": "Sets", "append": "Adds", "remove": "Removes", "clear": "Clears"}[settings["updateType"]]
            return f"{verb} {what} of the {panel} of the run."
        return f"{'Creates' if action == 'create' else 'Creates or changes'} a {panel} with {what}."

    return effect


def of_tags(settings: Values) -> str:
    verb, to = {"add": ("Adds", "to"), "remove": ("Removes", "from"), "set": ("Sets", "of")}[settings["action"]]
    return f"{verb} {counted(len(settings['tags']), 'tag')} {to} the {settings['panel']} of the run."


def of_chat(settings: Values) -> str:
    to = quoted(settings["to"]) if settings.get("to") else "the contact of the run"
    return f"Writes to {to} by chat, with an approved template."


def of_mail(what: Callable[[Values], str]) -> Callable[[Values], str]:
    """Return the effect of a node that writes a mail, with `what` for the description of its content."""

    def effect(settings: Values) -> str:
        to = quoted(settings["to"]) if settings.get("to") else "the contact of the run"
        held = ", and holds it until it is approved" if settings.get("draft") else ""
        return f"Writes an email to {to}: {what(settings)}{held}."

    return effect


def of_words(settings: Values) -> str:
    if settings.get("template"):
        return f"by the template {_name(EmailTemplate, settings['template'])}"
    return quoted(settings.get("subject"))


def of_campaign(settings: Values) -> str:
    to = quoted(settings["to"]) if settings.get("to") else "the contact of the run"
    return f"Adds {to} to the campaign {_name(Campaign, settings['campaign'])}."


def of_segment(settings: Values) -> str:
    verb, to = {"add": ("Adds", "to"), "remove": ("Removes", "from")}[settings["action"]]
    return f"{verb} the record of the run {to} the segment {_name(Segment, settings['segment'])}."


def of_approval(settings: Values) -> str:
    groups = [counted(len(settings[name]), name[:-1]) for name in ("members", "roles") if settings.get(name)]
    return f"Asks {' and '.join(groups)}: {quoted(settings['text'])}"


def of_call(settings: Values) -> str:
    return f"Notes an {settings['direction']} call, {settings['outcome']}" + (
        f": {quoted(settings['notes'])}" if settings.get("notes") else "."
    )


def _name(model: type[Team | Member | Campaign | EmailTemplate | Segment], id: str) -> str:
    name = model.objects.filter(pk=id).values_list("name", flat=True).first()
    return quoted(name) if name else "that is gone"


def of_assignment(settings: Values) -> str:
    named = (("team", Team, settings.get("team")), ("member", Member, settings.get("teamMember")))
    to = " and ".join(f"the {word} {_name(model, id)}" for word, model, id in named if id)
    return f"Gives the lead of the run to {to}."
