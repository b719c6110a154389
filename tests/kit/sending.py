"""Sending within a test: in its own thread and transaction, and message by message."""

from __future__ import annotations

from collections.abc import Callable

from outreach.connections.smtp.message import InvalidMail
from outreach.messaging.delivery.attachments import AttachmentMissing, AttachmentUnavailable
from outreach.messaging.delivery.senders import MailSession
from outreach.messaging.delivery.sending import intents
from outreach.messaging.delivery.sending import loop as sending
from outreach.messaging.delivery.sending.parts import MailParts
from outreach.messaging.delivery.sending.worker import (
    IntentRefused,
    deliver,
    record_not_begun,
    record_outcome,
    sender_of,
)
from outreach.models import SendJob


def run(statement: str, row: intents.Row) -> bool:
    """Run one of the statements of intents for one message. Returns whether it has changed it."""
    return bool(intents.run(statement, intents.parameters([row])))


class DirectLedger:
    """Writes what the writer's thread writes, by Django's connection, in the test's transaction."""

    connections = 0

    def intend(self, row: intents.Row) -> bool:
        return run(intents.INTENT, row)

    def settle(self, row: intents.Row, late: Callable[[], None]) -> None:
        if not run(intents.settle(), row):
            late()

    def close(self) -> None:
        return


def in_this_thread() -> sending.SendingLoop:
    """Return a sending process of one connection, without threads."""
    return sending.SendingLoop(DirectLedger(), 1, lambda work: work())


def commit_intent(job: SendJob, *, recipient: str, message_id: str = "<x@example.com>") -> bool:
    """Commit the intent of a claimed message. Returns whether it may be sent."""
    row = intents.intent_of(job, recipient=recipient, message_id=message_id)
    held = run(intents.INTENT, row)
    if held:
        intents.mark_intent_committed(job, row)
    return held


def send_one(session: MailSession, job: SendJob) -> bool:
    """Deliver one claimed message and record what becomes of it. Returns whether the server has taken it."""
    try:
        parts = MailParts(sender_of(job))
        parts.prepare([job])
        outcome = deliver(session, job, parts, DirectLedger().intend)
    except (InvalidMail, AttachmentMissing, AttachmentUnavailable, IntentRefused) as error:
        record_not_begun(job, error)
        return False
    return record_outcome(job, outcome)
