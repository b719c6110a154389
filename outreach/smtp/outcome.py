"""Outcomes of delivering a message to a mail server, and of connecting to the server."""

import re
from dataclasses import dataclass
from typing import Literal

Stage = Literal["connect", "tls", "auth", "limit", "mail", "rcpt", "data", "body", "final"]
"""Where a message was refused; `limit`: its sender sends too much at the moment."""

_ENHANCED = re.compile(r"^\s*([245]\.\d{1,3}\.\d{1,3})\b")
_SENDER_STAGES = frozenset({"connect", "tls", "auth", "mail"})


@dataclass(frozen=True, slots=True)
class Sent:
    """The server accepted the message."""

    reply: str
    provider_id: str = ""
    """What a mail vendor calls the message."""
    thread_id: str = ""
    """What it calls the thread that the message is in."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message was certainly not sent: the server refused it, or the connection ended before it was complete."""

    temporary: bool
    code: int | None
    reply: str
    stage: Stage
    retry_after: float | None = None
    """Seconds after which the sender may send again, when the server said so."""
    reason: str = ""
    """The message's reason if it ends with this, where the channel knows better than `rejected`."""

    @property
    def enhanced_code(self) -> str | None:
        """The RFC 3463 status such as 5.1.1, when the server gave one."""
        found = _ENHANCED.match(self.reply)
        return found.group(1) if found else None

    @property
    def about_sender(self) -> bool:
        """Whether the sender's account or server is the cause, so that its other messages would fail as well."""
        return self.stage in _SENDER_STAGES

    @property
    def bad_address(self) -> bool:
        """Whether the recipient's mailbox doesn't exist, so that the address is to be suppressed."""
        if self.stage != "rcpt" or self.temporary or self.code is None:
            return False
        if self.enhanced_code is not None:
            return self.enhanced_code in {"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"}
        return self.code in {550, 551, 553}


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The message was complete, but no valid reply came: it may have been sent, and is not sent again by itself."""

    reason: str


Outcome = Sent | Rejected | Uncertain


class SmtpError(Exception):
    """A session that could not be opened or used. The text is for people and contains no secrets."""

    def __init__(self, stage: Stage, detail: str, *, temporary: bool, code: int | None = None) -> None:
        super().__init__(detail)
        self.stage: Stage = stage
        self.detail = detail
        self.temporary = temporary
        self.code = code

    def as_rejected(self) -> Rejected:
        """Return the error as the outcome of a message of this session."""
        return Rejected(temporary=self.temporary, code=self.code, reply=self.detail, stage=self.stage)
