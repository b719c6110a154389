"""Requests to chatbots, and their replies: the domain of each kind of chatbot registers itself here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from core.types import Values
from outreach.chat.conversations.models import Conversation


@dataclass(frozen=True)
class Incoming:
    """A person's message."""

    text: str
    at: datetime
    kind: str = "text"
    file_mb: float | None = None
    """The size of a file, where it is known."""


@dataclass(frozen=True)
class BotReply:
    """A chatbot's reaction: its replies and its memory. `hand_over` is the reason if it hands the conversation over."""

    chatbot_id: str
    memory: Values
    texts: tuple[str, ...] = ()
    hand_over: str = ""
    due_at: datetime | None = None
    """Time of its next check, if nobody writes."""
    name: str = field(default="", compare=False)


Answer = Callable[[Conversation, Incoming | None], BotReply | None]
ANSWERS: list[Answer] = []
"""Functions that answer a person, or with None check the time; each returns None without a chatbot for the
conversation."""


def ask(conversation: Conversation, incoming: Incoming | None) -> BotReply | None:
    """Return the reaction of the first chatbot that handles the conversation."""
    for answer in ANSWERS:
        said = answer(conversation, incoming)
        if said is not None:
            return said
    return None
