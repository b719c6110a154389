"""Sends messages by a chat app, one recipient each, with the outcomes that mail has.

The intent is committed before the request; only an answer, or a status that the vendor tells later, says that it went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from outreach.chat_apps.client import ChatClient
from outreach.chat_apps.models import ChatApp
from outreach.smtp.message import InvalidMail
from outreach.smtp.outcome import Outcome


@dataclass(frozen=True, slots=True)
class OutgoingChat:
    """A message as it is sent."""

    id: str
    to: str
    """E.164."""
    content: Mapping[str, Any]
    """Its type, and what the type has, as the vendor takes it."""


class ChatSession:
    """An app's account for many messages in a row, used by one thread. No faster than the vendor takes them."""

    def __init__(self, client: ChatClient, interval: float) -> None:
        self._client = client
        self._interval = interval
        self._next = 0.0

    def deliver(self, message: OutgoingChat, commit_intent: Callable[[], None]) -> Outcome:
        """Send one message to one recipient. Returns the outcome. Raises InvalidMail before anything is sent."""
        if not message.content.get("type") or not message.to:
            raise InvalidMail("the message has no content for a chat")
        wait = self._next - monotonic()
        if wait > 0:
            sleep(wait)
        self._next = monotonic() + self._interval
        commit_intent()
        return self._client.send(message.to, message.content, message.id)

    def close(self) -> None:
        """End the session."""


def session_of(app: ChatApp) -> ChatSession:
    """Return a session of the app. Raises SmtpError."""
    return ChatSession(ChatClient.of(app), app.max_connections / app.per_second)
