"""Requests to chatbots, and their replies: the domain of each kind of chatbot connects to the hook."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from core.hooks import Hook
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


chatbot_reply: Hook[[Conversation, Incoming | None], BotReply | None] = Hook(
    __name__,
    "chatbot_reply",
    "When a person writes in a conversation, or with None when its time is checked; the first reply counts. Returns"
    " the chatbot's reaction, or None without a chatbot for the conversation.",
)
