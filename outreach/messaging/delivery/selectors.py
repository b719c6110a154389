"""Reads of messages that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.tenancy import company_id
from core.text.formats import Formats
from core.types import JsonObject
from outreach.connections.mail_vendors.registry import channel_of
from outreach.connections.smtp.markup import html_from_text
from outreach.messaging.delivery.deciding.context import SendContext, sender_state
from outreach.messaging.delivery.deciding.decision import DecisionInput, describe, expected_text
from outreach.messaging.delivery.deciding.reasons import Reason, sentence_of
from outreach.messaging.delivery.limits.pauses import TROUBLE
from outreach.messaging.delivery.models import HANDED_AT, SendJob, SendJobTransition
from outreach.messaging.delivery.tracking.links import link_at, links_of, sent_html
from outreach.messaging.delivery.tracking.models import TrackingEvent

Status = SendJob.Status
MAX_SHOWN = 100
"""Opens and clicks that the detail of a message shows."""
LOGGED = (Status.SENDING, Status.SENT, Status.FAILED, Status.UNKNOWN)
"""Statuses of messages that a server has, or may have, been given."""


def vendor_log(letter: str) -> QuerySet[SendJob]:
    """Return the messages that the vendor with the letter has been given."""
    return SendJob.objects.filter(channel=channel_of(letter), mail_app__isnull=False, status__in=LOGGED)


def message_log() -> QuerySet[SendJob]:
    """Return the messages that SMTP servers have been given."""
    return SendJob.objects.filter(channel=SendJob.Channel.SMTP, status__in=LOGGED)


def chat_log() -> QuerySet[SendJob]:
    """Return the messages that the chat vendor has been given."""
    return SendJob.objects.filter(channel=SendJob.Channel.CHATAPP, status__in=LOGGED)


def sent_messages() -> QuerySet[SendJob]:
    """Return the messages that were sent, with the time when as `handed_at`."""
    return with_handed_at(SendJob.objects.filter(status=Status.SENT))


def with_handed_at(rows: QuerySet[SendJob]) -> QuerySet[SendJob]:
    """Return the messages with the time when a server was given them as `handed_at`; null: never."""
    return rows.annotate(handed_at=HANDED_AT)


def drafts() -> QuerySet[SendJob]:
    """Return the messages that wait for approval."""
    return SendJob.objects.filter(status=Status.DRAFT)


def message_detail(message_id: str) -> JsonObject:
    """Return the additional data of a message's detail: HTML, the current decision, and its transitions so far."""
    job = SendJob.objects.select_related("contact", "run", "smtp", "mail_app", "chat_app").get(pk=message_id)
    transitions = SendJobTransition.objects.filter(send_job_id=message_id).order_by("created_at", "id")
    transitions = transitions.select_related("actor")
    return {
        "html": job.html or html_from_text(job.text),
        "opensAndClicks": _opens_and_clicks(job),
        "thread": _thread(job),
        "transitions": [
            {
                "from": row.from_status,
                "to": row.to_status,
                "reason": row.reason,
                "sentence": sentence_of(row.reason),
                "detail": row.detail,
                "actor": row.actor_id,
                "actorName": row.actor.name if row.actor else "",
                "at": row.created_at,
            }
            for row in transitions
        ],
    }


def _opens_and_clicks(job: SendJob) -> list[JsonObject]:
    rows = TrackingEvent.objects.filter(send_job=job).order_by("-happened_at", "-pk")[:MAX_SHOWN]
    links: list[str] | None = None
    events = []
    for row in rows:
        # Links are read from the HTML once, and only where there was a click.
        if row.link and links is None:
            links = links_of(sent_html(job.text, job.html))
        url = link_at(links or (), row.link) if row.link else None
        events.append({"kind": row.kind, "url": url, "at": row.happened_at, "machine": row.machine})
    return events


def _thread(job: SendJob) -> list[JsonObject]:
    """Return the messages of the run to the contact in the message's occurrence, by step."""
    if job.run_id is None:
        return []
    rows = SendJob.objects.filter(run_id=job.run_id, contact_id=job.contact_id, occurrence=job.occurrence)
    return [
        {
            "_id": message.pk,
            "step": message.step,
            "status": message.status,
            "reason": message.reason,
            "sentence": sentence_of(message.reason),
            "subject": message.subject,
            "sentAt": message.sent_at,
            "nextStepAt": message.next_step_at,
        }
        for message in rows.only("step", "status", "reason", "subject", "sent_at", "next_step_at").order_by(
            "step", "pk"
        )
    ]


def next_decision(run_id: str) -> JsonObject | None:
    """Return the decision about the message of the run that is due first: an approved one, else one that is not written
    yet; None without one."""
    status = (
        Status.APPROVED if SendJob.objects.filter(run_id=run_id, status=Status.APPROVED).exists() else Status.PLANNED
    )
    waiting = SendJob.objects.filter(run_id=run_id, status=status).select_related(
        "contact", "run", "smtp", "mail_app", "chat_app"
    )
    job = waiting.defer("text", "html", "evidence").order_by("due_at", "pk").first()
    return None if job is None else decision_of(job)


def decision_of(job: SendJob) -> JsonObject | None:
    """Return why the message has not been sent and when it will be; None once a worker has it or it has ended.

    The job comes with contact, run and sender joined.
    """
    return decisions_of([job]).get(job.pk)


def decisions_by_id(message_ids: Iterable[str]) -> dict[str, JsonObject]:
    """Return the decisions about those of the messages that wait, by their ids."""
    rows = SendJob.objects.filter(pk__in=message_ids).select_related("contact", "run", "smtp", "mail_app", "chat_app")
    return decisions_of(rows.defer("html", "evidence"))


def decisions_of(jobs: Iterable[SendJob]) -> dict[str, JsonObject]:
    """Return the decisions about those of the messages that wait, by their ids. The jobs come as for decision_of."""
    waiting = [job for job in jobs if job.status in (Status.PLANNED, Status.DRAFT, Status.APPROVED)]
    # A list of sent messages costs no query about limits.
    if not waiting:
        return {}
    now = timezone.now()
    context = SendContext.load()
    formats = formats_of(company_id())
    senders = {job.sender.pk: job.sender for job in waiting if job.sender is not None}
    states = {id: sender_state(sender, context.zone, now) for id, sender in senders.items()}
    inputs = context.decision_inputs(waiting, states, now)
    return {job.pk: _describe(job, inputs[job.pk], now, formats) for job in waiting}


def _describe(job: SendJob, inputs: DecisionInput, now: datetime, formats: Formats) -> JsonObject:
    decision, sender = describe(inputs, now, formats), job.sender
    if inputs.unwritten and decision["reason"] == inputs.unwritten and job.error:
        decision |= {"sentence": f"{decision['sentence']} {job.error}", "detail": job.error}
    if decision["reason"] == Reason.SENDER_STOPPED and sender is not None:
        decision["sentence"] = f"{decision['sentence']} {sender.why_stopped}"
        decision["detail"] = sender.why_stopped
    # Pauses for limits are explained by the limit itself; only a server's failure is a reason of its own.
    paused = sender.paused_until if sender is not None and sender.paused_reason in TROUBLE else None
    if decision["state"] == "ready" and paused is not None and paused > now:
        error = sender.last_error  # type: ignore[union-attr]
        sentence = f"{sentence_of('sender_trouble')} {error} {expected_text(paused, formats)}"
        waiting = {"state": "wait", "reason": "sender_trouble", "sentence": sentence, "detail": error}
        return {**waiting, "until": paused, "goesAt": paused}
    return decision
