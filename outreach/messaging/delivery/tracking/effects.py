"""Applies stored opens and clicks to their messages, a batch of a company in one transaction, each once.

It waits until a scanner would have followed all links, because that pattern distinguishes scanners.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.events import emit
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from outreach.messaging.delivery.deliveries import event_columns
from outreach.messaging.delivery.ledger import visit_payload
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.tracking.links import link_at, links_of, sent_html
from outreach.messaging.delivery.tracking.machines import Machine, followed_together
from outreach.messaging.delivery.tracking.models import TrackingEvent

BATCH = 500
WAIT = timedelta(seconds=3)
KEPT = timedelta(days=365)
MAX_DELETED = 5000
Kind = TrackingEvent.Kind


def _waiting(now: Moment) -> QuerySet[TrackingEvent]:
    return TrackingEvent.objects.filter(applied_at=None, happened_at__lte=now - WAIT)


def waiting_events(now: Moment) -> list[QuerySet[TrackingEvent]]:
    """Return the opens and clicks that wait."""
    return [_waiting(now)]


def apply_waiting(deadline: float) -> None:
    """Apply opens and clicks until none waits or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: companies with opens and clicks"):
            company = _waiting(timezone.now()).order_by("happened_at").values_list("company_id", flat=True).first()
        if company is None:
            return
        with company_scope(company):
            # The first rows are locked by another worker; to ask again at once would only spin.
            if not apply_batch():
                return


@transaction.atomic
def apply_batch() -> int:
    """Apply some of the active company's opens and clicks. Returns how many."""
    # Two workers share the waiting rows. applied_at commits with the counts, so each row counts once.
    rows = _waiting(timezone.now()).select_for_update(skip_locked=True, of=("self",)).order_by("happened_at", "pk")
    events = list(rows[:BATCH])
    if not events:
        return 0
    _mark_scanners(events)
    human = defaultdict(list)
    for event in events:
        if not event.machine:
            human[event.send_job_id].append(event)
    _count(human)
    now = timezone.now()
    for event in events:
        event.applied_at = now
    TrackingEvent.objects.bulk_update(events, ["machine", "applied_at"])
    return len(events)


def _mark_scanners(events: Sequence[TrackingEvent]) -> None:
    """Mark clicks that came together with those on all other links of their message."""
    messages = {event.send_job_id for event in events if event.kind == Kind.CLICKED}
    if not messages:
        return
    clicks = defaultdict(list)
    around = TrackingEvent.objects.filter(
        send_job__in=messages,
        kind=Kind.CLICKED,
        # Clicks of the same scan may be in another batch, or counted already.
        happened_at__gte=min(event.happened_at for event in events) - WAIT,
        happened_at__lte=max(event.happened_at for event in events) + WAIT,
    )
    for click in around:
        clicks[click.send_job_id].append(click)
    scanned = {pk for of_message in clicks.values() for pk in followed_together(of_message)}
    for event in events:
        if event.pk in scanned and not event.machine:
            event.machine = Machine.ALL_LINKS


def _count(human: Mapping[str, Sequence[TrackingEvent]]) -> None:
    """Count opens and clicks at their messages, and emit mail.opened once for a message, mail.clicked once for a
    link."""
    # Locked in the order of ids, as all that lock several messages do.
    locked = SendJob.objects.select_for_update(of=("self",)).filter(pk__in=human).order_by("pk")
    jobs = list(locked.defer("evidence"))
    # What was applied before. A second click on the same link emits no second event.
    counted = set(
        TrackingEvent.objects.filter(send_job__in=human, machine="", applied_at__isnull=False).values_list(
            "send_job_id", "kind", "link"
        )
    )
    opened: dict[str, JsonObject] = {}
    clicked: dict[str, JsonObject] = {}
    for job in jobs:
        for event in human[job.pk]:
            for name, value in event_columns(job, event.kind, event.happened_at).items():
                setattr(job, name, value)
        payload = visit_payload(job)
        opens = [entry for entry in human[job.pk] if entry.kind == Kind.OPENED]
        clicks = [entry for entry in human[job.pk] if entry.kind == Kind.CLICKED]
        job.open_count += len(opens)
        job.click_count += len(clicks)
        if opens and (job.pk, Kind.OPENED, 0) not in counted:
            opened[job.pk] = payload
        fresh = sorted({entry.link for entry in clicks if (job.pk, Kind.CLICKED, entry.link) not in counted})
        if fresh:
            # Look up the addresses of new clicks only, since each look-up reads a message.
            links = links_of(sent_html(job.text, job.html))
            clicked[job.pk] = {
                **payload,
                "links": [url for entry in fresh if (url := link_at(links, entry)) is not None],
            }
    SendJob.objects.bulk_update(jobs, ["delivery", "delivery_status", "open_count", "click_count"])
    for kind, payloads in (("mail.opened", opened), ("mail.clicked", clicked)):
        if payloads:
            emit(kind, list(payloads), payloads=payloads)


def forget_old() -> bool:
    """Delete opens and clicks of more than a year ago, of all companies (a periodic task). Messages keep their counts.

    Returns whether there may be more.
    """
    old = TrackingEvent.objects.filter(happened_at__lt=timezone.now() - KEPT).order_by("happened_at")
    # Deleted by ids, since DELETE has no LIMIT.
    ids = list(old.values_list("pk", flat=True)[:MAX_DELETED])
    TrackingEvent.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_DELETED
