"""Sends by Gmail: the same bytes as to a mail server, by users.messages.send.

Gmail has no idempotency key, so a message without a response stays unknown. If the log-in allows it, the mailbox is
searched for the sent message (outreach.messaging.delivery.sending.uncertain); if that finds nothing, it proves nothing.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from core.outbound_http import time_limit
from core.types import JsonObject, Values
from outreach.connections.mail_vendors import backends
from outreach.connections.mail_vendors.access import access_token, may_read
from outreach.connections.mail_vendors.backends import backend_of, bounded_session, secrets_of
from outreach.connections.mail_vendors.outcomes import MAX_PAUSE, PAUSE, read_answer, words_of
from outreach.connections.mail_vendors.transport import VendorSession
from outreach.connections.mail_vendors.vendors.base import MailVendor
from outreach.connections.smtp.message import OutgoingMail, build
from outreach.connections.smtp.outcome import BAD_ADDRESS, Outcome, Rejected, Sent, SmtpError, Uncertain

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

SEND = "gmail/v1/users/me/messages/send"
MESSAGES = "gmail/v1/users/me/messages"
LIMITS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded", "quotaExceeded"})
_UNTIL = re.compile(r"retry after (\S+)", re.IGNORECASE)
_RECIPIENT = re.compile(r"invalid to header|recipient address required", re.IGNORECASE)


class Gmail(MailVendor):
    key = "gmail"
    name = "Gmail"
    base_urls = {"": "https://gmail.googleapis.com/"}
    metadata = False
    tracking = ()
    login = True
    connect_errors = ("MailvendorCCodeRequired_400", "AppNotFound_400")
    connect_description = (
        "An account that a member logs in to at the vendor: POST …/authorize gives the address for it, and what comes"
        " back from there, code and state, stands in this body. Its address becomes fromEmail; fromName is required."
    )
    finds_sent = True
    has_webhooks = False

    @property
    def available(self) -> bool:
        return bool(settings.GOOGLE_CLIENT_ID and settings.GOOGLE_CLIENT_SECRET)

    def arguments(self, app: MailApp) -> JsonObject:
        secrets_of(app)
        return {"api_url": self.base_url(app.region, app.endpoint)}

    def open_backend(self, arguments: Values) -> GmailClient:
        return GmailClient(**arguments)

    def open_session(self, app: MailApp) -> GmailSession:
        return GmailSession(app)

    def verify(self, app: MailApp) -> None:
        access_token(app, instead_of=app.access_token)


class GmailClient:
    """A guarded session at Gmail's API."""

    def __init__(self, api_url: str) -> None:
        self.url = api_url
        self.session = bounded_session()

    def send_request(self, method: str, path: str, token: str, **options: Any) -> Any:
        """Send a request with an access token, and return the response."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        timeout = (backends.CONNECT_SECONDS, backends.SECONDS)
        return self.session.request(method, urljoin(self.url, path), headers=headers, timeout=timeout, **options)

    def close(self) -> None:
        """End the connections."""
        self.session.close()


class GmailSession(VendorSession):
    """An app's Gmail account, used by one thread."""

    def deliver(self, mail: OutgoingMail, commit_intent: Callable[[], None]) -> Outcome:
        raw = base64.urlsafe_b64encode(build(mail)).decode()
        token = access_token(self.app)  # raises SmtpError while nothing is committed
        with backend_of(self.app) as client:
            commit_intent()
            status, outcome = self._post(client, token, {"raw": raw, "threadId": mail.thread_id})
            if status == 401:  # taken back before its end, and the message with it
                try:
                    token = access_token(self.app, instead_of=token)
                except SmtpError as error:
                    return error.as_rejected()
                status, outcome = self._post(client, token, {"raw": raw, "threadId": mail.thread_id})
            if status == 404 and mail.thread_id:  # somebody has deleted the thread
                _, outcome = self._post(client, token, {"raw": raw})
        return outcome

    def look_up(self, message_id: str) -> Sent | None:
        """Return that the account has sent the message, or None where its log-in does not allow the search."""
        if not may_read(self.app):
            return None
        try:
            token = access_token(self.app)
            with backend_of(self.app) as client, time_limit(backends.SECONDS):
                params = {"q": f"rfc822msgid:{message_id} in:sent", "maxResults": 1}
                answer = client.send_request("GET", MESSAGES, token, params=params)
            messages = _json(answer).get("messages") if answer.status_code == 200 else None
        except Exception:  # noqa: BLE001  whatever it is, the doubt stays
            return None
        if not isinstance(messages, list) or not messages or not isinstance(messages[0], dict):
            return None
        return _sent_outcome("It was found among the messages that were sent", messages[0])

    def _post(self, client: GmailClient, token: str, body: Mapping[str, str]) -> tuple[int, Outcome]:
        """Send the message to Gmail once. Return the status of the response, 0 for none, and the outcome."""
        data = json.dumps({name: value for name, value in body.items() if value}).encode()
        with time_limit(backends.SECONDS) as deadline:
            try:
                answer = client.send_request("POST", SEND, token, data=data)
            except Exception as error:  # noqa: BLE001  whatever it is, the request may be on its way
                return 0, self._outcome_without_response(error, began=deadline.began)
        secrets = (*self.secrets, token)
        return answer.status_code, read_gmail(answer.status_code, answer.headers, _json(answer), self.app, secrets)


def read_gmail(
    status: int, headers: Mapping[str, str], body: Values, app: MailApp, secrets: tuple[str, ...]
) -> Outcome:
    """Return the outcome of an answer to users.messages.send."""
    error = body.get("error")
    details: Values = error if isinstance(error, dict) else {}
    listed = details.get("errors")
    reasons = (
        {entry.get("reason") for entry in listed if isinstance(entry, dict)} if isinstance(listed, list) else set()
    )
    text = f"{status} {words_of(details.get('message', ''), secrets)}".strip()
    if 200 <= status < 300:
        if body.get("id"):
            return _sent_outcome("Gmail accepted the message", body)
        return Uncertain("Gmail answered without saying what became of the message")
    if status == 429 or (status == 403 and reasons & LIMITS):
        # Gmail names the end of the pause in its text, and seldom sends the header.
        seconds = _pause(text) if "Retry-After" not in headers else None
        if seconds is not None:
            return Rejected(True, 429, text, "limit", retry_after=seconds)
        return read_answer(app.spec, 429, headers, details, secrets)
    if status == 400 and "failedPrecondition" in reasons:
        return Rejected(False, status, text, "auth")  # the account has no mail service
    if status == 400 and _RECIPIENT.search(text):
        return Rejected(False, status, text, "rcpt", reason=BAD_ADDRESS)
    return read_answer(app.spec, status, headers, details, secrets)


def _sent_outcome(text: str, message: Values) -> Sent:
    return Sent(text, provider_id=str(message.get("id", "")), thread_id=str(message.get("threadId", "")))


def _pause(text: str) -> float:
    """Return the seconds until the time in Gmail's text, a minute without one, an hour at most."""
    match = _UNTIL.search(text)
    try:
        until = parse_datetime(match[1].rstrip(".")) if match else None
    except ValueError:
        until = None
    if until is None or until.tzinfo is None:
        return PAUSE
    return min(MAX_PAUSE, max(1.0, (until - timezone.now()).total_seconds()))


def _json(answer: Any) -> JsonObject:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
