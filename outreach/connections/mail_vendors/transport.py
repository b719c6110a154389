"""Sends messages by mail vendors, one recipient each, with the outcomes of SMTP.

The intent is committed before the request. Before the first byte of the request a failure is certain, afterwards only a
response is. A vendor with an idempotency key is queried again later with the same key
(outreach.messaging.delivery.sending.uncertain); others never are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_OID, uuid5

from django.core.mail import EmailMultiAlternatives

from core.outbound import OutboundRefused
from core.outbound_http import TRANSPORT_ERRORS, error_causes, time_limit
from core.types import JsonObject, Values
from outreach.connections.mail_vendors import backends
from outreach.connections.mail_vendors.backends import backend_of, secrets_of
from outreach.connections.mail_vendors.outcomes import read_statuses
from outreach.connections.smtp.message import (
    InvalidMail,
    OutgoingMail,
    bodies,
    clean_line,
    message_id,
    subject_line,
    thread_headers,
)
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.connections.smtp.transport import encode_address

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp
    from outreach.connections.mail_vendors.vendors.base import MailVendor

log = logging.getLogger(__name__)


class VendorSession:
    """An app's account for many messages in a row, used by one thread."""

    def __init__(self, app: MailApp) -> None:
        self.app = app
        self.secrets = secrets_of(app)

    def deliver(self, mail: OutgoingMail, commit_intent: Callable[[], None]) -> Outcome:
        """Send one message to one recipient. Returns the outcome.

        Calls `commit_intent` before anything is sent; when that raises, nothing is. Raises InvalidMail and SmtpError
        before it is called.
        """
        message = message_of(self.app.spec, mail)
        with backend_of(self.app) as backend:
            commit_intent()
            return self._try(backend, message)

    def look_up(self, message_id: str) -> Sent | None:
        """Return that the account has sent the message, or None where it cannot be found."""
        return None

    def close(self) -> None:
        """Keep the connection for the next session; idle ones are closed."""
        backends.close_idle()

    def _try(self, backend: Any, message: EmailMultiAlternatives) -> Outcome:
        from anymail.exceptions import AnymailError, AnymailRecipientsRefused  # noqa: PLC0415

        message.anymail_status = None  # type: ignore[attr-defined]
        with time_limit(backends.SECONDS) as deadline:
            try:
                backend.send_messages([message])
            except AnymailRecipientsRefused:
                pass
            except AnymailError as error:
                return self._outcome_of_error(error, began=deadline.began)
            except Exception as error:  # noqa: BLE001  whatever it is, the request may be on its way
                return self._outcome_without_response(error, began=deadline.began)
        return read_statuses(self.app.spec, message.anymail_status.recipients)  # type: ignore[attr-defined]

    def _outcome_of_error(self, error: Any, *, began: bool) -> Outcome:
        vendor = self.app.spec
        if error.response is not None:
            return vendor.read_error(error.response, self.secrets)
        if error.__cause__ is None and not began:
            # Anymail cannot write the message as the vendor wants it.
            return Rejected(False, None, f"{vendor.name} cannot take this message: {_unfit(error)}", "final")
        return self._outcome_without_response(error, began=began)

    def _outcome_without_response(self, error: Exception, *, began: bool) -> Outcome:
        """Return the outcome of a request without an answer."""
        name = self.app.spec.name
        if began:
            return Uncertain(f"the request was under way, then {name} gave no whole answer")
        chain = error_causes(error)
        refused = next((cause for cause in chain if isinstance(cause, OutboundRefused)), None)
        if refused is not None:
            return Rejected(True, None, refused.detail, "connect")
        if any(isinstance(cause, TRANSPORT_ERRORS) for cause in chain):
            return Rejected(True, None, f"{name} could not be reached", "connect")
        # Only the log can tell a fault of the adapter from a message that the vendor does not take.
        log.error("%s: a message could not be made", name, exc_info=error)
        return Rejected(False, None, f"{name} cannot take this message", "final")


def message_of(vendor: MailVendor, mail: OutgoingMail) -> EmailMultiAlternatives:
    """Return the message as anymail takes it. Raises InvalidMail."""
    subject = subject_line(mail)
    text, page = bodies(mail)
    headers = {"Message-ID": message_id(mail.id, mail.from_email), **thread_headers(mail)}
    if vendor.idempotency == "message":
        headers["idempotencyKey"] = str(uuid5(NAMESPACE_OID, mail.id))  # it takes UUIDs alone
    message = EmailMultiAlternatives(
        subject=subject,
        body=text,
        from_email=_mailbox(mail.from_name, mail.from_email),
        to=[_mailbox(mail.to_name, mail.to_email)],
        reply_to=[mail.reply_to] if mail.reply_to else None,
        headers=headers,
    )
    message.attach_alternative(page, "text/html")
    for attachment in mail.attachments:
        message.attach(clean_line(attachment.name), attachment.content, attachment.content_type)
    for name, value in _extras(vendor, mail).items():
        setattr(message, name, value)
    return message


def _extras(vendor: MailVendor, mail: OutgoingMail) -> Values:
    extras: JsonObject = {"idempotency_key": mail.id, **dict.fromkeys(vendor.tracking, False)}
    if vendor.metadata:
        extras["metadata"] = {"job": mail.id}
    return extras


def _mailbox(name: str, address: str) -> str:
    try:
        address = encode_address(address)
    except SmtpError as error:
        raise InvalidMail(error.detail) from None
    name = clean_line(name)[:100].replace("\\", "").replace('"', "'")
    return f'"{name}" <{address}>' if name else address


def _unfit(error: Exception) -> str:
    """Return why anymail cannot write a message for a vendor, without its values."""
    from anymail.exceptions import AnymailInvalidAddress, AnymailUnsupportedFeature  # noqa: PLC0415

    if isinstance(error, AnymailInvalidAddress):
        return "it does not take one of the addresses"
    if isinstance(error, AnymailUnsupportedFeature):
        return "it does not support a part of it"
    return "it cannot be written as the vendor wants it"
