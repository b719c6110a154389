"""The sending worker claims a few messages of a sender and delivers them in one session.

No transaction is open during network calls. Each message is committed on its own: claimed → sending before its last
byte is sent, then sent, failed, approved again or unknown (docs/decisions/0006-send-exactly-once.md).
"""

from __future__ import annotations

import datetime as dt
import logging
from contextlib import suppress
from random import SystemRandom
from time import monotonic
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from core.jobs import LeaseLost
from core.spans import after
from core.tenancy import company_scope
from outreach.delivery import ledger
from outreach.delivery.attachments import AttachmentMissing, AttachmentUnavailable
from outreach.delivery.claims import (
    BATCH,
    LOOKAHEAD,
    claim,
    due_senders,
    release_claim,
    release_lost_claims,
    schedule_retry,
)
from outreach.delivery.decision import backoff
from outreach.delivery.limits import guardrails
from outreach.delivery.limits.pauses import pause, pause_after_failure, reset_failures
from outreach.delivery.models import SendJob
from outreach.delivery.parts import MailParts
from outreach.delivery.reasons import MAX_ATTEMPTS, Reason
from outreach.delivery.senders import MailSession, open_session
from outreach.mail_vendors.models import MailApp
from outreach.senders.models import Sender
from outreach.smtp.message import InvalidMail, message_id
from outreach.smtp.transport import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.suppression.models import Suppression
from outreach.suppression.services import suppress as suppress_addresses

log = logging.getLogger(__name__)

SENDERS_A_ROUND = 50
SECONDS_A_SENDER = 5.0
"""How long a worker serves one sender while others wait."""
FIRST_WAIT = dt.timedelta(seconds=2)
"""After which a vendor may be asked about a message in doubt (outreach.delivery.doubts). Further waits are longer."""
ATTACHMENT_MISSING = "attachment_missing"
_TOO_LARGE = 552
_LIMIT_PAUSE = 60.0
_random = SystemRandom()


class IntentRefused(Exception):
    """The intent was not committed: the message may no longer be sent, or the lease is lost."""


def drain(deadline: float) -> None:
    """Send due messages, a few seconds per sender in turn, until none is left or the deadline (monotonic) passes."""
    release_lost_claims()
    while monotonic() < deadline:
        due = due_senders(SENDERS_A_ROUND)
        if not due:
            return
        for sender_id, company in due:
            with company_scope(company):
                serve(sender_id, min(deadline, monotonic() + SECONDS_A_SENDER))
            if monotonic() >= deadline:
                return


class _Stopped(Exception):
    """The sender's guardrail has stopped it: what else was claimed does not go."""


class _Limited(Exception):
    """The sender sends too much at the moment."""

    def __init__(self, detail: str, seconds: float) -> None:
        super().__init__(detail)
        self.detail = detail
        self.seconds = seconds


def serve(sender_id: str, deadline: float) -> int:
    """Send a sender's due messages in one session until none is left or the deadline passes.

    Returns the number sent.
    """
    session: MailSession | None = None
    sender: Sender | None = None
    parts: MailParts | None = None
    sent, limit, failure, limited = 0, BATCH, None, None
    try:
        while monotonic() < deadline:
            claimed = claim(sender_id, limit)
            if not claimed.examined:
                break
            limit = BATCH if claimed.jobs else LOOKAHEAD
            if not claimed.jobs:
                continue
            try:
                sender = _sender(claimed.jobs[0])
                parts = parts or MailParts(sender)
                parts.prepare(claimed.jobs)
                session = session or open_session(sender)
                for job in claimed.jobs:
                    sent += _send_one(session, job, parts)
                    if monotonic() >= deadline:
                        break
            finally:
                # release_lost_claims or the sweeper finds what cannot be released now.
                with suppress(DatabaseError):
                    release_claim(claimed.lease)
    except SmtpError as error:
        failure = error
    except _Limited as error:
        limited = error
    except _Stopped:
        log.warning("the guardrail of sender %s has stopped it", sender_id)
    except LeaseLost as lost:
        log.warning("message %s was taken over by another worker", lost)
    finally:
        if session is not None:
            session.close()
    if sender is None:
        return sent
    if sent:
        reset_failures(sender)
    if limited is not None:
        pause(sender, "vendor_limit", limited.seconds, limited.detail)
    if failure is not None:
        refused = isinstance(sender, MailApp) and failure.stage == "auth"
        pause_after_failure(sender=sender, detail=failure.detail, refused=refused)
    return sent


def _send_one(session: MailSession, job: SendJob, parts: MailParts) -> bool:
    """Deliver one message and record the outcome. Returns whether the server accepted it."""
    sender = _sender(job)
    recipient = job.contact.email or ""

    def commit_intent() -> None:
        if not ledger.commit_intent(job, recipient=recipient, message_id=message_id(job.pk, sender.from_email)):
            raise IntentRefused

    try:
        outcome = session.deliver(parts.mail_of(job, recipient), commit_intent)
    except (InvalidMail, AttachmentMissing) as error:
        _fail_unsent(job, "invalid_message" if isinstance(error, InvalidMail) else ATTACHMENT_MISSING, str(error))
        return False
    except AttachmentUnavailable as error:
        _try_later(job, str(error))
        return False
    except IntentRefused:
        _require_lease(
            ledger.transition(job, to="approved", reason="changed_since_claim", lease=None, worker=None), job
        )
        return False  # the next claim decides and records why
    except BaseException:
        if job.status == "sending":
            record_outcome(job, Uncertain("the worker was stopped while the server had the message"))
        raise
    return record_outcome(job, outcome)


