"""Outcomes of delivering a message to a mail server, and of connecting to the server."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from outreach.connections.smtp.refusals import Severity, judge_refusal

Stage = Literal["connect", "tls", "auth", "limit", "mail", "rcpt", "data", "body", "final"]
"""The stage at which a message was refused. `limit`: its sender has reached a sending limit."""

# RFC 2034: the code stands at the beginning of the text. Elsewhere it could be another server's.
_ENHANCED = re.compile(r"^\s*([245]\.\d{1,3}\.\d{1,3})\b")
_SENDER_STAGES = frozenset({"connect", "tls", "auth", "mail"})
_RECIPIENT_CODES: Mapping[Stage, range] = {"rcpt": range(500, 600), "final": range(550, 560)}
"""Stage -> codes that may be about the recipient. Exchange refuses unknown ones once it has read the message."""
BAD_ADDRESS = "bad_address"


@dataclass(frozen=True, slots=True)
class Sent:
    """The server accepted the message."""

    reply: str
    provider_id: str = ""
    """The mail vendor's id of the message."""
    thread_id: str = ""
    """The mail vendor's id of the message's thread."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message was certainly not sent: the server refused it, or the connection ended before it was complete."""

    temporary: bool
    code: int | None
    reply: str
    stage: Stage
    retry_after: float | None = None
    """Seconds after which the sender may send again, if the server has given them."""
    reason: str = ""
    """The message's reason if it ends with this, where the channel knows better than `rejected`."""
    judged_bad: bool | None = field(default=None, compare=False)
    """The server's text, before secrets were hidden in it, says that the mailbox doesn't exist. None: not judged."""

    @property
    def enhanced_code(self) -> str | None:
        """The RFC 3463 status such as 5.1.1, when the server gave one."""
        match = _ENHANCED.match(self.reply)
        return match.group(1) if match else None

    @property
    def about_sender(self) -> bool:
        """Return whether the sender's account or server is the cause, so that its other messages would fail as well."""
        return self.stage in _SENDER_STAGES

    @property
    def bad_address(self) -> bool:
        """Return whether the recipient's mailbox doesn't exist, so that the address must be suppressed."""
        if self.reason == BAD_ADDRESS:
            return True
        if self.judged_bad is not None:
            return self.judged_bad
        # A 4xx never suppresses: greylisting and full mailboxes say the same words as unknown users.
        if self.reason or self.temporary or self.code not in _RECIPIENT_CODES.get(self.stage, ()):
            return False
        said = f"{self.code} {self.reply}"
        # After the body a server may refuse the content with words that would mean the address at RCPT.
        judged = judge_refusal(self.enhanced_code or "", said, after_data=self.stage == "final")
        return judged is Severity.HARD


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The message was complete, but no valid reply came. It may have been sent, and is not sent again automatically."""

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
