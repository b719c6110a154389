"""Effects of received mail: it stops runs, suppresses addresses, records replies of attendees and notifies members.

Each mail has its effects once, in the transaction that stores it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Member
from core.events import emit
from core.tenancy import company_id
from core.types import JsonObject
from crm.meetings.answers import record_answer
from crm.models import Contact, Lead
from outreach.connections.senders.models import Smtp
from outreach.messaging.delivery.deliveries import CAME_BACK, confirm_sent, fail_sent_message, record_event
from outreach.messaging.delivery.ledger import lead_of
from outreach.messaging.delivery.limits import guardrails
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.unsubscribing.services import unsubscribe
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber
from outreach.messaging.inbox.analysis.matching import Matched
from outreach.messaging.inbox.mails import REPLY_RECEIVED
from outreach.messaging.inbox.models import InboundMessage
from outreach.messaging.inbox.receiving.received import RECENT, Received
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress

Kind = InboundMessage.Kind
Severity = InboundMessage.Severity
SOFT_BOUNCES = 3
"""So many soft bounces of an address within RECENT, and it is not written to any more."""
PROOF = "A reply to it has come, so it was delivered."


@transaction.atomic
def store(received: Received) -> InboundMessage | None:
    """Store a mail with all that it does. Returns None for one that is stored already, which does nothing again."""
    row = received.row()
    # Two constraints decide: the place in the mailbox, and the content, which finds a mail that was moved or
    # copied.
    InboundMessage.objects.bulk_create([row], ignore_conflicts=True)
    if not InboundMessage.objects.filter(pk=row.pk).exists():
        return None
    if received.meeting is not None and received.answer is not None:
        record_answer(received.meeting, received.answer, sender=row.from_email)
    job = received.job
    # An answer to an invitation of a message is an answer to the message, and stops its follow-ups.
    if row.kind == Kind.REPLY or (row.kind == Kind.CALENDAR and job is not None):
        _record_reply(row, job)
    elif row.kind == Kind.BOUNCE and job is not None:
        _record_bounce(row, job)
    elif row.kind == Kind.COMPLAINT and job is not None:
        _record_complaint(row, job)
    if row.kind in (Kind.REPLY, Kind.CALENDAR):
        _notify(row, received)
    return row


def _record_reply(row: InboundMessage, job: SendJob | None) -> None:
    """Record the contact's reply and emit its event, which stops automatic messages on all channels."""
    if job is None:
        return
    # A guess by address may name the wrong message, so it proves nothing about an uncertain one.
    if row.matched_by != Matched.GUESS and job.sending_at is not None:
        confirm_sent(job, at=job.sending_at, proof=PROOF)
    at = _reply_time(row.received_at, job)
    # Mails are read in any order: an older reply must not move the time back.
    Contact.objects.filter(pk=job.contact_id).update(
        replied_at=Greatest(Coalesce(F("replied_at"), at), at), updated_at=timezone.now()
    )
    if row.unsubscribes:
        unsubscribe(Unsubscriber(company_id(), job.contact_id, job.pk))
    _emit("mail.replied", row, job)


def _reply_time(received_at: datetime, job: SendJob) -> datetime:
    """Return the time of the reply. It is always after the message that it replies to, even if the mailbox's clock
    is wrong."""
    now = timezone.now()
    sent = job.sent_at or job.sending_at or job.created_at
    # Stop rules ask for replies after the message. A mailbox whose clock is late must not hide one.
    return max(min(received_at, now), sent + timedelta(milliseconds=1))


def _record_bounce(row: InboundMessage, job: SendJob) -> None:
    # The server still tries. To suppress here would lose people whose server was away for an hour.
    if row.severity == Severity.DELAYED:
        record_event(job.pk, "delivered" if row.status_code.startswith("2.") else "deferred", row.received_at)
        return
    record_event(job.pk, "bounced", row.received_at, for_good=row.severity == Severity.HARD)
    evidence = {"status": row.status_code, "diagnostic": row.diagnostic, "inbound": row.pk}
    # The sender or the content was refused, so the address stays and the sender's owner reads why.
    if row.severity == Severity.BLOCKED:
        detail = f"A receiving server refused a message of this sender: {row.diagnostic or row.subject}"
        Smtp.objects.filter(pk=row.smtp_id).update(last_error=detail[:1000], last_error_at=timezone.now())
    elif row.severity == Severity.HARD:
        fail_sent_message(job.pk, reason=CAME_BACK, detail=row.diagnostic)
        suppress([row.recipient], reason=Suppression.Reason.BOUNCED, source=job.pk, details=evidence)
        # In the same transaction: the next claim already sees the sender stopped.
        guardrails.check_senders([job.sender_id])
    else:
        soft = InboundMessage.objects.filter(
            kind=Kind.BOUNCE, severity=Severity.SOFT, recipient=row.recipient, received_at__gte=timezone.now() - RECENT
        )
        # Full mailboxes and outages pass. Only when they do not is the address given up.
        if (count := soft.count()) >= SOFT_BOUNCES:
            details = {**evidence, "softBounces": count}
            suppress([row.recipient], reason=Suppression.Reason.BOUNCED, source=job.pk, details=details)
    _emit("mail.bounced", row, job)


def _record_complaint(row: InboundMessage, job: SendJob) -> None:
    record_event(job.pk, "complained", row.received_at)
    suppress([row.recipient], reason=Suppression.Reason.COMPLAINED, source=job.pk, details={"inbound": row.pk})
    guardrails.check_senders([job.sender_id])
    _emit("mail.complained", row, job)


def _lead_of(contact_id: str) -> Lead | None:
    """Return the newest live lead of the contact, with its member."""
    return (
        Lead.objects.filter(contact_id=contact_id, is_deleted=False)
        .select_related("team_member")
        .order_by("-created_at", "-pk")
        .first()
    )


def event_payload(kind: str, row: InboundMessage, job: SendJob) -> JsonObject:
    """Return the payload of the event of a mail that is about a sent message."""
    lead_id = lead_of(job)
    if lead_id is None:
        lead = _lead_of(job.contact_id)
        lead_id = lead.pk if lead else None
    return {
        "contact": job.contact_id,
        "lead": lead_id,
        "subject": row.subject,
        "run": job.run_id,
        "sendJob": job.pk,
        **_details(kind, row),
    }


def _details(kind: str, row: InboundMessage) -> JsonObject:
    if kind == "mail.replied":
        # Events are kept and sent to webhooks; a long quotation belongs to neither.
        return {"text": row.text[:2000], "guess": row.matched_by == Matched.GUESS}
    severity = {"severity": row.severity} if kind == "mail.bounced" else {}
    return {**severity, "recipient": row.recipient}


def _emit(kind: str, row: InboundMessage, job: SendJob) -> None:
    emit(kind, [row.pk], payloads={row.pk: event_payload(kind, row, job)})


def _notify(row: InboundMessage, received: Received) -> None:
    """Notify who began the run and who looks after the lead; the organizer, of an answer to an invitation; or else the
    owners."""
    job = received.job
    ids = {received.meeting.organizer_id} if received.meeting is not None else set()
    if job is not None:
        lead = _lead_of(job.contact_id)
        ids |= {lead.team_member_id if lead else None, job.created_by_id}
        ids |= {job.run.created_by_id if job.run else None}
    # Members who have left since are not written to; without anybody else the owners are.
    present = (Member.Status.OWNER, Member.Status.ACCEPTED)
    members = list(Member.objects.filter(pk__in=ids - {None}, status__in=present))
    context = {"inbound": row, "who": row.from_name or row.from_email}
    notify(REPLY_RECEIVED.key, context, members=members or None, about=("inbox", row.pk))
