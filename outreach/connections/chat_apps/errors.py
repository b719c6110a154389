"""Effects of the chat vendor's errors on a message, and on its sender.

Every error refuses the request, so that the message was certainly not sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.types import Values
from outreach.connections.smtp.outcome import Rejected, Stage

# Meta's Graph API: 190 is an invalid token, 10 and 200 to 299 are permissions.
LOG_IN_AGAIN = frozenset({0, 3, 10, 190, *range(200, 300)})
"""The token is invalid, expired or lacks a permission. The sender stops until it is connected again."""
# 130429 is the throughput of the number, 131048 too many messages that were reported as spam.
TOO_MANY = frozenset({4, 80007, 130429, 131048, 133016})
"""The sender sends too much: it rests."""
LATER = frozenset({1, 2, 131000, 131016, 131056, 131057, 133004})
"""Another try may help this message."""
REASONS: Mapping[int, str] = {
    131026: "number_unknown",
    131047: "session_closed",
    131049: "opted_out",
    131050: "opted_out",
    131051: "invalid_message",
    131052: "invalid_message",
    131053: "invalid_message",
    **dict.fromkeys(range(132000, 133000), "template_refused"),
}
"""Code -> the reason of the message that it ends."""
REFUSED = "chat_refused"
OPTED_OUT = 131050
"""The person has asked the vendor for no more marketing of this company; 131049 is the vendor's own choice, once."""
_REST = 60.0


@dataclass(frozen=True, slots=True)
class ChatError:
    """An error as the vendor reports it."""

    code: int
    text: str

    @property
    def reason(self) -> str:
        """The reason of a message that it ends."""
        return REASONS.get(self.code, REFUSED)


def read_error(body: Any) -> ChatError | None:
    """Return the error in a response, or None without a readable one."""
    error = body.get("error") if isinstance(body, dict) else None
    return None if not isinstance(error, dict) else error_of(error)


def error_of(error: Values) -> ChatError | None:
    """Return the error of a response or of a webhook event; None if there is none."""
    code = error.get("code")
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    data = error.get("error_data")
    parts = [error.get("message"), error.get("title"), data.get("details") if isinstance(data, dict) else None]
    texts = list(dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip()))
    return ChatError(code, f"{code}: {' '.join(texts)}"[:500].replace("\0", ""))


def rejection(error: ChatError, *, retry_after: float | None = None) -> Rejected:
    """Return the outcome of a message that the vendor has refused."""
    stage: Stage = "final"
    # As `auth`, which stops the sender and not only this message.
    if error.code in LOG_IN_AGAIN:
        stage = "auth"
    elif error.code in TOO_MANY:
        return Rejected(True, error.code, error.text, "limit", retry_after or _REST)
    return Rejected(error.code in LATER, error.code, error.text, stage, reason=error.reason)
