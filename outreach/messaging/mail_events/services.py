"""Events of mail vendors: stored once when a webhook brings them, applied by a worker in any order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.internals.django import raw_delete
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.outbound_http import HttpFailed, send_request
from core.tenancy import company_id, company_scope, unscoped
from core.types import JsonObject
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.webhooks import CONFIRM, HookRefused, ProviderEvent
from outreach.messaging.delivery.deliveries import (
    CAME_BACK,
    HEIGHTS,
    REJECTED,
    confirm_sent,
    event_columns,
    fail_sent_message,
)
from outreach.messaging.delivery.limits import guardrails
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.unsubscribing.services import unsubscribe
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber
from outreach.messaging.mail_events.models import MailEvent, MailHookToken
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.services import suppress as suppress_addresses

BATCH = 200
KEPT_RAW = timedelta(days=7)
KEPT = timedelta(days=90)
KEPT_TOKENS = timedelta(days=2)
"""Longer than a signed token is taken."""
_CERTAIN = {"sent", "deferred", "delivered", "opened", "clicked", "unsubscribed", "bounced", "complained"}
"""Events of messages that the vendor has certainly accepted."""
_REFUSED = {"rejected", "failed"}
"""Events of messages that the vendor has not sent."""


@transaction.atomic
def take_call(app: MailApp, events: Sequence[ProviderEvent], token: tuple[str, str] | None) -> None:
    """Store the events of a webhook. Raises HookRefused where its token has come with other ones before.

    `token` is what `signed_token` returns.
    """
    # Mailgun's signature covers the token alone. With one request, anybody could sign any events.
    if token is not None:
        row = MailHookToken(app=app, token_hash=token[0], content_hash=token[1])
        # The first content under a token is the true one, also if two requests come at the same moment.
        MailHookToken.objects.bulk_create([row], ignore_conflicts=True)
        first = MailHookToken.objects.values_list("content_hash", flat=True).get(app=app, token_hash=token[0])
        if first != token[1]:
            raise HookRefused("its signature was made for other events")
    store_events(app, events)


def store_events(app: MailApp, events: Sequence[ProviderEvent]) -> None:
    """Store the events that are not stored yet, with one INSERT, and wake a worker.

    Events as old as those that are deleted here are dropped: nobody knows whether they have been stored before.
    """
    oldest = timezone.now() - KEPT
    rows = [
        MailEvent(
            company_id=app.company_id,
            app=app,
            dedupe_key=event.key,
            kind=event.kind[:24],
            hard=event.hard,
            job=event.job,
            provider_message_id=event.provider_message_id,
            message_id=event.message_id,
            recipient=event.recipient,
            happened_at=event.happened_at,
            detail=event.detail,
            raw=event.raw or {},
        )
        for event in events
        if event.happened_at > oldest
    ]
    if rows:
        # The answer to the vendor waits for this alone, so that no slow work makes it repeat the request.
        MailEvent.objects.bulk_create(rows, ignore_conflicts=True)
        notify_workers("mail-events")


def waiting_events(now: Moment) -> list[QuerySet[MailEvent]]:
    """Return the events that wait."""
    return [MailEvent.objects.filter(applied_at=None)]


def apply_waiting(deadline: float) -> None:
    """Apply stored events until none waits or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: companies with events of mail vendors"):
            waiting = MailEvent.objects.filter(applied_at=None).order_by("created_at", "pk")
            companies = set(waiting.values_list("company_id", flat=True)[:BATCH])
        # All rows may be locked by another worker; then this one has nothing to do.
        if not companies or not sum(_apply_of(company) for company in companies):
            return


def _apply_of(company: str) -> int:
    with company_scope(company):
        confirmed = _confirm_subscriptions()
        return confirmed + apply_batch()


@transaction.atomic
def apply_batch() -> int:
    """Apply some of the active company's events, each once: all of that commits, or nothing. Returns how many."""
    # Two workers share the waiting events.
    rows = MailEvent.objects.select_for_update(skip_locked=True, of=("self",)).filter(applied_at=None)
    events = list(rows.exclude(kind=CONFIRM).order_by("created_at", "pk")[:BATCH])
    jobs = _messages_of(events)
    now = timezone.now()
    troubled = set()
    for event in events:
        job = jobs.get(event.pk)
        # An event of an unknown message is marked as applied as well, or it would be looked up for ever.
        if job is not None:
            _apply(event, job)
            event.send_job = job
            if event.kind in ("bounced", "complained"):
                troubled.add(job.sender_id)
        event.applied_at = now
    # Once for each sender, after all of its events: the check counts messages.
    guardrails.check_senders(troubled)
    MailEvent.objects.bulk_update(events, ["applied_at", "send_job"])
    return len(events)


