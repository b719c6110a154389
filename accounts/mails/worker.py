"""The worker that sends the service's own mails: at least once, never lost.

It claims a mail, sends it outside of any transaction, and marks it as sent under its lease. After a crash in between
the mail is sent again with the same Message-ID.
"""

from __future__ import annotations

import logging
import re
from contextlib import closing, suppress
from datetime import timedelta
from email.utils import parseaddr
from smtplib import SMTPException, SMTPRecipientsRefused
from ssl import SSLCertVerificationError
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.db.models import QuerySet
from django.utils import timezone

from accounts.mails.models import Mail
from accounts.settings.branding import Brand, mail_brand_of
from core.errors import shorten
from core.ids import min_id_at
from core.jobs import LeaseLost, backoff_delay, claim, update_owned
from core.jobs.registry import Moment
from core.tenancy import unscoped

log = logging.getLogger(__name__)

BATCH = 5
"""Few, since each mail may take as long as the server's timeout, and a claim lasts until the whole batch is done."""
MAX_ATTEMPTS = 15
"""About five hours of retries, at intervals that grow to an hour."""
MAIL_LIFE = timedelta(days=90)
MAX_PURGED = 10_000


def drain(deadline: float) -> None:
    """Send due mails until none is left, the server fails, or the deadline (monotonic) passes."""
    if not settings.SENDS_MAIL:
        return
    with unscoped(reason="mail worker: sends the mails of all companies"), closing(get_connection()) as connection:
        while monotonic() < deadline:
            mails = claim(Mail, limit=BATCH)
            if not mails:
                return
            server_error = ""
            for mail in mails:
                # Once the server fails, the rest of the batch is released without a try
                # of each that runs into the timeout.
                server_error = server_error or _send(connection, mail)
                if server_error:
                    _retry_or_park(mail, server_error)
            if server_error:
                return


def _send(connection: Any, mail: Mail) -> str:
    """Send one mail and save the result. Returns the server's error if the server is the reason for a failure."""
    try:
        connection.open()
        connection.send_messages([message_of(mail)])
    except SMTPRecipientsRefused as error:
        # The server refuses this one address. It is no reason to keep the other mails waiting.
        _handle_refusal(mail, error)
    except (SMTPException, OSError) as error:
        with suppress(SMTPException, OSError):
            connection.close()
        return describe(error)
    except ValueError as error:  # a value that no header can hold
        _write(mail, status=Mail.Status.FAILED, error=describe(error))
    else:
        # The content is removed: it may have links that open accounts, and it is no longer needed.
        _write(mail, status=Mail.Status.SENT, sent_at=timezone.now(), text="", html="", calendar=None, error="")
    return ""


def message_of(mail: Mail) -> EmailMultiAlternatives:
    """Return the message of the mail; its Message-ID comes from the row's id."""
    address = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    brand = mail_brand_of(mail.company_id)
    # Quotes, backslashes and angle brackets end the display name early, and could name another sender.
    name = " ".join((brand.look.sender or brand.name).split()).translate(str.maketrans("", "", '"\\<>'))
    if mail.company_id is not None and not brand.look.base_url:
        # Any company may take any name, and the address is the service's. One with a host of its own has proved some.
        name = f"{name} via {Brand().name}"
    message = EmailMultiAlternatives(
        subject=mail.subject,
        body=mail.text,
        from_email=f'"{name}" <{address}>',
        to=[mail.to],
        # The same id at each try, so that mail programs show a repeated mail once.
        # Auto-Submitted keeps absence notices away (RFC 3834).
        headers={"Message-ID": f"<{mail.pk}@{address.rpartition('@')[2]}>", "Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(mail.html, "text/html")
    if mail.calendar:
        _attach_calendar(message, mail.calendar)
    return message


def _attach_calendar(message: EmailMultiAlternatives, calendar: str) -> None:
    """Attach the calendar file twice (RFC 6047).

    As an alternative, whose method makes mail programs offer to accept, and as an attachment for the other programs.
    """
    match = re.search(r"^METHOD:([A-Z]+)", calendar, re.MULTILINE)
    message.attach_alternative(calendar, f"text/calendar; method={match[1] if match else 'PUBLISH'}")
    message.attach("invite.ics", calendar.encode(), "application/ics")


def _handle_refusal(mail: Mail, error: SMTPRecipientsRefused) -> None:
    """Handle a refused address: retry after a temporary error (4xx), fail otherwise."""
    code, text = next(iter(error.recipients.values()), (550, b""))
    reply = f"{code} {text.decode(errors='replace') if isinstance(text, bytes) else text}".strip()
    # 4xx is temporary and 5xx permanent (RFC 5321, 4.2.1).
    if code < 500:
        _retry_or_park(mail, reply)
    else:
        _write(mail, status=Mail.Status.FAILED, error=shorten(f"The server refuses the address: {reply}", 2000))


def _retry_or_park(mail: Mail, server_error: str) -> None:
    """Schedule a retry. After the last attempt mark the mail as failed, so that staff see it and can send it again."""
    if mail.attempts >= MAX_ATTEMPTS:
        _write(
            mail,
            status=Mail.Status.FAILED,
            error=shorten(f"Given up after {mail.attempts} attempts. {server_error}", 2000),
        )
    else:
        _write(
            mail,
            status=Mail.Status.QUEUED,
            due_at=timezone.now() + backoff_delay(mail.attempts, base=4.0),
            lease=None,
            error=server_error,
        )


def _write(mail: Mail, **values: Any) -> None:
    try:
        update_owned(mail, worker=None, **values)
    except LeaseLost:
        log.warning("mail %s was taken over by another worker", mail.pk)


def describe(error: Exception) -> str:
    """Return the error as the back office shows it, without the mail's content."""
    code, text = getattr(error, "smtp_code", ""), getattr(error, "smtp_error", b"")
    if code:
        reply = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        return shorten(f"The server says: {code} {' '.join(reply.split())}", 500)
    if isinstance(error, TimeoutError):
        return "The server did not answer in time."
    if isinstance(error, SSLCertVerificationError):
        return f"The server's certificate could not be trusted: {error.verify_message}."
    if isinstance(error, ValueError):
        return "A line break or another character of the subject or the address cannot stand in a header."
    reason = error.strerror if isinstance(error, OSError) else ""
    return shorten(reason or str(error) or type(error).__name__, 500)


def due_mails(now: Moment) -> list[QuerySet[Mail]]:
    """Return the mails that are due, if there is a server that sends them."""
    return [Mail.claimable(now)] if settings.SENDS_MAIL else []


def purge_mails() -> bool:
    """Delete finished mails that are older than 90 days. Returns whether there may be more."""
    old = Mail.objects.filter(
        pk__lt=min_id_at(timezone.now() - MAIL_LIFE), status__in=(Mail.Status.SENT, Mail.Status.FAILED)
    )
    ids = list(old.order_by("pk").values_list("pk", flat=True)[:MAX_PURGED])
    Mail.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED
