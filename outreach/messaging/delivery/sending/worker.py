"""One message: its sending, and its outcome (outreach.messaging.delivery.sending.loop has the loop).

claimed → sending before its last byte is sent, then sent, failed, approved again or unknown
(docs/decisions/0006-send-exactly-once.md).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import SystemRandom

from django.db import transaction
from django.utils import timezone

from core.jobs import LeaseLost
from core.types import JsonObject
from outreach.connections.senders.models import Sender
from outreach.connections.senders.sample_people import may_reach
from outreach.connections.smtp.message import InvalidMail, message_id
from outreach.connections.smtp.transport import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.attachments import AttachmentMissing, AttachmentUnavailable
from outreach.messaging.delivery.deciding.decision import backoff
from outreach.messaging.delivery.deciding.reasons import MAX_ATTEMPTS, Reason
from outreach.messaging.delivery.limits import guardrails
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import AnySession
from outreach.messaging.delivery.sending import intents
from outreach.messaging.delivery.sending.claims import schedule_retry
from outreach.messaging.delivery.sending.parts import ChatParts, MailParts
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress as suppress_addresses

FIRST_WAIT = dt.timedelta(seconds=2)
"""Delay before a vendor is queried about a message with an unknown outcome. Further delays are longer."""
ATTACHMENT_MISSING = "attachment_missing"
# RFC 1870, section 6.1: the message is larger than the server takes. That is the message's fault, not the
# sender's.
_TOO_LARGE = 552
_LIMIT_PAUSE = 60.0
_random = SystemRandom()


class SampleRecipient(InvalidMail):
    """The recipient is a sample person, whom only the test server reaches."""


class IntentRefused(Exception):
    """The intent was not committed: the message may no longer be sent, or the lease is lost."""


class SenderStopped(Exception):
    """The sender's guardrail has stopped it: other claimed messages are not sent."""


class SenderLimited(Exception):
    """The sender exceeds its limit at present."""

    def __init__(self, detail: str, seconds: float) -> None:
        super().__init__(detail)
        self.detail = detail
        self.seconds = seconds


def deliver(
    session: AnySession, job: SendJob, parts: MailParts | ChatParts, intend: Callable[[intents.Row], bool]
) -> Outcome:
    """Send a claimed message. Return the outcome, which is not recorded yet.

    `intend` commits the intent and returns whether the message may be sent. Raises InvalidMail (SampleRecipient),
    AttachmentMissing, AttachmentUnavailable and IntentRefused, and the exceptions of `intend`; nothing was sent then.
    """
    sender = sender_of(job)
    # Read once: the intent names it, the statement compares it with the contact's, and the envelope uses it.
    recipient = job.address
    if not may_reach(sender, recipient):
        raise SampleRecipient("Sample people get no email.")
    header = "" if job.chat_app_id else message_id(job.pk, sender.from_email)

    def commit_intent() -> None:
        row = intents.intent_of(job, recipient=recipient, message_id=header, tracking=parts.tracking(job))
        # Raised inside of the session, so that it drops the connection before the end of the message.
        if not intend(row):
            raise IntentRefused
        intents.mark_intent_committed(job, row)

    return session.deliver(parts.mail_of(job, recipient), commit_intent)  # type: ignore[arg-type]


def record_not_begun(job: SendJob, error: Exception) -> None:
    """Record that a claimed message was not sent, nor its intent committed. Raises LeaseLost."""
    if isinstance(error, IntentRefused):  # the next claim decides and records why
        written = ledger.transition(job, to="approved", reason="changed_since_claim", lease=None, worker=None)
        _require_lease(written, job)
    elif isinstance(error, SampleRecipient):
        _fail_unsent(job, "sample_contact", str(error))
    elif isinstance(error, InvalidMail):
        _fail_unsent(job, "invalid_message", str(error))
    elif isinstance(error, AttachmentMissing):
        _fail_unsent(job, ATTACHMENT_MISSING, str(error))
    elif isinstance(error, AttachmentUnavailable):
        _try_later(job, str(error))
    else:
        until = timezone.now() + backoff(job.attempts + 1, _random)
        detail = "it could not be recorded that it goes out"
        _require_lease(schedule_retry(job, until=until, detail=detail, reply=""), job)


def _fail_unsent(job: SendJob, reason: str, detail: str) -> None:
    _require_lease(ledger.transition(job, to="failed", reason=reason, detail=detail, error=detail, worker=None), job)


def _try_later(job: SendJob, detail: str) -> None:
    """Schedule another attempt of a message whose files cannot be read now; it fails after the last one."""
    # A bucket that is away usually returns; a message must not wait for it for ever, though.
    if job.attempts + 1 >= MAX_ATTEMPTS:
        _fail_unsent(job, ATTACHMENT_MISSING, detail)
        return
    until = timezone.now() + backoff(job.attempts + 1, _random)
    _require_lease(schedule_retry(job, until=until, detail=detail, reply=""), job)


