"""What can become of a message that was handed to a mail server, and of an attempt to reach that server."""

import re
from dataclasses import dataclass
from typing import Literal

Stage = Literal["connect", "tls", "auth", "mail", "rcpt", "data", "body", "final"]

_ENHANCED = re.compile(r"^\s*([245]\.\d{1,3}\.\d{1,3})\b")
_SENDER_STAGES = frozenset({"connect", "tls", "auth", "mail"})


@dataclass(frozen=True, slots=True)
class Sent:
    """The server took responsibility for the message."""

    reply: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message surely did not go out: the server said no, or the connection broke before the message was complete."""

    temporary: bool
    code: int | None
    reply: str
    stage: Stage

    @property
    def enhanced_code(self) -> str | None:
        """The RFC 3463 status such as 5.1.1, when the server gave one."""
        found = _ENHANCED.match(self.reply)
        return found.group(1) if found else None

    @property
    def about_sender(self) -> bool:
        """Whether the trouble lies with the sender's account or server, so that its other messages would meet it too."""
        return self.stage in _SENDER_STAGES

    @property
    def bad_address(self) -> bool:
        """Whether the recipient's mailbox doesn't exist, so that nothing should ever be sent to it again."""
        if self.stage != "rcpt" or self.temporary or self.code is None:
            return False
        if self.enhanced_code is not None:
            return self.enhanced_code in {"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"}
        return self.code in {550, 551, 553}


@dataclass(frozen=True, slots=True)
class Uncertain:
    """The message was complete, yet no readable answer came: it may or may not go out, and must not be sent again by itself."""

    reason: str


Outcome = Sent | Rejected | Uncertain


class SmtpError(Exception):
    """A session that could not be opened or used; the text is fit for people and free of secrets."""

    def __init__(self, stage: Stage, detail: str, *, temporary: bool, code: int | None = None) -> None:
        super().__init__(detail)
        self.stage: Stage = stage
        self.detail = detail
        self.temporary = temporary
        self.code = code

    def as_rejected(self) -> Rejected:
        """The same trouble as the outcome of a message that was to go over this session."""
        return Rejected(temporary=self.temporary, code=self.code, reply=self.detail, stage=self.stage)
