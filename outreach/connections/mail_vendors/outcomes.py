"""Outcomes of a message from a vendor's response, or from an earlier error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from core.types import Values
from outreach.connections.smtp.message import clean_line
from outreach.connections.smtp.outcome import BAD_ADDRESS, Outcome, Rejected, Sent, Uncertain

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.vendors.base import MailVendor

MAX_PAUSE = 3600.0
PAUSE = 60.0
_RECIPIENT = ("'to.0.email'", "personalizations.0.to.0.email", "invalid `to`", "not valid in to", "invalid 'to'")
"""Names of the recipient in vendors' refusals."""
_WORDS = ("message", "Message", "error", "detail", "description", "ErrorMessage", "reason", "name")


def read_statuses(vendor: MailVendor, statuses: Values) -> Outcome:
    """Return the outcome of a message to one recipient, from anymail's reading of a response."""
    # Some vendors write the address in their own way, and anymail then has it twice.
    recipient = min(statuses.values(), key=lambda each: each.status in (None, "unknown"), default=None)
    status = recipient.status if recipient is not None else None
    if recipient is not None and status in ("queued", "sent"):
        return Sent(f"{vendor.name} accepted the message", provider_id=str(recipient.message_id or ""))
    if status in ("invalid", "rejected"):
        text = f"{vendor.name} does not deliver to this address ({status})"
        return Rejected(False, None, text, "rcpt", reason=vendor.rejection_reason(status))
    if status == "failed":
        return Rejected(False, None, f"{vendor.name} refused the message", "final")
    return Uncertain(f"{vendor.name} answered without saying what became of the message")


def read_answer(
    vendor: MailVendor, status: int, headers: Mapping[str, str], body: Any, secrets: Sequence[str]
) -> Outcome:
    """Return the outcome of an answer that is an error. `body` is JSON, or text."""
    text = f"{status} {words_of(body, secrets)}".strip()
    if vendor.had_already(status, body):
        return Sent(f"{vendor.name} has had the message already")
    code = vendor.refusal_code(body)
    # Before the codes: vendors send their own code along with a limit, and a limit is temporary.
    if status == 429:
        return Rejected(True, status, text, "limit", retry_after=_retry_after(headers))
    if code in vendor.key_refusals:
        return Rejected(False, status, text, "auth")
    if code:
        return Rejected(False, status, text, "final")
    if status in (401, 402, 403):
        return Rejected(False, status, text, "auth")
    # None of these proves that the vendor refused: sending again could mail the person twice.
    if 200 <= status < 300 or status in (408, 409, 425) or status >= 500 or 300 <= status < 400:
        return Uncertain(f"{vendor.name} answered {text}")
    if _names_recipient(body):
        return Rejected(False, status, text, "rcpt", reason=BAD_ADDRESS)
    return Rejected(False, status, text, "final")


def _names_recipient(body: Any) -> bool:
    """Return whether a refusal is about the recipient's address."""
    text = str(body).lower()
    return any(mark in text for mark in _RECIPIENT)


def words_of(body: Any, secrets: Sequence[str]) -> str:
    """Return the text of a response for people: one line, without the app's secrets."""
    node = body
    for _ in range(4):
        if isinstance(node, dict):
            nested = node.get("errors") or next((node[name] for name in _WORDS if node.get(name)), "")
            node = nested
        elif isinstance(node, list):
            node = node[0] if node else ""
    text = node if isinstance(node, str) else ""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    if "<html" in text.lower():
        return ""
    return clean_line(text)[:300]


def response_body(response: Any) -> Any:
    """Return the JSON of a response, or its text."""
    try:
        return response.json()
    except ValueError:
        return response.text


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds of a Retry-After header, a minute without one, an hour at most."""
    said = headers.get("Retry-After", "")
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - timezone.now()).total_seconds()
        except (TypeError, ValueError):
            seconds = PAUSE
    return min(MAX_PAUSE, max(1.0, seconds)) if seconds == seconds else PAUSE  # noqa: PLR0124  NaN