def record_outcome(job: SendJob, outcome: Outcome) -> bool:
    """Record the outcome of a message in sending. Return whether the server accepted it."""
    if isinstance(outcome, Sent):
        row = intents.settle_parameters(job, outcome)
        # The same statement as the writer's, so there is one way to become sent.
        if not intents.run(intents.settle(), intents.parameters([row])):
            record_late(job, row)
        job.status = SendJob.Status.SENT
        return True
    if isinstance(outcome, Uncertain):
        # Asked about after 2, 10 and 50 seconds: within the time for which vendors remember keys.
        values = {"error": outcome.reason, "worker": None, "due_at": timezone.now() + FIRST_WAIT * 5**job.attempts}
        _require_lease(ledger.transition(job, to="unknown", reason="uncertain", detail=outcome.reason, **values), job)
    else:
        _record_rejection(job, outcome)
    return False


def _record_rejection(job: SendJob, outcome: Rejected) -> None:
    """Record a rejection: a failure of the sender, a bad address, another attempt later, or the end."""
    reply = outcome.reply if not job.smtp_id else f"{outcome.code or ''} {outcome.reply}".strip()
    # The vendor's limit says nothing about the message, so its attempts are not counted.
    if outcome.stage == "limit":
        _requeue(job, "vendor_limit", reply)
        raise SenderLimited(reply, outcome.retry_after or _LIMIT_PAUSE)
    # Every further message would fail the same way. The sender pauses, and this message keeps its attempts.
    if outcome.about_sender and outcome.code != _TOO_LARGE:
        _requeue(job, "sender_trouble", reply)
        raise SmtpError(outcome.stage, reply, temporary=outcome.temporary, code=outcome.code)
    attempts, stopped = job.attempts + 1, False
    if outcome.temporary and attempts < MAX_ATTEMPTS:
        until = timezone.now() + backoff(attempts, _random)
        _require_lease(schedule_retry(job, until=until, detail=outcome.reply, reply=reply), job)
        return
    refused = Reason.ATTEMPTS_EXHAUSTED if outcome.temporary else outcome.reason or "rejected"
    reason = "bad_address" if outcome.bad_address else refused
    # Failure, suppression and the sender's guardrail are one fact: a crash must not leave a dead address open
    # to the next run.
    with transaction.atomic():
        now = timezone.now()
        values = {"attempts": attempts, "error": outcome.reply, "reply": reply, "worker": None}
        values |= {"sending_at": None, "refused_at": now}
        if outcome.bad_address:
            values["bounced_at"] = now
        _require_lease(
            ledger.transition(job, to="failed", reason=reason, detail=reply, recipient=job.address, **values),
            job,
        )
        if outcome.bad_address:
            bounced = Suppression.Reason.BOUNCED
            suppress_addresses([job.contact.email], reason=bounced, source=job.pk, details={"reply": reply})
            stopped = guardrails.check_senders([sender_of(job).pk])
    # Raised after the commit, or the rollback would lose what was just recorded.
    if stopped:
        raise SenderStopped


def _requeue(job: SendJob, reason: str, detail: str) -> None:
    """Approve a message again that was certainly not sent, for a reason that is its sender's and not its own."""
    if job.status == "sending":
        values = {"lease": None, "worker": None, "sending_at": None}
        _require_lease(ledger.transition(job, to="approved", reason=reason, detail=detail, **values), job)


def record_late(job: SendJob, row: intents.Row) -> None:
    """Record as sent a message that the sweeper has marked as unknown. Raises LeaseLost."""
    # The time of sending identifies the attempt: a message that a person has retried since is left alone.
    if job.sending_at is not None:
        values = late_values(row)
        ledger.record_late_outcome(job, to="sent", sending_at=job.sending_at, detail=row["reply"], **values)
    raise LeaseLost(job.pk)


def late_values(row: intents.Row) -> JsonObject:
    """Return the values of a message that is late confirmed as sent."""
    values = {"sent_at": row["at"], "worker": None, "error": "", "reply": row["reply"]}
    # Empty values are left out, or they would overwrite what an earlier attempt had learnt.
    if row["provider_id"]:
        values["provider_message_id"] = row["provider_id"]
    if row["thread_id"]:
        values["provider_thread_id"] = row["thread_id"]
    if row["next_step_at"] is not None:
        values["next_step_at"] = row["next_step_at"]
    return values


def _require_lease(written: bool, job: SendJob) -> None:
    if not written:
        raise LeaseLost(job.pk)


def sender_of(job: SendJob) -> Sender:
    if job.sender is None:
        raise ValueError("a claimed message has a sender")
    return job.sender
