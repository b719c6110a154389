"""Queries mail vendors again about messages with an unknown outcome.

This requires a key with which a message is sent only once, or an account whose mailbox can be searched. Meanwhile such
a message stays unknown, so that nothing else is done with it.

The key is its id. However often it is sent, the vendor accepts the message once, as long as it remembers the key. A
search sends nothing; a message that it does not find stays unknown.
"""

from __future__ import annotations

import datetime as dt
from contextlib import closing
from time import monotonic

from django.db.models import Q, QuerySet
from django.utils import timezone

from core.jobs import LeaseLost
from core.jobs.liveness import worker_number
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from outreach.connections.mail_vendors.google import READ
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import VENDORS
from outreach.connections.smtp.message import InvalidMail
from outreach.connections.smtp.outcome import Sent, SmtpError, Uncertain
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.attachments import AttachmentMissing, AttachmentUnavailable
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import open_session
from outreach.messaging.delivery.sending.claims import holding
from outreach.messaging.delivery.sending.intents import settle_parameters
from outreach.messaging.delivery.sending.parts import MailParts
from outreach.messaging.delivery.sending.worker import FIRST_WAIT, IntentRefused, late_values, record_outcome

REMEMBERED = dt.timedelta(minutes=10)
"""Counted from the first request. Vendors remember keys for longer."""
MAX_RETRIES = 3
"""Requests after the first one."""
LOOKED_UP = tuple(key for key, vendor in VENDORS.items() if vendor.finds_sent)
FOUND = "the mailbox has it among the messages that were sent"


def _doubtful(now: Moment) -> QuerySet[SendJob]:
    """Return the messages of all companies that a vendor is to be asked about."""
    keyed = [key for key, vendor in VENDORS.items() if vendor.idempotency]
    # A vendor that keeps a key for each message, or a mailbox that we are allowed to read.
    open_to_us = Q(vendor__in=keyed) | Q(vendor__in=LOOKED_UP, scopes__contains=READ)
    apps = MailApp.objects.filter(open_to_us, is_active=True, verified=True)
    awake = apps.filter(Q(paused_until=None) | Q(paused_until__lte=now))
    return SendJob.objects.filter(
        status=SendJob.Status.UNKNOWN,
        mail_app__in=awake,
        # Later the vendor may have forgotten the key, and the same request would send a second mail.
        sending_at__gt=now - REMEMBERED,
        # The pauses grow, so a vendor that is down is not asked all the time.
        due_at__lte=now,
        attempts__lt=MAX_RETRIES,
    )


def uncertain_messages(now: Moment) -> list[QuerySet[SendJob]]:
    """Return the messages that a vendor is to be asked about."""
    return [_doubtful(now)]


def ask_again(deadline: float) -> None:
    """Query about messages with an unknown outcome, one by one, until none is left or monotonic() passes the
    deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: messages in doubt of all companies"):
            # One by one: each call may take seconds, in which others may settle the message.
            job = (
                _doubtful(timezone.now()).select_related("contact", "run", "mail_app").order_by("due_at", "pk").first()
            )
        if job is None:
            return
        with company_scope(job.company_id):
            # An account that is read is asked without a lease, for nothing is sent that would need one.
            if job.mail_app.spec.finds_sent:
                _look_up(job)
                continue
            with holding() as lease:
                _query_vendor(job, lease)


def _look_up(job: SendJob) -> None:
    """Search the account for the sent message; if it does not find it, the outcome stays unknown."""
    with closing(job.mail_app.spec.open_session(job.mail_app)) as session:
        outcome = session.look_up(job.message_id)
    if outcome is not None and job.sending_at is not None:
        values = late_values(settle_parameters(job, outcome))
        ledger.record_late_outcome(job, to="sent", sending_at=job.sending_at, detail=FOUND, **values)
        return
    attempts = job.attempts + 1
    # The condition on attempts makes two workers that asked at the same time count once.
    waiting = SendJob.objects.filter(pk=job.pk, status=SendJob.Status.UNKNOWN, attempts=job.attempts)
    waiting.update(attempts=attempts, due_at=timezone.now() + FIRST_WAIT * 5**attempts)


def _query_vendor(job: SendJob, lease: str) -> None:
    """Query the vendor again. Unless it confirms the message, the outcome stays unknown."""

    def commit_intent() -> None:
        # The same row moves from unknown to sending only if it still is what was read, so only one worker
        # asks.
        if not ledger.begin_again(job, lease=lease, worker=worker_number()):
            raise IntentRefused

    sender = job.mail_app
    try:
        parts = MailParts(sender)
        parts.prepare([job])
        # The address of the first request, and not the contact's present one: a vendor refuses another body
        # for a key.
        mail = parts.mail_of(job, job.recipient)
        with closing(open_session(sender)) as session:
            outcome = session.deliver(mail, commit_intent)
    except (IntentRefused, InvalidMail, SmtpError, AttachmentMissing, AttachmentUnavailable):
        # It cannot be sent again now: it may not be sent any longer, or its sender has changed.
        waiting = SendJob.objects.filter(pk=job.pk, status=SendJob.Status.UNKNOWN, attempts=job.attempts)
        waiting.update(due_at=timezone.now() + REMEMBERED)
        return
    except BaseException:
        if job.status == SendJob.Status.SENDING:
            record_outcome(job, Uncertain("the worker was stopped while the vendor had the message"))
        raise
    try:
        # A refusal now says nothing about the first request, which may have been accepted.
        record_outcome(job, outcome if isinstance(outcome, Sent) else Uncertain(job.error))
    except LeaseLost:
        return  # the sweeper has it, in doubt as before
