"""What nodes do, in a sentence, from their settings as rendered: a dry run tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accounts.models import Member
from crm.teams.models import Team
from workflows.expressions.filters import TooLarge, text


def told(value: Any, most: int = 100) -> str:
    """Return a value as a sentence quotes it."""
    try:
        words = value if isinstance(value, str) else text(value)
    except TooLarge:
        return "“…”"
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def of_record(panel: str) -> Callable[[Mapping[str, Any]], str]:
    def effect(settings: Mapping[str, Any]) -> str:
        action, values = settings["action"], settings.get("values") or {}
        if action == "delete":
            return f"Deletes the {panel} of the run."
        given = ", ".join(f"{key} {told(value)}" for key, value in list(values.items())[:20])
        tags = counted(len(settings["tags"]), "tag") if settings.get("tags") else ""
        what = " and ".join(filter(None, (given, tags)))
        if action == "update":
            verb = {"set": "Sets", "append": "Adds", "remove": "Removes", "clear": "Clears"}[settings["updateType"]]
            return f"{verb} {what} of the {panel} of the run."
        return f"{'Creates' if action == 'create' else 'Creates or changes'} a {panel} with {what}."

    return effect


def of_tags(settings: Mapping[str, Any]) -> str:
    verb, to = {"add": ("Adds", "to"), "remove": ("Removes", "from"), "set": ("Sets", "of")}[settings["action"]]
    return f"{verb} {counted(len(settings['tags']), 'tag')} {to} the {settings['panel']} of the run."


def _name(model: type[Team | Member], id: str) -> str:
    name = model.objects.filter(pk=id).values_list("name", flat=True).first()
    return told(name) if name else "that is gone"


def of_assignment(settings: Mapping[str, Any]) -> str:
    named = (("team", Team, settings.get("team")), ("member", Member, settings.get("teamMember")))
    to = " and ".join(f"the {word} {_name(model, id)}" for word, model, id in named if id)
    return f"Gives the lead of the run to {to}."
