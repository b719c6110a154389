"""The steps of a chatbot: their titles and the fields of their forms."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

START = "start"
END = "end"
TEXT = "text"
KEYWORDS = "keywords"
CONTAINS = "contains_text"
COUNT = "message_count"
TIME = "time_based"
FINISHED = "flow_finished"
RULES = (CONTAINS, COUNT, TIME, FINISHED)
GROUPS = {
    "messages": gettext_lazy("What it says"),
    "logic": gettext_lazy("Whom it answers"),
    "team": gettext_lazy("When a member goes on"),
}
"""Group of types -> its title, in the order in which they are offered."""


def _type(type: str, group: str, label: str, help: str, handles: tuple[str, ...] = (), /, **properties: Any) -> Any:
    needed = [name for name, definition in properties.items() if definition.pop("required", False)]
    schema = {"type": "object", "properties": properties, "required": needed}
    return {"type": type, "group": group, "label": label, "help": help, "handles": handles, "schema": schema}


TYPES: JsonObject = {
    one["type"]: one
    for one in (
        _type(
            START,
            "trigger",
            gettext_lazy("Somebody writes"),
            gettext_lazy("What the chatbot is called, and whom it gets"),
            ("out", "watch"),
            name={"type": "string", "maxLength": 200, "required": True},
            description={"type": "string", "x-label": gettext_lazy("What it is for"), "maxLength": 200},
            kind={
                "type": "string",
                "enum": ["flow", "router"],
                "required": True,
                "x-labels": {
                    "flow": "Flow: says its texts one after the other",
                    "router": "Router: gets all others first",
                },
            },
            label={
                "type": "string",
                "maxLength": 100,
                "description": gettext_lazy("What members see of where people came from."),
            },
            allowEnter={"type": "boolean", "default": True, "x-label": gettext_lazy("Others may hand people to it")},
            allowLeave={
                "type": "boolean",
                "default": True,
                "x-label": gettext_lazy("People may leave it for another chatbot"),
            },
            custom={"type": "boolean", "default": False, "x-label": gettext_lazy("A limit of its own for files")},
            maxFileSizeMb={
                "type": "integer",
                "x-label": gettext_lazy("Largest file, in MB"),
                "description": gettext_lazy("From 1 to 100."),
            },
        ),
        _type(
            TEXT,
            "messages",
            gettext_lazy("Text"),
            gettext_lazy("What it says after one message of the person, and what it asks"),
            ("out",),
            text={"type": "string", "maxLength": 4096, "required": True},
        ),
        _type(
            KEYWORDS,
            "logic",
            gettext_lazy("Keywords"),
            gettext_lazy("Words in a message that bring people here, by weight and rank"),
            words={
                "type": "array",
                "items": {"type": "string"},
                "required": True,
                "description": gettext_lazy(
                    "One in a line. The chatbot whose keywords weigh most in a message answers."
                ),
            },
            weight={"type": "number", "default": 1, "description": gettext_lazy("How much each counts.")},
            rank={
                "type": "number",
                "default": 0,
                "description": gettext_lazy("Of those that weigh the same the lowest goes first."),
            },
        ),
        _type(
            CONTAINS,
            "team",
            gettext_lazy("Words in a message"),
            gettext_lazy("A member goes on when the person writes these words"),
            phrase={"type": "string", "x-label": gettext_lazy("Words"), "required": True},
        ),
        _type(
            COUNT,
            "team",
            gettext_lazy("Number of messages"),
            gettext_lazy("A member goes on when the person has written so many"),
            messageCount={"type": "integer", "x-label": gettext_lazy("Messages"), "required": True},
        ),
        _type(
            TIME,
            "team",
            gettext_lazy("Time"),
            gettext_lazy("A member goes on after so many minutes, also when nobody writes"),
            minutes={"type": "integer", "required": True},
        ),
        _type(
            FINISHED,
            "team",
            gettext_lazy("End of the texts"),
            gettext_lazy("A member goes on as soon as the chatbot has said its last text"),
        ),
        _type(
            END,
            "team",
            gettext_lazy("A member goes on"),
            gettext_lazy(
                "The conversation waits for a member. Without anything else it does when the chatbot has no text left"
            ),
            mode={
                "type": "string",
                "x-label": gettext_lazy("When"),
                "enum": ["any", "all"],
                "required": True,
                "x-labels": {
                    "any": gettext_lazy("one of the rules above comes true"),
                    "all": gettext_lazy("all of them have come true"),
                },
            },
        ),
    )
}


def about(node: Values) -> str:
    """Return a summary of a step in one line."""
    config = node["data"].get("config") or {}
    type = node["type"]
    if type == START:
        return (
            _("Router: handles unmatched messages") if config.get("kind") == "router" else _("Sends its texts in order")
        )
    if type == KEYWORDS:
        weight, rank = config.get("weight") or 0, config.get("rank") or 0
        parts = [", ".join(config.get("words") or ())]
        parts += [f"weight {weight:g}"] if weight not in (0, 1) else []
        parts += [f"rank {rank:g}"] if rank else []
        return " · ".join(map(str, parts))
    if type == COUNT:
        return _("%(config)s of them") % {"config": f"{config.get('messageCount', 0):,}"}
    if type == TIME:
        return f"{config.get('minutes', 0):,} minutes"
    if type == END:
        return _("When all rules match") if config.get("mode") == "all" else _("When a rule matches")
    return f"“{config.get('phrase', '')}”" if type == CONTAINS else str(config.get("text") or "")