def _messages_of(events: Sequence[MailEvent]) -> dict[str, SendJob]:
    """Return event -> message, locked: by the id that it brings back, else by the vendor's, else by the Message-ID."""
    if not events:
        return {}
    ids = [entry.job for entry in events if entry.job]
    theirs = [entry.provider_message_id for entry in events if entry.provider_message_id]
    headers = [entry.message_id for entry in events if entry.message_id]
    headers += [f"<{entry.strip('<>')}>" for entry in theirs if "@" in entry]
    # The partial indexes leave out empty names. PostgreSQL does not prove that from a list of more than 100.
    by_theirs = Q(provider_message_id__in=theirs) & ~Q(provider_message_id="")
    by_header = Q(message_id__in=headers) & ~Q(message_id="")
    condition = Q(pk__in=ids) | by_theirs | by_header
    # A vendor does not speak of messages that went by another account.
    condition &= Q(mail_app__in={entry.app_id for entry in events})
    # Locked by id, as all that lock several messages do.
    rows = SendJob.objects.select_for_update(of=("self",)).filter(condition).order_by("pk")
    by_id: dict[tuple[str | None, str], SendJob] = {}
    for job in rows.defer("text", "html", "evidence"):
        for name in (job.pk, job.provider_message_id, job.message_id):
            if name:
                by_id.setdefault((job.mail_app_id, name), job)
    messages: dict[str, SendJob] = {}
    for event in events:
        # The id that we gave comes first: it is the only one that the vendor cannot have given twice.
        names = (event.job, event.provider_message_id, event.message_id, f"<{event.provider_message_id.strip('<>')}>")
        matched = (by_id[event.app_id, name] for name in names if name and (event.app_id, name) in by_id)
        if (first := next(matched, None)) is not None:
            messages[event.pk] = first
    return messages


def _apply(event: MailEvent, job: SendJob) -> None:
    """Raise the message's delivery status, count, end undelivered ones, and stop writing after a bounce, complaint
    or unsubscription."""
    values: JsonObject = {}
    if event.kind in HEIGHTS:
        values = event_columns(job, event.kind, event.happened_at, for_good=event.hard)
    if event.kind == "opened":
        values["open_count"] = job.open_count + 1
    if event.kind == "clicked":
        values["click_count"] = job.click_count + 1
    # The answer to our request may have got lost; the event brings the id that later events are found by.
    if event.provider_message_id and not job.provider_message_id:
        values["provider_message_id"] = event.provider_message_id
    for name, value in values.items():
        setattr(job, name, value)
    if values:
        SendJob.objects.filter(pk=job.pk).update(**values)
    # A hard bounce ends even a message that had been delivered: the receiving server decides.
    if event.hard or event.kind in _REFUSED:
        fail_sent_message(job.pk, reason=CAME_BACK if event.hard else REJECTED, detail=event.detail)
    elif event.kind in _CERTAIN:
        confirm_sent(job, at=event.happened_at, proof=f"The vendor has told that it was {event.kind}.")
    _suppress(event, job)


def _suppress(event: MailEvent, job: SendJob) -> None:
    # The address that was written to, and not the contact's present one.
    address = job.recipient or event.recipient
    reasons = {"complained": Suppression.Reason.COMPLAINED}
    if event.hard:
        reasons["bounced"] = Suppression.Reason.BOUNCED
    reason = reasons.get(event.kind)
    if event.kind == "unsubscribed":
        unsubscribe(Unsubscriber(company_id(), job.contact_id, job.pk))
    elif reason is not None:
        suppress_addresses([address], reason=reason, source=job.pk, details={"reply": event.detail[:500]})


def _confirm_subscriptions() -> int:
    """Confirm subscriptions, which the hook has checked to be the apps' own. Returns how many."""
    confirmations = MailEvent.objects.filter(applied_at=None, kind=CONFIRM).select_related("app")
    waiting = list(confirmations.order_by("created_at")[:10])
    for event in waiting:
        # Checked again before the call: the row may be days old, and the host rules stricter by now.
        if event.app.spec.is_confirmation_url(event.detail):
            with suppress(HttpFailed):  # the vendor asks again, and that is an event of its own
                send_request("GET", event.detail, seconds=10, most_bytes=100_000)
        # Also if the call failed: SNS repeats the request to confirm, and that is a new event.
        MailEvent.objects.filter(pk=event.pk).update(applied_at=timezone.now())
    return len(waiting)


def forget_old() -> bool:
    """Empty the raw data of events after a week, and delete events after 90 days, of all companies (a periodic task).

    Returns whether more may wait.
    """
    now = timezone.now()
    with unscoped(reason="tick: old events of mail vendors"):
        # Batches of 5,000, each by its index of age, so that no DELETE takes long.
        old = MailEvent.objects.filter(created_at__lt=now - KEPT).values("pk")[:5000]
        deleted, _ = MailEvent.objects.filter(pk__in=old).delete()
        spent = MailHookToken.objects.filter(created_at__lt=now - KEPT_TOKENS).values("pk")[:5000]
        forgotten = raw_delete(MailHookToken.objects.filter(pk__in=spent))
        full = MailEvent.objects.filter(created_at__lt=now - KEPT_RAW).exclude(raw={}).values("pk")[:5000]
        emptied = MailEvent.objects.filter(pk__in=full).update(raw={})
    return 5000 in (deleted, forgotten, emptied)
