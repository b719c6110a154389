"""The wire format of the second social platform (messages and comments of an account): one guarded request each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
from django.conf import settings
from django.utils import timezone

from core.crypto import SecretUnreadable
from core.outbound_http import HttpAnswer, HttpFailed, send_request
from core.types import JsonObject, Values
from outreach.connections.chat_apps.client import MAX_BYTES, NOTHING_SENT, SECONDS, ChatFailed
from outreach.connections.chat_apps.errors import LOG_IN_AGAIN, REFUSED, ChatError, error_of, read_error
from outreach.connections.chat_apps.models import API_VERSION, ChatApp
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.connections.smtp.parts import Attachment

BASE_URL = "https://graph.instagram.com"
TOO_MANY = frozenset({4, 17, 32, 613})
LATER = frozenset({1, 2})
CLOSED = (10, 2534022)
"""Code and subcode of an answer after 24 hours."""
_REST = 300.0


FILES = {
    "image": ("image/jpeg", "image/png"),
    "audio": ("audio/aac", "audio/mp4", "audio/mpeg", "audio/wav", "audio/x-wav"),
    "video": ("video/mp4", "video/ogg", "video/quicktime", "video/webm", "video/x-msvideo"),
    "file": ("application/pdf",),
}
"""Kind of attachment -> the types of files that the platform takes as it."""
MAX_IMAGE_BYTES = 8 * 1024 * 1024


class Token(NamedTuple):
    """A token of an account, and its expiry; None if that is unknown."""

    text: str
    ends_at: datetime | None


def file_kind(mime: str) -> str | None:
    """Return the platform's kind of attachment for a file; None for an unsupported file."""
    return next((kind for kind, types in FILES.items() if mime in types), None)


