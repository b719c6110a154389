"""Events of a message after it was sent: its progress, a late confirmation, or a bounce.

A mailbox and the webhooks of mail vendors report the same events, which are written in one way.
"""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from accounts.settings.formats import zone_of_company
from core.spans import add_span
from core.types import JsonObject
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob

Status = SendJob.Status
HEIGHTS = {
    "queued": 1,
    "sent": 2,
    "deferred": 3,
    "delivered": 4,
    "opened": 5,
    "read": 5,
    "clicked": 6,
    "unsubscribed": 7,
    "bounced": 8,
    "failed": 8,
    "rejected": 8,
    "complained": 9,
}
"""Delivery status -> its rank: an event only raises a message's status, regardless of the order of events."""
CAME_BACK = "came_back"
REJECTED = "rejected"


def event_columns(job: SendJob, kind: str, at: datetime, *, for_good: bool = False) -> JsonObject:
    """Return the columns of a locked message that the event `kind` changes; `for_good` marks a permanent bounce."""
    moment = at.isoformat()
    # Vendors repeat events and send them in any order; the earliest time is the one that counts.
    values: JsonObject = {"delivery": {**job.delivery, kind: min(job.delivery.get(kind, moment), moment)}}
    if HEIGHTS[kind] > HEIGHTS.get(job.delivery_status, 0):
        values["delivery_status"] = kind
    if kind == "bounced":
        values["updated_at"] = timezone.now()  # stop rules compare it with the beginning of a thread
    # By the clock of here, since guardrails count what has become known after a sender was resumed.
    if kind == "bounced" and for_good and job.bounced_at is None:
        values["bounced_at"] = timezone.now()
    if kind == "complained" and job.complained_at is None:
        values["complained_at"] = timezone.now()
    return values


def record_event(job_id: str, kind: str, at: datetime, *, for_good: bool = False) -> None:
    """Write the event `kind` to the message; `for_good` marks a permanent bounce."""
    read = ("delivery", "delivery_status", "bounced_at", "complained_at")
    # The JSON column is read and written as a whole: two events at the same time would lose one of them.
    job = SendJob.objects.select_for_update(of=("self",)).only(*read).get(pk=job_id)
    SendJob.objects.filter(pk=job_id).update(**event_columns(job, kind, at, for_good=for_good))


def confirm_sent(job: SendJob, *, at: datetime, proof: str) -> None:
    """Correct a message with an unknown outcome: it was sent. Its follow-up gets a time, counted from now."""
    # A proof settles uncertain messages only. A message that a person has retried is left to its new attempt.
    if job.status != Status.UNKNOWN or job.sending_at is None:
        return
    values: JsonObject = {"sent_at": at, "worker": None, "error": ""}
    if job.next_delay is not None:
        # Counted from now: since the message was sent so much time may have passed that all follow-ups would
        # go at once.
        values["next_step_at"] = add_span(timezone.now(), job.next_delay, zone_of_company(job.company_id))
    ledger.record_late_outcome(job, to=Status.SENT, sending_at=job.sending_at, detail=proof, **values)


def fail_sent_message(job_id: str, *, reason: str, detail: str) -> None:
    """Fail a message that had gone, or may have: it was not delivered, and nothing follows it."""
    gone = SendJob.objects.filter(pk=job_id, status__in=(Status.SENT, Status.UNKNOWN))
    ledger.transition_all(
        gone, to=Status.FAILED, reason=reason, detail=detail, error=detail, next_delay=None, next_step_at=None
    )
