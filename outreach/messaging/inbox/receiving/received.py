"""Processing of a received mail: the message that it belongs to, and a row with its effects, once for each mail."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Upper
from django.utils import timezone

from core.tenancy import company_id
from crm.meetings.answers import Answer, read_answer
from crm.meetings.models import Meeting, MeetingAttendee
from crm.models import Contact
from outreach.connections.senders.models import Smtp
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.inbox.analysis.classification import (
    Kind,
    calendar_part,
    classify,
    is_from_nobody,
    may_be_daemon,
    report_type,
)
from outreach.messaging.inbox.analysis.matching import Matched, first_known, messages_named_in
from outreach.messaging.inbox.analysis.parsing import Mail
from outreach.messaging.inbox.analysis.reports import Failure, Report, read_bounce, read_complaint
from outreach.messaging.inbox.analysis.words import asks_to_stop, reply_and_quote
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage

RECENT = timedelta(days=30)
WENT_OUT = (SendJob.Status.SENDING, SendJob.Status.SENT, SendJob.Status.UNKNOWN, SendJob.Status.FAILED)
"""Statuses of messages that may have been received."""


@dataclass(frozen=True)
class Place:
    """The place of a mail in a mailbox, and the time when it arrived there."""

    folder: str
    validity: int
    uid: int
    received_at: datetime


@dataclass
class Reader:
    """Finds the messages and contacts that the mails of a mailbox belong to."""

    mailbox: ImapMailbox
    own: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def for_mailbox(cls, mailbox: ImapMailbox) -> Reader:
        """Return the reader of a mailbox; the addresses of all senders of the company are its own."""
        # Copies of our mails, as in a shared mailbox, must not count as replies to them.
        own = {address.lower() for address in Smtp.objects.values_list("from_email", flat=True)}
        # Its name is mostly its address, which may be an alias that no sender has.
        return cls(mailbox, frozenset(own | {mailbox.username.lower()}))

    def relevant_uids(self, headers: dict[int, Mail]) -> set[int]:
        """Return the UIDs of those mails, by their headers, that may concern the company. A few statements for all."""
        others = {uid: mail for uid, mail in headers.items() if mail.sender[1] not in self.own or report_type(mail)}
        named = {uid: {message.id for message in messages_named_in(mail)} for uid, mail in others.items()}
        # One statement for all headers of the batch, and not one for each mail.
        sent_ids = _sent_as({id for ids in named.values() for id in ids})
        writers = {mail.sender[1] for mail in others.values()} - {""}
        people = set(_contacts(writers).values_list("address", flat=True))
        # In capitals on both sides, as the index of contacts' addresses has them.
        invited = {
            email.upper() for email in MeetingAttendee.objects.filter(email__in=writers).values_list("email", flat=True)
        }
        return {
            uid
            for uid, mail in others.items()
            if report_type(mail)
            or may_be_daemon(mail)
            or mail.has("X-Failed-Recipients")
            or mail.header("Return-Path") == "<>"
            or (is_from_nobody(mail) and mail.message.get_content_type() == "multipart/mixed")  # may send ours back
            or named[uid] & sent_ids.keys()
            or mail.sender[1].upper() in people | invited
        }

    def read(self, mail: Mail, raw: bytes, place: Place) -> Received | None:
        """Return the mail with its kind and the message or meeting that it belongs to, or None if there is neither."""
        answered = self._answered_subject(mail)
        kind = classify(mail, self.own, answered)
        if kind == Kind.OWN:
            return None
        report = None
        if kind == Kind.COMPLAINT:
            report = read_complaint(mail)
        elif kind == Kind.BOUNCE:
            report = read_bounce(mail)
        job, how = self._message(mail, report)
        answer = read_answer(calendar_part(mail)) if kind == Kind.CALENDAR else None
        meeting = Meeting.objects.filter(pk=answer.meeting_id).first() if answer else None
        if job is None and meeting is None:
            return None
        # Erased people's mail is not stored again.
        if job is not None and job.contact.erased_at is not None:
            return None
        return Received(
            mailbox=self.mailbox,
            mail=mail,
            raw=raw,
            place=place,
            kind=kind,
            report=report,
            job=job,
            how=how,
            meeting=meeting,
            answer=answer if meeting else None,
        )

    def _answered_subject(self, mail: Mail) -> str | None:
        """Return the subject of the message that In-Reply-To or References names, or None."""
        named = [
            message for message in messages_named_in(mail) if message.how in (Matched.IN_REPLY_TO, Matched.REFERENCES)
        ]
        match = first_known(iter(named), _sent_as({message.id for message in named}))
        return SendJob.objects.values_list("subject", flat=True).get(pk=match.id) if match else None

    def _message(self, mail: Mail, report: Report | None) -> tuple[SendJob | None, str]:
        """Return the message that the mail belongs to, and how that was found."""
        named = list(messages_named_in(mail, report.message_ids if report else ()))
        sent_ids = _sent_as({entry.id for entry in named})
        match = first_known(iter(named), sent_ids)
        if match is not None:
            return _jobs().get(pk=match.id), match.how
        about = [entry.recipient for entry in report.failures] if report else [mail.sender[1]]
        # A forged report may name any number of addresses.
        contacts = _contacts(about).values_list("pk", flat=True)[:20]
        since = timezone.now() - RECENT
        recent = _jobs().filter(
            contact_id__in=list(contacts), smtp_id=self.mailbox.smtp_id, status__in=WENT_OUT, sending_at__gte=since
        )
        # People mostly answer the last mail that they got.
        job = recent.order_by("-sending_at").first()
        return job, Matched.GUESS if job else ""


def _jobs() -> QuerySet[SendJob]:
    return SendJob.objects.select_related("contact", "run").defer("html", "evidence")


def _sent_as(ids: Collection[str]) -> dict[str, str]:
    """Return id -> Message-ID of those messages that may have been received."""
    # Only what went out can have been answered: an id in a header proves nothing by itself.
    rows = SendJob.objects.filter(pk__in=ids, status__in=WENT_OUT) if ids else SendJob.objects.none()
    return dict(rows.values_list("pk", "message_id"))


def _contacts(addresses: Iterable[str]) -> QuerySet[Any]:
    """Return the contacts with one of the addresses, as `address` in capitals."""
    emails = [address.upper() for address in addresses if address]
    # The expression of the index: with lower() each mailbox would read all contacts.
    return Contact.objects.annotate(address=Upper("email")).filter(address__in=emails, erased_at=None)


@dataclass(frozen=True)
class Received:
    """A mail that belongs to a message or a meeting of the company."""

    mailbox: ImapMailbox
    mail: Mail
    raw: bytes
    place: Place
    kind: Kind
    report: Report | None
    job: SendJob | None
    how: str
    meeting: Meeting | None
    answer: Answer | None

    def row(self) -> InboundMessage:
        """Return the row of the inbox, not stored."""
        said, quoted = reply_and_quote(self.mail)
        failure = self._failure()
        name, address = self.mail.sender
        contact = self.job.contact_id if self.job else None
        # Only what is new in the mail: our own footer, which it quotes, has the word too.
        # The Message-ID where there is one: the same mail in two folders differs in its Received headers.
        row = InboundMessage(
            company_id=company_id(),
            kind=self.kind,
            mailbox=self.mailbox,
            smtp_id=self.mailbox.smtp_id,
            folder=self.place.folder,
            uid_validity=self.place.validity,
            uid=self.place.uid,
            digest=hashlib.sha256(self.mail.message_id.encode() or self.raw).hexdigest(),
            message_id=self.mail.message_id[:500],
            from_email=address[:320],
            from_name=name[:300],
            subject=self.mail.subject,
            text=said,
            quoted=quoted,
            send_job=self.job,
            run_id=self.job.run_id if self.job else None,
            contact_id=contact,
            meeting=self.meeting,
            matched_by=self.how,
            unsubscribes=self.kind == Kind.REPLY and asks_to_stop(said),
            received_at=self.place.received_at,
        )
        if self.kind in (Kind.BOUNCE, Kind.COMPLAINT):
            row.recipient = ((self.job.recipient if self.job else "") or (failure.recipient if failure else "")).lower()
        if self.kind == Kind.BOUNCE:
            row.severity = failure.severity if failure else InboundMessage.Severity.SOFT
            row.status_code = failure.status[:16] if failure else ""
            row.diagnostic = failure.diagnostic if failure else ""
        if self.answer is not None:
            row.answer = self.answer.answer
        return row

    def _failure(self) -> Failure | None:
        """Return the report's failure of the message's recipient, or else its first failure."""
        failures = self.report.failures if self.report else ()
        to = self.job.recipient.lower() if self.job else ""
        # A forwarded address fails under another name than the one that we wrote to.
        return next((failure for failure in failures if failure.recipient == to), failures[0] if failures else None)
