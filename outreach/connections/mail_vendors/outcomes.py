"""Outcomes of a message from a vendor's response, or from an earlier error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone

from core.types import Values
from outreach.connections.mail_vendors.registry import Vendor
from outreach.connections.smtp.message import clean_line
from outreach.connections.smtp.outcome import BAD_ADDRESS, Outcome, Rejected, Sent, Uncertain

MAX_PAUSE = 3600.0
PAUSE = 60.0
REFUSED_KEYS = ("AccessDenied", "InvalidServerAPIKey", "Invalid_Key", "PaymentRequired")
_RECIPIENT = ("'to.0.email'", "personalizations.0.to.0.email", "invalid `to`", "not valid in to", "invalid 'to'")
"""Names of the recipient in vendors' refusals."""
_WORDS = ("message", "Message", "error", "detail", "description", "ErrorMessage", "reason", "name")
_THROTTLED = {"TooManyRequestsException", "Throttling", "ThrottlingException", "LimitExceededException"}
_ACCOUNT = {
    "AccountSuspendedException",
    "SendingPausedException",
    "MailFromDomainNotVerifiedException",
    "MailFromDomainNotVerified",
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "AccessDeniedException",
}


def read_statuses(spec: Vendor, statuses: Values) -> Outcome:
    """Return the outcome of a message to one recipient, from anymail's reading of a response."""
    # Some vendors write the address in their own way, and anymail then has it twice.
    recipient = min(statuses.values(), key=lambda each: each.status in (None, "unknown"), default=None)
    status = recipient.status if recipient is not None else None
    if recipient is not None and status in ("queued", "sent"):
        return Sent(f"{spec.name} accepted the message", provider_id=str(recipient.message_id or ""))
    if status in ("invalid", "rejected"):
        text = f"{spec.name} does not deliver to this address ({status})"
        # Mandrill rejects for the sender's faults as well, and says only later for which.
        reason = "" if status == "rejected" and spec.key == "mandrill" else BAD_ADDRESS
        return Rejected(False, None, text, "rcpt", reason=reason)
    if status == "failed":
        return Rejected(False, None, f"{spec.name} refused the message", "final")
    return Uncertain(f"{spec.name} answered without saying what became of the message")


def read_answer(spec: Vendor, status: int, headers: Mapping[str, str], body: Any, secrets: Sequence[str]) -> Outcome:
    """Return the outcome of an answer that is an error. `body` is JSON, or text."""
    text = f"{status} {words_of(body, secrets)}".strip()
    if spec.idempotency == "message" and status == 400 and _code(body) == "duplicate_parameter":
        return Sent(f"{spec.name} has had the message already")
    code = _refusal_code(spec, body)
    if status == 429:
        return Rejected(True, status, text, "limit", retry_after=_retry_after(headers))
    if code in REFUSED_KEYS:
        return Rejected(False, status, text, "auth")
    if code:
        return Rejected(False, status, text, "final")
    if status in (401, 402, 403):
        return Rejected(False, status, text, "auth")
    if 200 <= status < 300 or status in (408, 409, 425) or status >= 500 or 300 <= status < 400:
        return Uncertain(f"{spec.name} answered {text}")
    if _names_recipient(body):
        return Rejected(False, status, text, "rcpt", reason=BAD_ADDRESS)
    return Rejected(False, status, text, "final")


def _refusal_code(spec: Vendor, body: Any) -> str:
    """Return the vendor's error code in a response whose status is not an error; "" for any other."""
    if not isinstance(body, dict):
        return ""
    if spec.key == "postal" and body.get("status") in ("error", "parameter-error"):
        return str((body.get("data") or {}).get("code") or body["status"])
    if spec.key == "mandrill" and body.get("status") == "error" and body.get("name") not in (None, "GeneralError"):
        return str(body["name"])
    return ""


def _names_recipient(body: Any) -> bool:
    """Return whether a refusal is about the recipient's address."""
    text = str(body).lower()
    return any(mark in text for mark in _RECIPIENT)


def read_ses_error(spec: Vendor, answer: Values, secrets: Sequence[str]) -> Outcome:
    """Return the outcome of an error that Amazon SES answered."""
    error = answer.get("Error", {})
    code = str(error.get("Code", ""))
    status = int(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    text = f"{code} {words_of(error.get('Message', ''), secrets)}".strip()
    if code in _THROTTLED or status == 429:
        return Rejected(True, 429, text, "limit", retry_after=PAUSE)
    if code in _ACCOUNT or status in (401, 403):
        return Rejected(False, status, text, "auth")
    if 400 <= status < 500:
        return Rejected(False, status, text, "final")
    return Uncertain(f"{spec.name} answered {text}")


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


def _code(body: Any) -> str:
    return str(body.get("code", "")) if isinstance(body, dict) else ""


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
