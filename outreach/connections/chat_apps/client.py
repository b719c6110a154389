"""The chat vendor's wire format (WhatsApp Cloud API): one guarded request each, bounded in size and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from django.conf import settings

from core.crypto import SecretUnreadable
from core.outbound_http import HttpAnswer, HttpFailed, encode_multipart, send_request
from core.types import Values
from outreach.connections.chat_apps.errors import LOG_IN_AGAIN, REFUSED, ChatError, read_error, rejection
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.connections.smtp.parts import Attachment

BASE_URL = "https://graph.facebook.com"
SECONDS = 20.0
MEDIA_SECONDS = 120.0
MAX_BYTES = 1024 * 1024
MAX_TEMPLATES = 1000
NOTHING_SENT = frozenset({"refused", "unreachable"})
"""Failures of an exchange before a byte of the request was written."""


class ChatFailed(Exception):
    """The vendor gave no usable answer. `error` is its own, if it gave one; people read `detail`."""

    def __init__(self, detail: str, *, error: ChatError | None = None, temporary: bool = False, code: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.error = error
        self.temporary = temporary

    @property
    def refused(self) -> bool:
        """Return whether the vendor refuses the token."""
        return self.error is not None and self.error.code in LOG_IN_AGAIN


@dataclass(frozen=True)
class MediaPlace:
    """The vendor's address of a file, valid for minutes."""

    url: str
    size: int | None
    mime: str


