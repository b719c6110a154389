"""Shared parts of vendors' webhooks: the events, and the checks of signatures and times.

Nothing is taken without a secret. Where the vendor signs a time, it must be a recent one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from core.types import JsonObject
from outreach.connections.mail_vendors.hooks import hook_secret
from outreach.connections.smtp.refusals import STATUS, Severity, judge_refusal

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

# Without a recent time, somebody who has once seen a signed request could repeat it for ever.
TOLERANCE = timedelta(minutes=5)
CONFIRM = "confirm"
"""Kind of an event that asks for the confirmation of a subscription; `detail` is the address to open."""


class HookRefused(Exception):
    """A webhook that is not the vendor's own, too old, or cannot be read."""


@dataclass(frozen=True)
class ProviderEvent:
    """An event as a vendor reported it."""

    kind: str
    happened_at: datetime
    hard: bool = False
    job: str = ""
    provider_message_id: str = ""
    message_id: str = ""
    recipient: str = ""
    detail: str = ""
    raw: Any = None
    timed: bool = True
    """The vendor has given the time of the event."""

    @property
    def key(self) -> str:
        """Return the key of the event, equal for each repetition, with any ids of the vendor."""
        when = self.happened_at.isoformat() if self.timed else digest(self.raw)
        # Vendors repeat an event under another id of their own, so the key is made of what the event means.
        words = (self.kind, str(self.hard), self.provider_message_id or self.job, self.recipient.lower(), when)
        return hashlib.sha256("\0".join(words).encode()).hexdigest()


def digest(raw: Any) -> str:
    """Return a hash of JSON, the same for any order of its keys."""
    return hashlib.sha256(json.dumps(raw, sort_keys=True, default=str).encode()).hexdigest()


# Checks


def signing_key(app: MailApp) -> str:
    """Return the key that signs the app's webhooks. Raises HookRefused where the app has none."""
    key: str = app.signing_key
    if not key:
        # An empty key would accept anything that is signed with an empty one.
        raise HookRefused("without the key that the vendor signs with, nothing is taken")
    return key


def public_key(app: MailApp) -> Any:
    """Return the public key that verifies the app's webhooks. Raises HookRefused and ValueError."""
    text = f"-----BEGIN PUBLIC KEY-----\n{signing_key(app)}\n-----END PUBLIC KEY-----\n"
    return load_pem_public_key(text.encode())


def require_recent(seconds: str | float, tolerance: timedelta = TOLERANCE) -> None:
    """Raise HookRefused for a time (seconds since 1970) outside of the tolerance."""
    at = datetime.fromtimestamp(float(seconds), tz=UTC)
    if abs(timezone.now() - at) > tolerance:
        raise HookRefused("it is too old")


def require_same(signature: str, expected: str) -> None:
    """Raise HookRefused for another signature than the expected one. The comparison takes constant time."""
    # An empty signature is refused on its own: compare_digest of two empty texts is true.
    if not signature or not constant_time_compare(signature, expected):
        raise HookRefused("the signature is missing or wrong")


def require_password(app: MailApp, request: HttpRequest) -> None:
    """Raise HookRefused for a request without the password of the app's webhook address."""
    # The whole header is compared in constant time; decoding it first would leak where it breaks.
    expected = base64.b64encode(hook_secret(app.pk, app.hook_salt).encode()).decode()
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Basic {expected}"):
        raise HookRefused("the password is missing or wrong")


def sha256_hmac(key: bytes, *parts: bytes) -> hmac.HMAC:
    """Return the HMAC-SHA256 of the joined parts."""
    return hmac.new(key, b"".join(parts), hashlib.sha256)


# Events


def provider_event(event: Any, vendor_says_hard: Callable[[JsonObject, str], bool]) -> ProviderEvent:
    """Return an event that anymail has read. `vendor_says_hard` judges bounces whose reply does not."""
    raw = event.esp_event
    metadata = event.metadata if isinstance(event.metadata, Mapping) else {}
    happened = event.timestamp
    now = timezone.now()
    if happened is not None and happened.tzinfo is None:
        happened = happened.replace(tzinfo=UTC)
    detail = " ".join(str(part) for part in (event.description, event.mta_response) if part)
    raw = json.loads(_storable(json.dumps(raw, default=str))) if isinstance(raw, Mapping | list) else {}
    return ProviderEvent(
        kind=_text(event.event_type or "unknown", 100),
        # A time ahead of ours would make the event outlast its retention.
        happened_at=min(happened, now) if happened is not None else now,
        timed=happened is not None,
        hard=event.event_type == "bounced" and _is_hard(raw, event, vendor_says_hard),
        job=_text(metadata.get("job"), 24),
        provider_message_id=_text(event.message_id, 200),
        message_id=_message_id(raw),
        recipient=_text(event.recipient, 320),
        detail=_text(detail, 1000),
        raw=raw,
    )


def _storable(escaped: str) -> str:
    """Return JSON without values that PostgreSQL cannot store: null characters, and halves of surrogate pairs."""
    # PostgreSQL's jsonb refuses \u0000, and one such event would make the whole INSERT fail.
    whole = json.dumps(json.loads(escaped.replace("\\u0000", "")), ensure_ascii=False)
    return whole.encode("utf-8", "replace").decode()


def _text(value: Any, most: int) -> str:
    return str(value or "").replace("\0", "").encode("utf-8", "replace").decode()[:most]


def _message_id(raw: Any) -> str:
    """Return the Message-ID in an event, as MailerSend and Postal include it."""
    # Only ids of our form: the raw event may quote other Message-IDs, too.
    match = re.search(r"<?([0-9a-f]{24}@[A-Za-z0-9.-]{3,253})>?", json.dumps(raw, default=str))
    return f"<{match[1]}>" if match else ""


def _is_hard(raw: Any, event: Any, vendor_says_hard: Callable[[JsonObject, str], bool]) -> bool:
    """Return whether a bounce means that the mailbox or domain doesn't exist.

    The reply of the recipient's server decides, else the vendor.
    """
    reply = str(event.mta_response or event.description or "")
    status = STATUS.search(reply)
    severity = judge_refusal(status[1] if status else "", reply)
    if severity is not None:
        return severity is Severity.HARD
    return isinstance(raw, dict) and vendor_says_hard(raw, str(event.reject_reason or ""))
