"""Events of the chat vendor: stored once when a webhook brings them, applied by a worker in any order."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from time import monotonic

from django.db import DataError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import ApiError
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from outreach.chat.chat_events.models import ChatEvent
from outreach.chat.chat_events.parser import ProviderEvent
from outreach.chat.chat_templates.services import apply_status
from outreach.chat.conversations.incoming import DirectSource, Inbound, receive, store_incoming
from outreach.connections.chat_apps.errors import OPTED_OUT, REFUSED, error_of
from outreach.connections.chat_apps.models import DIRECT, ChatApp, ChatOptOut
from outreach.messaging.delivery.deliveries import confirm_sent, event_columns, fail_sent_message
from outreach.messaging.delivery.models import SendJob

log = logging.getLogger(__name__)
BATCH = 200
KEPT_RAW, KEPT = timedelta(days=7), timedelta(days=90)
Kind = ChatEvent.Kind
UNFIT = (ApiError, DataError, ValueError, KeyError, TypeError)
"""Exceptions of an event that cannot be applied."""


def store_events(app: ChatApp, events: Sequence[ProviderEvent]) -> None:
    """Store the events that are not stored yet, with one INSERT, and wake a worker.

    Events as old as those that are deleted here are dropped: nobody knows whether they have been stored before.
    """
    oldest = timezone.now() - KEPT
    rows = [
        ChatEvent(
            company_id=app.company_id,
            app=app,
            dedupe_key=event.key,
            kind=event.kind,
            phone=event.phone,
            happened_at=event.happened_at,
            data=dict(event.data),
        )
        for event in events
        if event.happened_at > oldest
    ]
    if rows:
        # Vendors repeat webhooks; the id of the event is unique.
        ChatEvent.objects.bulk_create(rows, ignore_conflicts=True)
        notify_workers("chat-events")


def waiting_events(now: Moment) -> list[QuerySet[ChatEvent]]:
    """Return the events that wait."""
    return [ChatEvent.objects.filter(applied_at=None)]


def apply_waiting(deadline: float) -> None:
    """Apply stored events until none waits or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: events of the chat vendor of all companies"):
            waiting = ChatEvent.objects.filter(applied_at=None).order_by("created_at", "pk")
            pairs = list(waiting.values_list("pk", "company_id")[:BATCH])
        if not pairs:
            return
        done = 0
        for pk, company in pairs:
            with company_scope(company):
                done += apply_one(pk)
        if not done:
            return  # others are at them


@transaction.atomic
def apply_one(id: str) -> bool:
    """Apply an event once: all of its effects commit, or none. Returns whether this call applied it."""
    rows = ChatEvent.objects.select_for_update(skip_locked=True, of=("self",)).select_related("app")
    event = rows.filter(pk=id, applied_at=None).first()
    if event is None:
        return False
    try:
        with transaction.atomic():
            _apply(event)
    except UNFIT as error:  # the edge of one event: it keeps no other from being applied
        text = (error.detail or error.message) if isinstance(error, ApiError) else type(error).__name__
        event.error = text[:500]
        log.exception("event %s of the chat vendor cannot be applied", event.pk)
    event.applied_at = timezone.now()
    event.save(update_fields=["applied_at", "error"])
    return True


def _apply(event: ChatEvent) -> None:
    data: JsonObject = event.data
    if not data:
        return  # the person was erased before it was applied
    if event.kind == Kind.TEMPLATE:
        apply_status(event.app, data)
    elif event.kind == Kind.STATUS:
        _status(event, data)
    elif event.app.vendor in DIRECT:
        _direct(event, data)
    elif data["kind"] not in ("reaction", "system", "unsupported"):
        inbound = Inbound(
            data["id"],
            event.phone,
            event.happened_at,
            name=data["name"],
            text=data["text"],
            kind=data["kind"],
            media=data["media"],
            reply_to=data["replyTo"],
        )
        receive(event.app, inbound)


def _direct(event: ChatEvent, data: JsonObject) -> None:
    inbound = Inbound(
        data["id"],
        data["address"],
        event.happened_at,
        name=data["name"],
        text=data["text"],
        kind=data["kind"],
        media=data["media"],
        reply_to=data["replyTo"],
    )
    store_incoming(DirectSource(event.app, event.phone), inbound)


def _status(event: ChatEvent, data: JsonObject) -> None:
    """Advance the message's delivery status, record the proof that it was sent, or end a message that was not
    delivered."""
    job = _message(event, data)
    if job is None:
        return
    values = event_columns(job, data["status"], event.happened_at)
    if not job.provider_message_id:
        values["provider_message_id"] = data["id"]
    if data["status"] == "read" and job.run_id and not job.open_count:
        values["open_count"] = 1  # as a mail that was opened, in the numbers of its run
    if data["category"]:
        values["chat"] = {**(job.chat or {}), "pricingCategory": data["category"]}
    SendJob.objects.filter(pk=job.pk).update(**values)
    if data["status"] != "failed":
        confirm_sent(job, at=event.happened_at, proof=f"The vendor has told that it was {data['status']}.")
        return
    error = error_of(data["error"] or {})
    fail_sent_message(
        job.pk, reason=error.reason if error else REFUSED, detail=error.text if error else "It was not delivered."
    )
    if error is not None and error.code == OPTED_OUT:
        row = ChatOptOut(phone=job.recipient, reason=ChatOptOut.Reason.REFUSED, source=job.pk)
        # The number may have opted out before; the first reason stays.
        ChatOptOut.objects.bulk_create([row], ignore_conflicts=True)


def _message(event: ChatEvent, data: JsonObject) -> SendJob | None:
    """Return the message that a status is of, locked: by the id that it brings back, else by the vendor's."""
    condition = Q(provider_message_id=data["id"]) | Q(pk=data["job"])
    rows = SendJob.objects.select_for_update(of=("self",)).filter(condition, chat_app_id=event.app_id)
    jobs = {job.pk: job for job in rows.order_by("pk")}
    return jobs.get(data["job"]) or next(iter(jobs.values()), None)


def forget_old() -> bool:
    """Empty events after a week, and delete them after 90 days, of all companies (a periodic task).

    Returns whether more may wait. The keys stay for so long, because the vendor repeats events for days.
    """
    now = timezone.now()
    with unscoped(reason="tick: old events of the chat vendor"):
        old = ChatEvent.objects.filter(created_at__lt=now - KEPT).values("pk")[:5000]
        deleted, _ = ChatEvent.objects.filter(pk__in=old).delete()
        full = ChatEvent.objects.filter(created_at__lt=now - KEPT_RAW, applied_at__isnull=False).exclude(data={})
        emptied = ChatEvent.objects.filter(pk__in=full.values("pk")[:5000]).update(data={}, phone="")
    return deleted == 5000 or emptied == 5000
