"""What nodes do, in a sentence, from their settings as rendered: a dry run tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workflows.expressions.filters import text


def told(value: Any, most: int = 100) -> str:
    """Return a value as a sentence quotes it."""
    words = text(value)
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”"


def of_record(panel: str) -> Callable[[Mapping[str, Any]], str]:
    def effect(settings: Mapping[str, Any]) -> str:
        action, values = settings["action"], settings.get("values") or {}
        if action == "delete":
            return f"Deletes the {panel} of the run."
        given = ", ".join(f"{key} {told(value)}" for key, value in list(values.items())[:20])
        tags = f"{len(settings['tags'])} tags" if settings.get("tags") else ""
        what = " and ".join(filter(None, (given, tags)))
        if action == "update":
            verb = {"set": "Sets", "append": "Adds", "remove": "Removes", "clear": "Clears"}[settings["updateType"]]
            return f"{verb} {what} of the {panel} of the run."
        return f"{'Creates' if action == 'create' else 'Creates or changes'} a {panel} with {what}."

    return effect


def of_tags(settings: Mapping[str, Any]) -> str:
    verb, to = {"add": ("Adds", "to"), "remove": ("Removes", "from"), "set": ("Sets", "of")}[settings["action"]]
    number = len(settings["tags"])
    return f"{verb} {number} {'tag' if number == 1 else 'tags'} {to} the {settings['panel']} of the run."


def of_assignment(settings: Mapping[str, Any]) -> str:
    to = " and ".join(
        f"{word} {settings[key]}" for key, word in (("team", "team"), ("teamMember", "member")) if settings.get(key)
    )
    return f"Gives the lead of the run to {to}."
