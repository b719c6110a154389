"""The steps of a chatbot: their titles and the fields of their forms."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from core.text.labels.counts import MESSAGES, SPANS
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
    "messages": gettext_lazy("Texts"),
    "logic": gettext_lazy("Entry"),
    "team": gettext_lazy("Handover"),
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
            gettext_lazy("Incoming message"),
            gettext_lazy("Name and entry rules"),
            ("out", "watch"),
            name={"type": "string", "maxLength": 200, "required": True},
            description={"type": "string", "x-label": gettext_lazy("Purpose"), "maxLength": 200},
            kind={
                "type": "string",
                "enum": ["flow", "router"],
                "required": True,
                "x-labels": {
                    "flow": gettext_lazy("Flow: sends texts one after the other"),
                    "router": gettext_lazy("Router: receives all messages first"),
                },
            },
            label={
                "type": "string",
                "maxLength": 100,
                "description": gettext_lazy("Members see this as the origin."),
            },
            allowEnter={
                "type": "boolean",
                "default": True,
                "x-label": gettext_lazy("Allow handover from other chatbots"),
            },
            allowLeave={
                "type": "boolean",
                "default": True,
                "x-label": gettext_lazy("Allow handover to other chatbots"),
            },
            custom={"type": "boolean", "default": False, "x-label": gettext_lazy("Own file size limit")},
            maxFileSizeMb={
                "type": "integer",
                "x-label": gettext_lazy("Maximum file size (MB)"),
                "description": gettext_lazy("From 1 to 100."),
            },
        ),
        _type(
            TEXT,
            "messages",
            gettext_lazy("Text"),
            gettext_lazy("Reply to a message, with a question if needed"),
            ("out",),
            text={"type": "string", "maxLength": 4096, "required": True},
        ),
        _type(
            KEYWORDS,
            "logic",
            gettext_lazy("Keywords"),
            gettext_lazy("Words that start this chatbot"),
            words={
                "type": "array",
                "items": {"type": "string"},
                "required": True,
                "description": gettext_lazy("One per line. The chatbot with the most weight replies."),
            },
            weight={"type": "number", "default": 1, "description": gettext_lazy("Weight of each keyword.")},
            rank={
                "type": "number",
                "default": 0,
                "description": gettext_lazy("With equal weight, the lowest rank wins."),
            },
        ),
        _type(
            CONTAINS,
            "team",
            gettext_lazy("Words in a message"),
            gettext_lazy("Hand over if a message has these words"),
            phrase={"type": "string", "x-label": gettext_lazy("Words"), "required": True},
        ),
        _type(
            COUNT,
            "team",
            gettext_lazy("Number of messages"),
            gettext_lazy("Hand over after this number of messages"),
            messageCount={"type": "integer", "x-label": gettext_lazy("Messages"), "required": True},
        ),
        _type(
            TIME,
            "team",
            gettext_lazy("Time"),
            gettext_lazy("Hand over after this time, even without messages"),
            minutes={"type": "integer", "required": True},
        ),
        _type(
            FINISHED,
            "team",
            gettext_lazy("End of the texts"),
            gettext_lazy("Hand over after the last text"),
        ),
        _type(
            END,
            "team",
            gettext_lazy("Handover"),
            gettext_lazy("The conversation waits for a member. Default: after the last text."),
            mode={
                "type": "string",
                "x-label": gettext_lazy("When"),
                "enum": ["any", "all"],
                "required": True,
                "x-labels": {
                    "any": gettext_lazy("one rule matches"),
                    "all": gettext_lazy("all rules match"),
                },
            },
        ),
    )
}


def summarize_step(node: Values) -> str:
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
        parts += [_("weight %(weight)s") % {"weight": f"{weight:g}"}] if weight not in (0, 1) else []
        parts += [_("rank %(rank)s") % {"rank": f"{rank:g}"}] if rank else []
        return " · ".join(map(str, parts))
    if type == COUNT:
        return MESSAGES.of(config.get("messageCount"))
    if type == TIME:
        return SPANS["minutes"].of(config.get("minutes"))
    if type == END:
        return _("When all rules match") if config.get("mode") == "all" else _("When a rule matches")
    return f"“{config.get('phrase', '')}”" if type == CONTAINS else str(config.get("text") or "")
