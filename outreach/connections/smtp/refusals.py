"""Judge refusals of mail servers by their enhanced codes (RFC 3463) and texts.

Replies to RCPT TO, delivery reports and events of mail vendors are judged by the same rules.
"""

from __future__ import annotations

import re
from enum import StrEnum

from outreach.connections.smtp import refusal_words as words


class Severity(StrEnum):
    """The severity of a bounce for the address."""

    HARD = "hard"
    """There is no such mailbox."""
    SOFT = "soft"
    """It could not be delivered this time: a full mailbox, a server that is away."""
    BLOCKED = "blocked"
    """The sender or the content was refused; the mailbox may exist."""
    DELAYED = "delayed"
    """The server still tries to deliver it, or has delivered it."""


STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)")
_REPLY = re.compile(r"(?<![\d.#])([45]\d\d)(?=[ \-:#]|$)")
# RFC 3463, 3.2, and Microsoft's own 5.1.10 and 5.1.351. Not 5.1.0 and 5.1.4, which say nothing for certain,
# nor 5.2.1: AOL and others refuse senders with it.
_NO_SUCH_CODES = frozenset({"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.1.351"})
# Codes about the sender's address, though the second part is that of addresses.
_SENDER_CODES = frozenset({"5.1.7", "5.1.8", "5.1.20", "5.1.90"})
# Expressions over a text of a server's choosing must not take long.
_MAX_LENGTH = 1500
"""The number of characters of a text that are read."""
_BEGINNING = 200
"""The number of first characters that contain the reply code."""

_TITLE = re.compile(r"\d\.\d\.\d - (?:unknown address error|other mail system problem)")
"""The name of a code, which some servers add before the reply of the other server."""
_URL = re.compile(r"https?://\S+")
_ADDRESS = re.compile(r"<[^<>]{0,320}@[^<>]{0,320}>|[^\s<>()\[\]:;,\"]{1,128}@[^\s<>()\[\]:;,\"]{1,255}")
_HOST = re.compile(
    r"\b(?!(?:resolver|smtpsend|storedrv|routing)\.)[a-z0-9_-]{1,63}"
    r"(?:(?:\.[a-z0-9_-]{1,63}){2,}|\.(?:com|net|org|info|biz|example|test|invalid|local|cloud|email|(?!if|in|to|we|or|as|an|by|on)[a-z]{2}))\b"
    r"(?<![0-9])"
)


def judge_refusal(status: str, said: str, *, after_data: bool = False) -> Severity | None:
    """Return the severity of a permanent refusal for the recipient, or None when neither code nor text decide.

    `status` is the enhanced code, or empty. `after_data`: the server had read the message, so a general reply may be
    about its content.
    """
    # Typographic apostrophes, as in "doesn’t exist", would hide the words from the rules.
    raw = " ".join(said[:_MAX_LENGTH].split()).replace("\u2019", "'")
    lower = raw.lower()
    text = _without_names(lower)
    temporary = _is_temporary(status, raw)
    # A relay's own code may be general while the quoted answer of the last server has the reason.
    codes = {status, *STATUS.findall(raw)}
    # Blocked before hard: a mistaken "hard" suppresses a good address for ever, a mistaken "blocked" costs
    # one mail.
    if words.SENDER.search(text) or words.LISTS.search(lower) or codes & _SENDER_CODES:
        return Severity.BLOCKED
    if words.RATE.search(text):
        return Severity.BLOCKED
    if words.FULL.search(text):
        return Severity.SOFT
    # A domain that takes no mail is final, unless the server itself promises that another try may help.
    if words.NO_MAIL_DOMAIN.search(text) and not (temporary and words.TRY_AGAIN.search(text)):
        return Severity.HARD
    # From here on words of an unknown mailbox count only together with a permanent code.
    if temporary or words.UNWANTED.search(text):
        return Severity.SOFT
    if words.NO_SUCH.search(text):
        return Severity.HARD
    return _by_code(status, codes, text, after_data=after_data or bool(words.AFTER_DATA.search(text)))


def _by_code(status: str, codes: set[str], text: str, *, after_data: bool) -> Severity | None:
    """Judge by the code, and by words whose meaning depends on the code."""
    if words.REFUSED.search(text):
        return Severity.BLOCKED
    if codes & {"5.4.1"} and words.ACCESS_DENIED.search(text):
        return Severity.HARD  # Microsoft 365 says so of recipients that it does not know
    if words.ACCESS_DENIED.search(text):
        return Severity.BLOCKED
    # 5.7 is a policy, which "recipient rejected" then means.
    if not after_data and words.NO_SUCH_AT_RCPT.search(text) and not status.startswith("5.7."):
        return Severity.HARD
    if codes & _NO_SUCH_CODES:
        return Severity.HARD
    if any(code.startswith("5.7.") for code in codes):
        return Severity.BLOCKED
    return None


def _is_temporary(status: str, said: str) -> bool:
    """Return whether the server's own code means that another attempt may succeed."""
    reply = _REPLY.search(said[:_BEGINNING])
    return (reply[1] if reply else status).startswith("4")


def _without_names(said: str) -> str:
    """Return the text without addresses, links and hosts, whose names don't give the reason."""
    return _HOST.sub("host", _ADDRESS.sub("<>", _URL.sub(" ", _TITLE.sub(" ", said))))