def _fail_unsent(job: SendJob, reason: str, detail: str) -> None:
    _require_lease(ledger.transition(job, to="failed", reason=reason, detail=detail, error=detail, worker=None), job)


def _try_later(job: SendJob, detail: str) -> None:
    """Let a message whose files cannot be read now wait for another attempt; it fails after the last one."""
    if job.attempts + 1 >= MAX_ATTEMPTS:
        _fail_unsent(job, ATTACHMENT_MISSING, detail)
        return
    until = timezone.now() + backoff(job.attempts + 1, _random)
    _require_lease(schedule_retry(job, until=until, detail=detail, reply=""), job)


def record_outcome(job: SendJob, outcome: Outcome) -> bool:
    """Record what became of a message that is being sent. Returns whether the server accepted it."""
    if isinstance(outcome, Sent):
        values = {"worker": None, "reply": outcome.reply, **sent_values(job, outcome)}
        if not ledger.transition(job, to="sent", detail=outcome.reply, **values):
            _record_late(job, "sent", outcome.reply, values)
        return True
    if isinstance(outcome, Uncertain):
        values = {"error": outcome.reason, "worker": None, "due_at": timezone.now() + FIRST_WAIT * 5**job.attempts}
        _require_lease(ledger.transition(job, to="unknown", reason="uncertain", detail=outcome.reason, **values), job)
    else:
        _record_rejection(job, outcome)
    return False


def sent_values(job: SendJob, outcome: Sent) -> dict[str, Any]:
    """Return what is written into a message that was sent, with the time of its follow-up."""
    now = timezone.now()
    values: dict[str, Any] = {"sent_at": now, "error": ""}
    if outcome.provider_id:
        values["provider_message_id"] = outcome.provider_id[:200]
    if outcome.thread_id:
        values["provider_thread_id"] = outcome.thread_id[:64]
    if job.next_delay is not None:
        values["next_step_at"] = after(now, job.next_delay)
    return values


def _record_rejection(job: SendJob, outcome: Rejected) -> None:
    """Record a rejection: a failure of the sender, a bad address, another attempt later, or the end."""
    reply = outcome.reply if job.mail_app_id else f"{outcome.code or ''} {outcome.reply}".strip()
    if outcome.stage == "limit":
        _give_back(job, "vendor_limit", reply)
        raise _Limited(reply, outcome.retry_after or _LIMIT_PAUSE)
    if outcome.about_sender and outcome.code != _TOO_LARGE:
        _give_back(job, "sender_trouble", reply)
        raise SmtpError(outcome.stage, reply, temporary=outcome.temporary, code=outcome.code)
    attempts, stopped = job.attempts + 1, False
    if outcome.temporary and attempts < MAX_ATTEMPTS:
        until = timezone.now() + backoff(attempts, _random)
        _require_lease(schedule_retry(job, until=until, detail=outcome.reply, reply=reply), job)
        return
    reason = "bad_address" if outcome.bad_address else Reason.ATTEMPTS_EXHAUSTED if outcome.temporary else "rejected"
    with transaction.atomic():
        values = {"attempts": attempts, "error": outcome.reply, "reply": reply, "worker": None, "sending_at": None}
        if outcome.bad_address:
            values["bounced_at"] = timezone.now()
        _require_lease(
            ledger.transition(
                job, to="failed", reason=reason, detail=reply, recipient=job.contact.email or "", **values
            ),
            job,
        )
        if outcome.bad_address:
            bounced = Suppression.Reason.BOUNCED
            suppress_addresses([job.contact.email], reason=bounced, source=job.pk, details={"reply": reply})
            stopped = guardrails.look_at([_sender(job).pk])
    if stopped:
        raise _Stopped


def _give_back(job: SendJob, reason: str, detail: str) -> None:
    """Approve a message again that was certainly not sent, for a reason that is its sender's and not its own."""
    if job.status == "sending":
        values = {"lease": None, "worker": None, "sending_at": None}
        _require_lease(ledger.transition(job, to="approved", reason=reason, detail=detail, **values), job)


def _record_late(job: SendJob, to: str, detail: str, values: dict[str, Any]) -> None:
    if job.sending_at is not None:
        ledger.record_late_outcome(job, to=to, sending_at=job.sending_at, detail=detail, **values)
    raise LeaseLost(job.pk)


def _require_lease(written: bool, job: SendJob) -> None:
    if not written:
        raise LeaseLost(job.pk)


def _sender(job: SendJob) -> Sender:
    if job.sender is None:
        raise ValueError("a claimed message has a sender")
    return job.sender
