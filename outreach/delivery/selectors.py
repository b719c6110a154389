"""Reads of messages that are more than a filter."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.tenancy import company_id
from outreach.delivery.context import SendContext, sender_state
from outreach.delivery.decision import describe, expected, sentence_of
from outreach.delivery.models import SendJob, SendJobTransition
from outreach.smtp.message import html_from_text

Status = SendJob.Status
LOGGED = (Status.SENDING, Status.SENT, Status.FAILED, Status.UNKNOWN)
"""Statuses of messages that a server has, or may have, been given."""


def message_log() -> QuerySet[SendJob]:
    """Return the messages that SMTP servers have been given."""
    return SendJob.objects.filter(channel=SendJob.Channel.SMTP, status__in=LOGGED)


def message_detail(message_id: str) -> dict[str, Any]:
    """Return what a message's detail adds to its columns: HTML, the current decision, and its transitions so far."""
    job = SendJob.objects.select_related("contact", "run", "smtp").get(pk=message_id)
    transitions = SendJobTransition.objects.filter(send_job_id=message_id).order_by("created_at", "id")
    return {
        "html": job.html or html_from_text(job.text),
        "decision": _decision(job),
        "transitions": [
            {
                "from": row.from_status,
                "to": row.to_status,
                "reason": row.reason,
                "sentence": sentence_of(row.reason),
                "detail": row.detail,
                "actor": row.actor_id,
                "at": row.created_at,
            }
            for row in transitions
        ],
    }


def _decision(job: SendJob) -> dict[str, Any] | None:
    """Return why the message has not been sent and when it will be; None once a worker has it or it has ended."""
    if job.status not in (Status.PLANNED, Status.DRAFT, Status.APPROVED):
        return None
    now, context = timezone.now(), SendContext.load()
    senders = {}
    if job.smtp is not None:
        senders[job.smtp.pk] = sender_state(job.smtp, context.zone, now)
    known = context.decision_inputs([job], senders, now)[job.pk]
    formats = formats_of(company_id())
    found = describe(known, now, formats)
    paused = job.smtp.paused_until if job.smtp is not None and job.smtp.paused_reason == "sender_trouble" else None
    if found["state"] == "ready" and paused is not None and paused > now:
        error = job.smtp.last_error  # type: ignore[union-attr]
        sentence = f"The sender has trouble and rests: {error} {expected(paused, formats)}"
        return {"state": "wait", "reason": "sender_trouble", "sentence": sentence, "until": paused, "goesAt": paused}
    return found
