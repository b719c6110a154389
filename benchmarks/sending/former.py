"""The sending loop as it was before several connections shared a writer, kept as a yardstick: one message after the
other, each with an intent and an outcome of its own, built by email.message.
"""

from __future__ import annotations

from contextlib import closing
from email import policy
from email.header import Header
from email.message import EmailMessage
from time import monotonic

from django.utils import timezone

from core.tenancy import company_id, company_scope
from outreach.connections.senders.models import Smtp
from outreach.connections.senders.services import config_of
from outreach.connections.smtp import message
from outreach.connections.smtp.message import OutgoingMail
from outreach.connections.smtp.transport import Sent, Session
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.sending.claims import claim, due_senders, release_claim
from outreach.messaging.delivery.sending.intents import intent_holds
from outreach.messaging.delivery.sending.parts import MailParts

BATCH = 25
SECONDS_A_SENDER = 5.0
_POLICY = policy.SMTP.clone(cte_type="7bit")


def drain(deadline: float) -> None:
    """Send due messages until none is left or the deadline passes."""
    while monotonic() < deadline and (due := due_senders(50)):
        for sender_id, company in due:
            with company_scope(company):
                _serve(sender_id, min(deadline, monotonic() + SECONDS_A_SENDER))


def _serve(sender_id: str, deadline: float) -> None:
    sender = Smtp.objects.get(pk=sender_id)
    parts = MailParts(sender)
    with closing(Session(config_of(sender))) as session:
        while monotonic() < deadline:
            claimed = claim(sender_id, BATCH)
            for job in claimed.jobs:
                _send(session, parts, job)
            release_claim(claimed.lease)
            if not claimed.examined:
                return


def _send(session: Session, parts: MailParts, job: SendJob) -> None:
    mail = parts.mail_of(job, job.contact.email or "")

    def commit_intent() -> None:
        values = {
            "recipient": mail.to_email,
            "message_id": message.message_id(job.pk, mail.from_email),
            "sending_at": timezone.now(),
        }
        holds = f"AND j.lease = %s AND j.status = 'claimed' {intent_holds('%s', '%s')}"
        given = [job.lease, values["sending_at"], mail.to_email, mail.to_email]
        assert ledger._transition(job, "sending", "", "", values, holds, given)

    outcome = session.deliver(mail.from_email, mail.to_email, _build(mail), commit_intent)
    assert isinstance(outcome, Sent), (company_id(), outcome)
    values = {"sent_at": timezone.now(), "worker": None, "error": "", "reply": outcome.reply}
    assert ledger.transition(job, to="sent", detail=outcome.reply, **values)


def _build(mail: OutgoingMail) -> bytes:
    lines = [
        f"From: {_encoded(mail.from_name, 6)} <{mail.from_email}>",
        f"To: {_encoded(mail.to_name, 4)} <{mail.to_email}>",
        f"Subject: {_encoded(message.subject_line(mail), 9)}",
        f"Date: {message.format_datetime(mail.date)}",
        f"Message-ID: {message.message_id(mail.id, mail.from_email)}",
        *(f"{name}: {value}" for name, value in message.thread_headers(mail, "\r\n ").items()),
    ]
    text, page = message.bodies(mail)
    body = EmailMessage(policy=_POLICY)
    body.set_content(text, charset="utf-8")
    body.add_alternative(page, subtype="html", charset="utf-8")
    body.set_boundary(f"=_{mail.id}_=")
    return "".join(f"{line}\r\n" for line in lines).encode() + body.as_bytes()


def _encoded(value: str, used: int) -> str:
    if value.isascii() and used + len(value) <= 76:
        return value
    charset = "us-ascii" if value.isascii() else "utf-8"
    return Header(value, charset, maxlinelen=76, header_name=" " * (used - 2)).encode(linesep="\r\n")
