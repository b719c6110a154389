"""Reads webhooks of mail vendors: whether they are the vendor's own, and the events in them.

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
from functools import lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from cryptography.x509 import load_pem_x509_certificate
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from core.crypto import SecretUnreadable
from core.outbound_http import HttpFailed, exchange
from core.types import JsonObject
from outreach.connections.mail_vendors.hooks import hook_secret, hook_url
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.smtp.refusals import STATUS, Severity, judge_refusal

# Without a recent time, somebody who has once seen a signed request could repeat it for ever.
TOLERANCE = timedelta(minutes=5)
SNS_TOLERANCE = timedelta(hours=1)
"""SNS tries again for so long, and signs when the event was published first."""
MAILGUN_TOLERANCE = timedelta(hours=9)
"""Mailgun tries again for eight hours, and does not say whether it signs anew."""
CONFIRM = "confirm"
_SNS_HOST = re.compile(r"sns\.[a-z0-9-]{3,30}\.amazonaws\.com", re.ASCII)
_SNS_FIELDS = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
_VIEWS = {"ses": "AmazonSESTrackingWebhookView", "mandrill": "MandrillCombinedWebhookView"}
_MODULES = {"ses": "amazon_ses", "unisender-go": "unisender_go"}
_NAMES = {
    "brevo": "Brevo",
    "resend": "Resend",
    "mailersend": "MailerSend",
    "postmark": "Postmark",
    "sendgrid": "SendGrid",
    "sparkpost": "SparkPost",
    "mailgun": "Mailgun",
    "mailjet": "Mailjet",
    "mailtrap": "Mailtrap",
    "unisender-go": "UnisenderGo",
    "postal": "Postal",
}


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
        # Without a time of the vendor's, the time of arrival would make each repetition a new event.
        when = self.happened_at.isoformat() if self.timed else _digest(self.raw)
        # Vendors repeat an event under another id of their own, so the key is made of what the event means.
        words = (self.kind, str(self.hard), self.provider_message_id or self.job, self.recipient.lower(), when)
        return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _digest(raw: Any) -> str:
    return hashlib.sha256(json.dumps(raw, sort_keys=True, default=str).encode()).hexdigest()


def signed_token(app: MailApp, request: HttpRequest) -> tuple[str, str] | None:
    """Return the token of a webhook whose signature covers that and not the events, and what came with it, both as
    hashes; None for the webhooks of other vendors. Raises HookRefused."""
    if app.spec.check != "mailgun":
        return None
    try:
        body = json.loads(request.body)
        token = str(body.pop("signature")["token"])
        return hashlib.sha256(token.encode()).hexdigest(), _digest(body)
    except RecursionError:
        raise HookRefused("it is nested too deep") from None


def read_hook(app: MailApp, request: HttpRequest) -> list[ProviderEvent]:
    """Return the events of a webhook that is the vendor's own. Raises HookRefused for any other."""
    check = app.spec.check
    if check is None:
        raise HookRefused("the vendor has no webhooks")
    try:
        # The check comes before anything of the body is believed.
        _CHECKS[check](app, request)
        if check == "sns":
            return _sns_events(json.loads(request.body))
        return [_provider_event(app.vendor, event) for event in _view(app.vendor).parse_events(request)]
    except (HookRefused, SecretUnreadable):
        raise HookRefused("not the vendor's own") from None
    # A vendor that gets a 500 repeats the request for hours; a 403 is shown to the owner.
    except Exception as error:  # noqa: BLE001  whatever stands in a body, it is answered
        raise HookRefused(f"cannot be read ({type(error).__name__})") from None


@lru_cache(maxsize=16)
def _view(vendor: str) -> Any:
    """Return anymail's reader of a vendor's events; it checks nothing here."""
    module = import_module(f"anymail.webhooks.{_MODULES.get(vendor, vendor)}")
    kind = getattr(module, _VIEWS.get(vendor) or f"{_NAMES[vendor]}TrackingWebhookView")
    # Without __init__, which demands settings of Django for secrets that here belong to each app.
    return kind.__new__(kind)


