"""Reads of outreach that are more than a filter."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, CharField, Exists, OuterRef, QuerySet, Value, When
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.tenancy import company_id
from outreach.delivery.facts import message_facts, sender_facts, surroundings
from outreach.delivery.models import SendJob, SendJobTransition
from outreach.genie.audience import describe, expected
from outreach.genie.models import GenieScheduler
from outreach.smtp.message import html_from_text

Status = SendJob.Status
Phase = GenieScheduler.Phase
UNDER_WAY = (Status.PLANNED, Status.APPROVED, Status.CLAIMED, Status.SENDING)
WENT_OUT = (Status.SENDING, Status.SENT, Status.FAILED, Status.UNKNOWN)
"""Statuses of messages that a server was, or may have been, asked to take."""


def _has(*statuses: str) -> Exists:
    # Made when the module is loaded, when no company is active: the run's own company takes the place of the manager's.
    messages: QuerySet[SendJob] = QuerySet(SendJob).filter(company_id=OuterRef("company_id"), run_id=OuterRef("pk"))
    return Exists(messages.filter(status__in=statuses))


def phase() -> Case:
    """Where the run in the row stands, as an expression: two look-ups by index at most."""
    return Case(
        When(cancelled_at__isnull=False, then=Value(Phase.CANCELLED)),
        When(status__in=("queued", "running", "paused"), then=Value(Phase.PLANNING)),
        When(status="failed", then=Value(Phase.FAILED)),
        When(_has(*UNDER_WAY), then=Value(Phase.SENDING)),
        When(_has(Status.DRAFT), then=Value(Phase.AWAITING_APPROVAL)),
        default=Value(Phase.COMPLETED),
        output_field=CharField(),
    )


def kept_runs() -> QuerySet[GenieScheduler]:
    """The runs that are not deleted."""
    return GenieScheduler.objects.filter(is_deleted=False)


def message_log() -> QuerySet[SendJob]:
    """The messages that servers were asked to take, by SMTP."""
    return SendJob.objects.filter(channel=SendJob.Channel.SMTP, status__in=WENT_OUT)


def message_view(message_id: str) -> dict[str, Any]:
    """What a message's detail shows beside its columns: HTML, the decision as it would be taken now, and its life so far."""
    job = SendJob.objects.select_related("contact", "run", "smtp").get(pk=message_id)
    steps = SendJobTransition.objects.filter(send_job_id=message_id).order_by("created_at", "id")
    return {
        "html": job.html or html_from_text(job.text),
        "decision": _decision(job),
        "transitions": [
            {
                "from": step.from_status,
                "to": step.to_status,
                "reason": step.reason,
                "detail": step.detail,
                "actor": step.actor_id,
                "at": step.created_at,
            }
            for step in steps
        ],
    }


def _decision(job: SendJob) -> dict[str, Any] | None:
    """Why the message has not gone and when it will; None once its life is over or a worker holds it."""
    if job.status not in (Status.PLANNED, Status.DRAFT, Status.APPROVED):
        return None
    now, around = timezone.now(), surroundings()
    senders = {}
    if job.smtp is not None:
        senders[job.smtp.pk] = sender_facts(job.smtp, around.zone, now)
    facts = message_facts([job], around, senders, now)[job.pk]
    formats = formats_of(company_id())
    found = describe(facts, now, formats)
    paused = job.smtp.paused_until if job.smtp is not None and job.smtp.paused_reason == "sender_trouble" else None
    if found["state"] == "ready" and paused is not None and paused > now:
        sentence = f"The sender has trouble and rests: {job.smtp.last_error} {expected(paused, formats)}"  # type: ignore[union-attr]
        return {"state": "wait", "reason": "sender_trouble", "sentence": sentence, "until": paused, "goesAt": paused}
    return found
