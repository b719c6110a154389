"""Guardrails of senders: bounces and complaints stop a sender before mail providers do, until a person resumes it.

Bounces count in the last RECENT messages, so that a bad list is stopped soon. Complaints are so rare that they count in
all messages of the last days. Both count messages sent since a person last resumed the sender.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, DateTimeField, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.companies.models import Company
from accounts.members.notices import notify
from accounts.models import Member
from core.jobs import notify_workers
from core.tenancy import company_id
from core.types import JsonObject
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.senders.models import BOUNCES, COMPLAINTS, Sender
from outreach.messaging.delivery.limits.windows import load_zone
from outreach.messaging.delivery.mails import SENDER_STOPPED
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import find_sender, locked_sender
from outreach.messaging.delivery.settings.models import GenieSettings

RECENT = 200
DAYS = 7
LEAST_COMPLAINTS = 2
"""One person's complaint stops nobody."""


@dataclass(frozen=True)
class Rate:
    """Bounces or complaints among the counted messages, with the thresholds that stop the sender."""

    what: str
    count: int
    of: int
    percent: float
    """From which on it stops the sender."""
    least: int
    """From how many of them on."""
    enough: bool
    """There are as many messages as the company's settings require; fewer are not significant."""

    @property
    def is_reached(self) -> bool:
        return self.enough and self.count >= self.least and self.count * 100 >= self.percent * self.of

    def as_json(self) -> JsonObject:
        """Return the value of Sender.stopped_by."""
        return {"what": self.what, "count": self.count, "of": self.of}


def rates_of(sender: Sender, now: datetime | None = None) -> list[Rate]:
    """Return the rates that count against the sender now."""
    now = now or timezone.now()
    settings = GenieSettings.objects.first() or GenieSettings()
    jobs = SendJob.objects.filter(**{sender.job_column: sender})
    week = now - timedelta(days=DAYS)
    since = max(week, sender.counted_since or week)
    sent = jobs.filter(sending_at__gt=since)
    newest = sent.order_by("-sending_at").values("sending_at")[RECENT - 1 : RECENT]
    first = Coalesce(Subquery(newest), Value(since), output_field=DateTimeField())
    # One that the server has refused at once has no time of sending. Partial indexes find the few rows.
    counts = jobs.filter(Q(bounced_at__gt=since) | Q(complained_at__gt=since)).aggregate(
        came_back=Count("pk", filter=Q(bounced_at__isnull=False, sending_at__gt=since, sending_at__gte=first)),
        refused=Count("pk", filter=Q(sending_at=None, bounced_at__gt=since, bounced_at__gte=first)),
        complained=Count("pk", filter=Q(complained_at__isnull=False, sending_at__gt=since)),
    )
    count, refused = sent.count(), counts["refused"]
    enough = count + refused >= settings.guard_from
    bounced, recent = counts["came_back"] + refused, min(count, RECENT) + refused
    return [
        Rate(BOUNCES, bounced, recent, settings.bounce_percent, 1, enough),
        Rate(COMPLAINTS, counts["complained"], count, settings.complaint_percent, LEAST_COMPLAINTS, enough),
    ]


def check_senders(sender_ids: Iterable[str | None]) -> bool:
    """Stop the senders with too many bounces or complaints, in the caller's transaction.

    Locks them one after the other, so that of two simultaneous events the later sees both. Returns whether one was
    stopped.
    """
    stopped = False
    for id in sorted({id for id in sender_ids if id}):
        sender = locked_sender(id, stopped_at=None)
        reached = next((rate for rate in rates_of(sender) if rate.is_reached), None) if sender else None
        if sender is not None and reached is not None:
            _stop(sender, reached)
            stopped = True
    return stopped


def _stop(sender: Sender, rate: Rate) -> None:
    now = timezone.now()
    sender.stopped_at = now
    sender.stopped_by = rate.as_json()
    type(sender)._default_manager.filter(pk=sender.pk).update(
        stopped_at=now, stopped_by=sender.stopped_by, updated_at=now
    )
    notify(
        SENDER_STOPPED.key,
        {"smtp": sender, "told": sender.why_stopped},
        members=_members_to_notify(),
        about=(sender.app_key, sender.pk),
    )


def _members_to_notify() -> list[Member]:
    """Return the owners, and the members whose role changes senders."""
    may = Q(status=Member.Status.ACCEPTED, **{f"role__permission__{MODULE}__PUT": True})
    return list(Member.objects.filter(Q(status=Member.Status.OWNER) | may).order_by("pk"))


@transaction.atomic
def resume(*, id: str, app: str) -> Sender:
    """Resume a stopped sender. Earlier messages no longer count, and a ramp continues from the same day.

    Raises the app's error for an id that is none of its senders.
    """
    sender = sender_of(id, app, lock=True)
    if sender.stopped_at is None:
        return sender
    now = timezone.now()
    values: JsonObject = {"stopped_at": None, "stopped_by": None, "counted_since": now, "updated_at": now}
    if sender.ramp_start and sender.first_sent_on:
        zone = load_zone(Company.objects.values_list("timezone", flat=True).get(pk=company_id()))
        rested = now.astimezone(zone).date() - sender.stopped_at.astimezone(zone).date()
        values["first_sent_on"] = sender.first_sent_on + rested
    type(sender)._default_manager.filter(pk=sender.pk).update(**values)
    for name, value in values.items():
        setattr(sender, name, value)
    notify_workers("send")
    return sender


def sender_of(id: str, app: str, *, lock: bool = False) -> Sender:
    """Return the app's sender with the id. Raises the app's error when there is none."""
    sender = locked_sender(id) if lock else find_sender(id)
    if sender is None or sender.app_key != app:
        raise CONNECTED_APPS[app].not_found()
    return sender


def guardrail(*, id: str, app: str) -> JsonObject:
    """Return the state of a sender's guardrail as the API shows it. Raises the app's error."""
    sender = sender_of(id, app)
    return {
        "stoppedAt": sender.stopped_at,
        "sentence": sender.why_stopped,
        "rampPause": sender.stopped_at is not None and sender.ramp_start is not None,
        "countedSince": sender.counted_since,
        "rates": [
            {
                "what": rate.what,
                "count": rate.count,
                "of": rate.of,
                "percent": round(100 * rate.count / rate.of, 2) if rate.of else 0.0,
                "stopsAt": rate.percent,
            }
            for rate in rates_of(sender)
        ],
    }