def _provider_event(vendor: str, event: Any) -> ProviderEvent:
    raw = event.esp_event
    metadata = event.metadata if isinstance(event.metadata, Mapping) else {}
    happened, now = event.timestamp, timezone.now()
    if happened is not None and happened.tzinfo is None:
        happened = happened.replace(tzinfo=UTC)
    detail = " ".join(str(one) for one in (event.description, event.mta_response) if one)
    raw = json.loads(_storable(json.dumps(raw, default=str))) if isinstance(raw, Mapping | list) else {}
    return ProviderEvent(
        kind=_text(event.event_type or "unknown", 100),
        # A time ahead of ours would make the event outlast its retention.
        happened_at=min(happened, now) if happened is not None else now,
        timed=happened is not None,
        hard=event.event_type == "bounced" and _is_hard(vendor, raw, event),
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


def _is_hard(vendor: str, raw: Any, event: Any) -> bool:
    """Return whether a bounce means that the mailbox or domain doesn't exist.

    The reply of the recipient's server decides, else the vendor.
    """
    said = str(event.mta_response or event.description or "")
    status = STATUS.search(said)
    judged = judge_refusal(status[1] if status else "", said)
    # The receiving server knows best; vendors call many temporary refusals hard.
    if judged is not None:
        return judged is Severity.HARD
    return isinstance(raw, dict) and _vendor_says_hard(vendor, raw, str(event.reject_reason or ""))


def _vendor_says_hard(vendor: str, raw: JsonObject, reject_reason: str) -> bool:
    text = json.dumps(raw).lower()
    if vendor == "ses":
        return bool(raw.get("bounce", {}).get("bounceType") == "Permanent")
    if vendor == "sparkpost":
        # SparkPost's classes: 10 invalid recipient, 30 no recipient, 90 unsubscribe.
        return '"bounce_class": "10"' in text or '"bounce_class": "30"' in text or '"bounce_class": "90"' in text
    if vendor == "postmark":
        return raw.get("Type") in ("HardBounce", "BadEmailAddress")
    if vendor == "mailjet":
        return raw.get("hard_bounce") in (True, 1, "1", "true")
    if vendor == "sendgrid":
        # SendGrid calls blocks bounces, too, and the type alone distinguishes them.
        return raw.get("type") != "blocked"
    if vendor == "resend":
        kind = str(raw.get("data", {}).get("bounce", {}).get("type", ""))
        return kind.lower() in ("permanent", "hardbounce")
    if vendor == "mandrill":
        return raw.get("event") == "hard_bounce"
    if vendor == "mailersend":
        return bool(raw.get("data", {}).get("type") == "hard_bounced")
    # Some vendors report soft bounces as "bounced" and say so only in the raw event.
    return reject_reason in ("bounced", "invalid") and not re.search("soft[_ -]?bounce", text)


# What shows that a webhook is the vendor's own


def _signing_key(app: MailApp) -> str:
    key: str = app.signing_key
    if not key:
        # An empty key would accept anything that is signed with an empty one.
        raise HookRefused("without the key that the vendor signs with, nothing is taken")
    return key


def _recent(seconds: str | float, tolerance: timedelta = TOLERANCE) -> None:
    at = datetime.fromtimestamp(float(seconds), tz=UTC)
    if abs(timezone.now() - at) > tolerance:
        raise HookRefused("it is too old")


def _check_basic(app: MailApp, request: HttpRequest) -> None:
    # The whole header is compared in constant time; decoding it first would leak where it breaks.
    expected = base64.b64encode(hook_secret(app.pk, app.hook_salt).encode()).decode()
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Basic {expected}"):
        raise HookRefused("the password is missing or wrong")


def _same(signature: str, expected: str) -> None:
    # An empty signature is refused on its own: compare_digest of two empty texts is true.
    if not signature or not constant_time_compare(signature, expected):
        raise HookRefused("the signature is missing or wrong")


def _hmac(key: bytes, *parts: bytes) -> hmac.HMAC:
    return hmac.new(key, b"".join(parts), hashlib.sha256)


def _check_svix(app: MailApp, request: HttpRequest) -> None:
    key = base64.b64decode(_signing_key(app).removeprefix("whsec_"))
    id, at = request.headers.get("svix-id", ""), request.headers.get("svix-timestamp", "")
    _recent(at)
    expected = base64.b64encode(_hmac(key, f"{id}.{at}.".encode(), request.body).digest()).decode()
    # While a key is being changed, Svix sends a signature by each of both keys.
    signatures = [signature.partition(",")[2] for signature in request.headers.get("svix-signature", "").split()[:8]]
    if not any(constant_time_compare(signature, expected) for signature in signatures):
        raise HookRefused("the signature is missing or wrong")


def _check_mailersend(app: MailApp, request: HttpRequest) -> None:
    _same(request.headers.get("Signature", ""), _hmac(_signing_key(app).encode(), request.body).hexdigest())


def _check_mailtrap(app: MailApp, request: HttpRequest) -> None:
    expected = _hmac(_signing_key(app).encode(), request.body).hexdigest()
    _same(request.headers.get("Mailtrap-Signature", ""), expected)


def _check_mailgun(app: MailApp, request: HttpRequest) -> None:
    block = json.loads(request.body)["signature"]
    # Nothing stands between timestamp and token in what is signed: only digits belong to the timestamp.
    if re.fullmatch(r"[0-9]{1,12}", str(block["timestamp"])) is None:
        raise HookRefused("its timestamp is no number of seconds")
    _recent(block["timestamp"], MAILGUN_TOLERANCE)
    expected = _hmac(_signing_key(app).encode(), f"{block['timestamp']}{block['token']}".encode()).hexdigest()
    _same(str(block["signature"]), expected)


def _check_mandrill(app: MailApp, request: HttpRequest) -> None:
    # Mandrill signs the address and the sorted form fields, so the address must be the one that it was given.
    signed = hook_url(app.vendor, app.pk, app.hook_salt)
    for name in sorted(request.POST):
        signed += name + request.POST[name]
    # The vendor's choice. HMAC does not rest on the collisions that SHA-1 is broken by.
    digest = hmac.new(_signing_key(app).encode(), signed.encode(), "sha1").digest()
    _same(request.headers.get("X-Mandrill-Signature", ""), base64.b64encode(digest).decode())


def _public_key(app: MailApp) -> Any:
    text = f"-----BEGIN PUBLIC KEY-----\n{_signing_key(app)}\n-----END PUBLIC KEY-----\n"
    return load_pem_public_key(text.encode())


def _check_sendgrid(app: MailApp, request: HttpRequest) -> None:
    at = request.headers.get("X-Twilio-Email-Event-Webhook-Timestamp", "")
    signature = base64.b64decode(request.headers.get("X-Twilio-Email-Event-Webhook-Signature", ""), validate=True)
    key = _public_key(app)
    _recent(at)
    # The time is part of what is signed, so nobody can make an old request young.
    key.verify(signature, at.encode() + request.body, ec.ECDSA(hashes.SHA256()))


def _check_postal(app: MailApp, request: HttpRequest) -> None:
    signature = base64.b64decode(request.headers.get("X-Postal-Signature", ""))
    _public_key(app).verify(signature, request.body, padding.PKCS1v15(), hashes.SHA1())  # noqa: S303  Postal's choice


def _check_unisender(app: MailApp, request: HttpRequest) -> None:
    signature = str(json.loads(request.body)["auth"])
    # The signature stands inside of the body that it signs: with the key in its place.
    signed = request.body.replace(signature.encode(), app.api_key.encode())
    _same(signature, hashlib.md5(signed, usedforsecurity=False).hexdigest())


# Amazon SES publishes its events to a topic of SNS


def _check_sns(app: MailApp, request: HttpRequest) -> None:
    message = json.loads(request.body)
    # Amazon signs for every customer's topics; only the app's own topic may speak for it.
    if not constant_time_compare(str(message["TopicArn"]), _signing_key(app)):
        raise HookRefused("it is another topic")
    fields = _SNS_FIELDS[message["Type"]]
    # AWS leaves out fields that are not set (Subject), and the order of the others is fixed.
    signed = "".join(f"{name}\n{message[name]}\n" for name in fields if message.get(name) is not None)
    algorithm = {"1": hashes.SHA1, "2": hashes.SHA256}[str(message["SignatureVersion"])]()
    key = sns_key(str(message["SigningCertURL"]))
    key.verify(base64.b64decode(message["Signature"]), signed.encode(), padding.PKCS1v15(), algorithm)
    _recent(datetime.fromisoformat(message["Timestamp"]).timestamp(), SNS_TOLERANCE)


def is_sns_address(url: str) -> bool:
    """Return whether the address is one of Amazon's SNS."""
    parts = urlsplit(url)
    # The whole of netloc, or user@ and a port before another host would pass.
    return parts.scheme == "https" and parts.port in (None, 443) and bool(_SNS_HOST.fullmatch(parts.netloc))


# The certificate stays the same for long; without a cache each event would fetch it.
@lru_cache(maxsize=8)
def sns_key(url: str) -> Any:
    """Return the public key of the certificate at an address of SNS. Raises HookRefused."""
    if not (is_sns_address(url) and urlsplit(url).path.endswith(".pem")):
        raise HookRefused("the certificate is none of Amazon's")
    try:
        response = exchange("GET", url, seconds=5, most_bytes=20_000)
        return load_pem_x509_certificate(response.body).public_key()
    except (HttpFailed, ValueError):
        raise HookRefused("the certificate cannot be had") from None


def _sns_events(message: JsonObject) -> list[ProviderEvent]:
    at = datetime.fromisoformat(message["Timestamp"])
    if message["Type"] == "SubscriptionConfirmation":
        address = str(message["SubscribeURL"])
        return [ProviderEvent(CONFIRM, at, provider_message_id=str(message["MessageId"])[:200], detail=address)]
    event = json.loads(message["Message"])
    return [_provider_event("ses", parsed) for parsed in _view("ses").esp_to_anymail_events(event, message)]


_CHECKS: dict[str, Callable[[MailApp, HttpRequest], None]] = {
    "basic": _check_basic,
    "svix": _check_svix,
    "mailersend": _check_mailersend,
    "mailtrap": _check_mailtrap,
    "mailgun": _check_mailgun,
    "mandrill": _check_mandrill,
    "sendgrid": _check_sendgrid,
    "postal": _check_postal,
    "unisender": _check_unisender,
    "sns": _check_sns,
}