@dataclass(frozen=True)
class SocialBClient:
    """An account at the platform. It is read once, so that any thread may use it."""

    base: str
    token: str
    account_id: str

    @classmethod
    def for_app(cls, app: ChatApp) -> SocialBClient:
        """Return the client of an app. Raises SmtpError when the stored token was not given for this account."""
        try:
            return cls.with_token(app.access_token, app.phone_number_id)
        except SecretUnreadable:
            detail = "The stored token was given for another account. Enter it again."
            raise SmtpError("auth", detail, temporary=False) from None

    @classmethod
    def with_token(cls, token: str, account_id: str) -> SocialBClient:
        """Return the client of a token."""
        base = (settings.VENDOR_BASE_URLS.get("social-b") or BASE_URL).rstrip("/")
        return cls(f"{base}/{API_VERSION}", token, account_id)

    def me(self) -> Values:
        """Return user_id and username of the account that the token is of. Raises ChatFailed."""
        account = self._get("me?fields=user_id,username")
        if not account.get("user_id"):
            raise ChatFailed("The platform says nothing of the account.")
        return account

    def _get(self, path: str, base: str = "") -> JsonObject:
        """Return the platform's response. Raises ChatFailed."""
        try:
            answer = self._exchange("GET", path, base=base)
        except HttpFailed as failed:
            raise ChatFailed(failed.detail, temporary=failed.code not in ("refused", "large")) from None
        parsed = _json(answer)
        if 200 <= answer.status < 300 and isinstance(parsed, dict):
            return parsed
        error = read_error(parsed)
        if error is None and answer.status in (401, 403):
            error = ChatError(190, f"the platform refuses the token ({answer.status})")
        detail = error.text if error else f"the platform answered with the status {answer.status}"
        # No answer below 500 but 429 changes by itself, so the others are not retried.
        raise ChatFailed(detail, error=error, temporary=answer.status >= 500 or answer.status == 429)

    def lasting(self, secret: str) -> Token:
        """Return a token of about 60 days for one that holds for an hour, as people copy it. Raises ChatFailed."""
        query = {"grant_type": "ig_exchange_token", "client_secret": secret, "access_token": self.token}
        return self._token("access_token", query)

    def refresh_token(self) -> Token:
        """Return a token that holds for about 60 days from now on, for one that has not ended. Raises ChatFailed."""
        return self._token("refresh_access_token", {"grant_type": "ig_refresh_token", "access_token": self.token})

    def _token(self, path: str, query: Mapping[str, str]) -> Token:
        answer = self._get(f"{path}?{urlencode(query)}", base=self.base.rpartition("/")[0])
        token, seconds = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not token.isascii() or not 0 < len(token) <= 1000:
            raise ChatFailed("The platform's answer has no token.")
        if not isinstance(seconds, int) or not 0 < seconds < 10**9:
            return Token(token, None)
        return Token(token, timezone.now() + timedelta(seconds=seconds))

    def with_file(self, content: Values, file: Attachment, link: str) -> Values:
        """Return a message with the address of its file, from where the platform fetches it."""
        kind = content["type"]
        return {**content, kind: {**content[kind], "url": link}}

    def send(self, to: str, content: Values, job: str) -> Outcome:
        """Send a message, or reply to a comment in its place.

        There is no idempotency key: a message that may have been accepted is uncertain, and never sent again
        automatically.
        """
        path, body, named = self._message_parts(to, content)
        try:
            answer = self._exchange("POST", path, body)
        except HttpFailed as failed:
            if failed.code in NOTHING_SENT:
                return Rejected(True, None, failed.detail, "connect")
            return Uncertain(f"the request was under way, then no whole answer came ({failed.code})")
        parsed = _json(answer)
        if 200 <= answer.status < 300:
            id = parsed.get(named) if isinstance(parsed, dict) else None
            return Sent("sent", provider_id=str(id)) if isinstance(id, str) and id else Uncertain("it gave no id")
        error = parsed.get("error") if isinstance(parsed, dict) else None
        chat_error = error_of(error) if isinstance(error, dict) else None
        if chat_error is not None and isinstance(error, dict):
            return _rejection(chat_error, error.get("error_subcode"))
        if answer.status in (401, 403):
            return Rejected(False, answer.status, f"the platform refuses the token ({answer.status})", "auth")
        if answer.status == 429:
            return Rejected(True, answer.status, "too many requests", "limit", _REST)
        if answer.status < 500:
            text = f"the platform answered with the status {answer.status}"
            return Rejected(False, answer.status, text, "final", reason=REFUSED)
        return Uncertain(f"the platform answered with the status {answer.status}")

    def _message_parts(self, to: str, content: Values) -> tuple[str, JsonObject, str]:
        """Return the path for a message, its body, and the response's key for its id."""
        kind = content["type"]
        text_part = content.get("text") or {}
        if comment := text_part.get("comment"):
            return f"{quote(comment, safe='')}/replies", {"message": text_part["body"]}, "id"
        message: JsonObject = {"text": text_part.get("body", "")}
        if kind != "text":
            message = {"attachment": {"type": kind, "payload": {"url": content[kind]["url"]}}}
        return f"{self.account_id}/messages", {"recipient": {"id": to}, "message": message}, "message_id"

    def _exchange(self, method: str, path: str, body: Any = None, base: str = "") -> HttpAnswer:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = orjson.dumps(body)
        url = f"{base or self.base}/{path}"
        return send_request(method, url, seconds=SECONDS, headers=headers, body=sent, most_bytes=MAX_BYTES)


def _json(answer: HttpAnswer) -> Any:
    try:
        return orjson.loads(answer.body or b"null")
    except orjson.JSONDecodeError:
        return None


def _rejection(error: ChatError, subcode: Any) -> Outcome:
    if (error.code, subcode) == CLOSED:
        return Rejected(False, error.code, error.text, "final", reason="session_closed")
    if error.code in LOG_IN_AGAIN:
        return Rejected(False, error.code, error.text, "auth")
    if error.code in TOO_MANY:
        return Rejected(True, error.code, error.text, "limit", _REST)
    return Rejected(error.code in LATER, error.code, error.text, "final", reason=REFUSED)