@dataclass(frozen=True)
class ChatClient:
    """An app's account at the vendor. It is read once, so that any thread may use it."""

    base: str
    token: str
    phone_number_id: str
    waba_id: str
    app_id: str

    @classmethod
    def for_app(cls, app: ChatApp) -> ChatClient:
        """Return the client of an app. Raises SmtpError when the stored token was not given for this number."""
        try:
            token = app.access_token
        except SecretUnreadable:
            detail = "The stored token was given for another number or account. Enter it again."
            raise SmtpError("auth", detail, temporary=False) from None
        base = (settings.VENDOR_BASE_URLS.get("chatapp") or BASE_URL).rstrip("/")
        return cls(f"{base}/{app.api_version}", token, app.phone_number_id, app.waba_id, app.app_id)

    def send(self, to: str, content: Values, job: str) -> Outcome:
        """Send one message. The job's id comes back with every status, so that a lost response is matched later.

        There is no idempotency key: a message that may have been accepted is uncertain, and never sent again
        automatically.
        """
        body = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": to.removeprefix("+"),
            # Meta gives it back with each status, which finds a message whose answer got lost.
            "biz_opaque_callback_data": job,
            **content,
        }
        try:
            answer = self._exchange("POST", f"{self.phone_number_id}/messages", body)
        except HttpFailed as failed:
            # Only here is it certain that the vendor has nothing; anything later is uncertain.
            if failed.code in NOTHING_SENT:
                return Rejected(True, None, failed.detail, "connect")
            return Uncertain(f"the request was under way, then no whole answer came ({failed.code})")
        parsed = _json(answer)
        if 200 <= answer.status < 300:
            id = _value_at(parsed, "messages", 0, "id")
            if not isinstance(id, str) or not id:
                # A success without an id: the message is under way, and must not be sent again.
                return Uncertain("the vendor took the request, and its answer cannot be read")
            return Sent(str(_value_at(parsed, "messages", 0, "message_status") or "accepted"), provider_id=id)
        # An error in the vendor's form is a certain refusal, whatever the status.
        error = read_error(parsed)
        if error is not None:
            return rejection(error, retry_after=_retry_after(answer))
        if answer.status in (401, 403):
            return Rejected(False, answer.status, f"the vendor refuses the token ({answer.status})", "auth")
        # A bare 429 comes from the vendor's proxy, which has not taken the message.
        if answer.status == 429:
            return Rejected(True, answer.status, "too many requests", "limit", _retry_after(answer))
        if answer.status < 500:
            return Rejected(
                False, answer.status, f"the vendor answered with the status {answer.status}", "final", reason=REFUSED
            )
        # A 5xx may come from a proxy although the vendor has accepted the message.
        return Uncertain(f"the vendor answered with the status {answer.status}")

    def number(self) -> Values:
        """Return the vendor's data of the number. Raises ChatFailed."""
        fields = "display_phone_number,verified_name,quality_rating,messaging_limit_tier"
        number: Values = self._request("GET", f"{self.phone_number_id}?fields={fields}")
        return number

    def create_template(self, template: Values) -> Values:
        """Ask the vendor to approve a template. Returns id, status and category. Raises ChatFailed."""
        created: Values = self._request("POST", f"{self.waba_id}/message_templates", template)
        return created

    def change_template(self, vendor_id: str, values: Values) -> None:
        """Change the content of a template, which the vendor has to approve again. Raises ChatFailed."""
        self._request("POST", quote(vendor_id, safe=""), values)

    def delete_template(self, name: str, vendor_id: str) -> None:
        """Delete a template at the vendor. Raises ChatFailed."""
        query = {"name": name, **({"hsm_id": vendor_id} if vendor_id else {})}
        self._request("DELETE", f"{self.waba_id}/message_templates?{urlencode(query)}")

    def templates(self) -> list[Values]:
        """Return the account's templates: id, name, language, status, category, quality. Raises ChatFailed."""
        fields = "id,name,language,status,category,rejected_reason,quality_score"
        listed: list[Values] = []
        after = ""
        # Bounded, as the cursor is the vendor's and could go round in a circle.
        while len(listed) < MAX_TEMPLATES:
            query = {"fields": fields, "limit": "100", **({"after": after} if after else {})}
            page = self._request("GET", f"{self.waba_id}/message_templates?{urlencode(query)}")
            rows = page.get("data")
            listed += [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
            after = _value_at(page, "paging", "cursors", "after") or ""
            if not after or not isinstance(after, str) or not _value_at(page, "paging", "next"):
                break
        return listed

    def header_handle(self, content: bytes, mime: str) -> str:
        """Upload a picture, video or document for a template's header. Returns its handle. Raises ChatFailed."""
        # A resumable upload: begun with the app's id, then sent to the address that the vendor gives.
        query = urlencode({"file_length": len(content), "file_type": mime})
        begun = self._request("POST", f"{self.app_id}/uploads?{query}").get("id")
        if not isinstance(begun, str) or not begun.startswith("upload:"):
            raise ChatFailed("The vendor began no upload.")
        headers = {"Authorization": f"OAuth {self.token}", "file_offset": "0"}
        handle = self._request("POST", begun, content, headers=headers).get("h")
        if not isinstance(handle, str) or not handle:
            raise ChatFailed("The vendor gave no handle for the file.")
        return handle

    def upload(self, name: str, mime: str, content: bytes) -> str:
        """Give the vendor a file that a message refers to. Returns its id. Raises ChatFailed."""
        fields = {"messaging_product": "whatsapp", "type": mime, "file": (name, content, mime)}
        body, kind = encode_multipart(fields)
        id = self._request("POST", f"{self.phone_number_id}/media", body, headers={"Content-Type": kind}).get("id")
        if not isinstance(id, str | int) or not str(id):
            raise ChatFailed("The vendor gave no id for the file.")
        return str(id)

    def with_file(self, content: Values, file: Attachment, link: str) -> Values:
        """Return a message with the id of its file, which is uploaded for that. Raises ChatFailed."""
        kind = content["type"]
        return {**content, kind: {**content[kind], "id": self.upload(file.name, file.content_type, file.content)}}

    def media(self, id: str) -> MediaPlace:
        """Return the vendor's address of a received file. Raises ChatFailed."""
        details = self._request("GET", f"{quote(id, safe='')}?phone_number_id={self.phone_number_id}")
        url = details.get("url")
        size = details.get("file_size")
        mime = details.get("mime_type")
        # The token goes with the request, so the address is taken only as https, or as the configured
        # vendor's.
        if not isinstance(url, str) or not url.startswith(("https://", f"{self.base.rpartition('/')[0]}/")):
            raise ChatFailed("The vendor says no address of the file.")
        byte_size = int(size) if isinstance(size, int | str) and str(size).isdecimal() and len(str(size)) < 16 else None
        return MediaPlace(url, byte_size, mime if isinstance(mime, str) else "")

    def download(self, place: MediaPlace, most_bytes: int) -> bytes:
        """Return the content of a received file. Raises ChatFailed, with the code `large` for more than that many
        bytes."""
        return download(place.url, most_bytes, {"Authorization": f"Bearer {self.token}"})

    def _request(self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None) -> Any:
        try:
            answer = self._exchange(method, path, body, headers)
        except HttpFailed as failed:
            raise ChatFailed(failed.detail, temporary=failed.code not in ("refused", "large")) from None
        parsed = _json(answer)
        if 200 <= answer.status < 300 and isinstance(parsed, dict):
            return parsed
        error = read_error(parsed)
        if error is None and answer.status in (401, 403):
            # As the vendor's own code for an invalid token.
            error = ChatError(190, f"the vendor refuses the token ({answer.status})")
        detail = error.text if error else f"the vendor answered with the status {answer.status}"
        raise ChatFailed(detail, error=error, temporary=answer.status >= 500 or answer.status == 429)

    def _exchange(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        all_headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            all_headers["Content-Type"] = "application/json"
            body = orjson.dumps(body)
        url = f"{self.base}/{path}"
        return send_request(method, url, seconds=SECONDS, headers=all_headers, body=body, most_bytes=MAX_BYTES)


def download(url: str, most_bytes: int, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a file of a vendor. Raises ChatFailed, with the code `large` for more than that many bytes."""
    try:
        answer = send_request("GET", url, seconds=MEDIA_SECONDS, headers=headers, most_bytes=most_bytes)
    except HttpFailed as failed:
        final = failed.code in ("refused", "large", "redirected")
        raise ChatFailed(failed.detail, temporary=not final, code=failed.code) from None
    if answer.status != 200:
        # Addresses of media last some minutes; the next try asks for a new one.
        waits = answer.status >= 500 or answer.status in (401, 403, 429)
        raise ChatFailed(f"the vendor answered with the status {answer.status}", temporary=waits)
    return answer.body


def _json(answer: HttpAnswer) -> Any:
    try:
        return orjson.loads(answer.body or b"null")
    except orjson.JSONDecodeError:
        return None


def _value_at(value: Any, *path: str | int) -> Any:
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _retry_after(answer: HttpAnswer) -> float | None:
    text = answer.headers.get("Retry-After", "")
    return min(float(text), 3600.0) if text.isdigit() and len(text) < 6 else None
