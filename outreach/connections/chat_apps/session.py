"""Sends messages by a chat app, one recipient each, with the outcomes of mail.

The intent is committed before the request. Only a response, or a status that the vendor reports later, confirms that it
was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Protocol

from core.types import Values
from outreach.connections.chat_apps.client import ChatClient, ChatFailed
from outreach.connections.chat_apps.messenger import MessengerClient
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.social_b import SocialBClient
from outreach.connections.smtp.message import InvalidMail
from outreach.connections.smtp.outcome import Outcome, SmtpError
from outreach.connections.smtp.parts import Attachment


@dataclass(frozen=True, slots=True)
class OutgoingChat:
    """A message as it is sent."""

    id: str
    to: str
    """E.164."""
    content: Values
    """The type of the message, and the content of the type, in the vendor's format."""
    files: Sequence[Attachment] = ()
    """Its file: one at most."""
    links: Sequence[str] = ()
    """Addresses of the files, which open them without login."""


class Client(Protocol):
    """The client of a vendor."""

    def send(self, to: str, content: Values, job: str) -> Outcome:
        """Send one message. The vendor stores the job's id with it."""

    def with_file(self, content: Values, file: Attachment, link: str) -> Values:
        """Return a message with its file, which may be given to the vendor for that; by its `link` a vendor fetches it
        for some days. Raises ChatFailed."""


class ChatSession:
    """An app's account for many messages in a row, used by one thread. No faster than the vendor takes them."""

    def __init__(self, client: Client, interval: float) -> None:
        self._client = client
        self._interval = interval
        self._next = 0.0

    def deliver(self, message: OutgoingChat, commit_intent: Callable[[], None]) -> Outcome:
        """Send one message to one recipient. Returns the outcome. Raises InvalidMail before anything is sent."""
        if not message.content.get("type") or not message.to:
            raise InvalidMail("the message has no content for a chat")
        wait = self._next - monotonic()
        if wait > 0:
            # The vendor counts messages a second for each number, and refuses what is faster.
            sleep(wait)
        self._next = monotonic() + self._interval
        content = self._content_to_send(message)  # uploading alone sends nothing
        # HTTP has no last byte to hold back, so the intent comes before the whole request.
        commit_intent()
        return self._client.send(message.to, content, message.id)

    def _content_to_send(self, message: OutgoingChat) -> Values:
        """Return the content to send. Raises InvalidMail for a file that the vendor never accepts, and SmtpError."""
        if not message.files:
            return message.content
        try:
            return self._client.with_file(message.content, message.files[0], message.links[0])
        except ChatFailed as failed:
            if failed.refused:
                raise SmtpError("auth", failed.detail, temporary=False) from None
            if failed.temporary:
                raise SmtpError("connect", failed.detail, temporary=True) from None
            raise InvalidMail(f"the vendor does not take the file: {failed.detail}") from None

    def close(self) -> None:
        """End the session."""


CLIENTS: dict[str, Callable[[ChatApp], Client]] = {
    ChatApp.Vendor.CHATAPP: ChatClient.for_app,
    ChatApp.Vendor.MESSENGER: MessengerClient.for_app,
    ChatApp.Vendor.SOCIAL_B: SocialBClient.for_app,
}
"""Vendor -> the function that returns its client."""


def session_of(app: ChatApp) -> ChatSession:
    """Return a session of the app. Raises SmtpError."""
    return ChatSession(CLIENTS[app.vendor](app), app.max_connections / app.per_second)
