"""The messenger's wire format (Telegram Bot API): one guarded request each.

The bot's token is part of the address, so errors only name the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson
from django.conf import settings

from core.crypto import SecretUnreadable
from core.outbound_http import HttpAnswer, HttpFailed, encode_multipart, send_request
from core.types import JsonObject, Values
from outreach.connections.chat_apps.client import MAX_BYTES, MEDIA_SECONDS, NOTHING_SENT, SECONDS, ChatFailed, download
from outreach.connections.chat_apps.errors import REFUSED, ChatError
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.connections.smtp.parts import Attachment

BASE_URL = "https://api.telegram.org"
METHODS = {"text": "sendMessage", "photo": "sendPhoto", "document": "sendDocument"}
UNAUTHORISED = 401
BLOCKED = 403
TOO_MANY = 429
FILE = "_file"
"""Key of a message's file."""
_REST = 60.0


@dataclass(frozen=True)
class MessengerClient:
    """A bot at the messenger. It is read once, so that any thread may use it."""

    base: str
    token: str

    @classmethod
    def for_app(cls, app: ChatApp) -> MessengerClient:
        """Return the client of an app. Raises SmtpError when the stored token was not given for this bot."""
        try:
            return cls.with_token(app.access_token)
        except SecretUnreadable:
            detail = "The stored token was given for another bot. Enter it again."
            raise SmtpError("auth", detail, temporary=False) from None

    @classmethod
    def with_token(cls, token: str) -> MessengerClient:
        """Return the client of a token."""
        return cls((settings.VENDOR_BASE_URLS.get("messenger") or BASE_URL).rstrip("/"), token)

    def me(self) -> Values:
        """Return id and username of the bot. Raises ChatFailed."""
        bot = self._request("getMe", {})
        if not isinstance(bot, dict) or not isinstance(bot.get("id"), int):
            raise ChatFailed("The messenger says nothing of the bot.")
        return bot

    def set_webhook(self, url: str, secret: str) -> None:
        """Register the webhook for incoming messages, with the secret in a header. Raises ChatFailed."""
        self._request("setWebhook", {"url": url, "secret_token": secret, "allowed_updates": ["message"]})

    def with_file(self, content: Values, file: Attachment, link: str) -> Values:
        """Return a message with its file, which goes in the same request."""
        return {**content, FILE: (file.name, file.content, file.content_type)}

    def send(self, to: str, content: Values, job: str) -> Outcome:
        """Send one message.

        There is no idempotency key: a message that may have been accepted is uncertain, and never sent again
        automatically.
        """
        kind = content["type"]
        values = {"chat_id": to, **content[kind]}
        seconds = MEDIA_SECONDS if FILE in content else SECONDS
        try:
            if FILE in content:
                answer = self._exchange(METHODS[kind], *encode_multipart({**values, kind: content[FILE]}), seconds)
            else:
                answer = self._exchange(METHODS[kind], orjson.dumps(values), "application/json", seconds)
        except HttpFailed as failed:
            if failed.code in NOTHING_SENT:
                return Rejected(True, None, failed.detail, "connect")
            return Uncertain(f"the request was under way, then no whole answer came ({failed.code})")
        body = _json(answer)
        if 200 <= answer.status < 300 and body.get("ok") is True:
            id = body["result"].get("message_id") if isinstance(body.get("result"), dict) else None
            return Sent("sent", provider_id=f"{to}:{id}") if isinstance(id, int) else Uncertain("it gave no id")
        code = _code(body, answer.status)
        if 200 <= answer.status < 300 or code >= 500:
            return Uncertain(f"the messenger answered with the status {answer.status}")
        return _rejection(code, _words(body, code), body)

    def file(self, id: str) -> tuple[str, int | None]:
        """Return the path of a file that a person has sent, and its size where it is known. Raises ChatFailed."""
        details = self._request("getFile", {"file_id": id})
        path, size = details.get("file_path"), details.get("file_size")
        if not isinstance(path, str) or not path:
            raise ChatFailed("The messenger says no address of the file.")
        return path, size if isinstance(size, int) and not isinstance(size, bool) else None

    def download(self, path: str, most_bytes: int) -> bytes:
        """Return a file. Raises ChatFailed."""
        return download(f"{self.base}/file/bot{self.token}/{quote(path)}", most_bytes)

    def _request(self, method: str, values: Values) -> Any:
        try:
            answer = self._exchange(method, orjson.dumps(values), "application/json", SECONDS)
        except HttpFailed as failed:
            raise ChatFailed(failed.detail, temporary=failed.code not in ("refused", "large")) from None
        parsed = _json(answer)
        if 200 <= answer.status < 300 and parsed.get("ok") is True:
            return parsed.get("result")
        code = _code(parsed, answer.status)
        error = ChatError(190, _words(parsed, code)) if code in (UNAUTHORISED, 404) else None  # 404: no such token
        raise ChatFailed(_words(parsed, code), error=error, temporary=code >= 500 or code == TOO_MANY)

    def _exchange(self, method: str, body: bytes, kind: str, seconds: float) -> HttpAnswer:
        url = f"{self.base}/bot{self.token}/{method}"
        headers = {"Content-Type": kind, "Accept": "application/json"}
        return send_request("POST", url, seconds=seconds, headers=headers, body=body, most_bytes=MAX_BYTES)


def _json(answer: HttpAnswer) -> JsonObject:
    try:
        parsed = orjson.loads(answer.body or b"null")
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _code(body: Values, status: int) -> int:
    code = body.get("error_code")
    return code if isinstance(code, int) and not isinstance(code, bool) else status


def _words(body: Values, code: int) -> str:
    said = body.get("description")
    return f"{code}: {said}"[:500].replace("\0", "") if isinstance(said, str) and said else f"it answered {code}"


def _rejection(code: int, detail: str, body: Values) -> Outcome:
    if code in (UNAUTHORISED, 404):
        return Rejected(False, code, detail, "auth")
    if code == TOO_MANY:
        parameters = body.get("parameters")
        wait = parameters.get("retry_after") if isinstance(parameters, dict) else None
        return Rejected(True, code, detail, "limit", min(float(wait), 3600.0) if isinstance(wait, int) else _REST)
    reason = REFUSED
    if code == BLOCKED:
        reason = "opted_out"
    elif "chat not found" in detail.lower():
        reason = "number_unknown"
    return Rejected(False, code, detail, "final", reason=reason)
