"""Inputs of the decision, read from the database for a whole batch at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q

from accounts.models import Company
from core.access import Entitlement, automation_entitlement
from core.errors import NamedError
from core.tenancy import company_id
from core.types import Values
from crm.models import Contact
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.chats import chats_of
from outreach.messaging.delivery.deciding.decision import DecisionInput, Limit, SenderState, ramp_limit
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.limits.paces import paces_of
from outreach.messaging.delivery.limits.windows import Place, Window, load_zone, recipient_place
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.stopping.stops import stops_of
from outreach.messaging.suppression.addresses import is_address
from outreach.messaging.suppression.selectors import suppressed_addresses

UNLIMITED = 2**31
WRITING = dt.timedelta(minutes=1)
"""Minimum time until a message without content has some."""
_UNWRITTEN = {
    str(reason): reason
    for reason in (
        Reason.NOT_WRITTEN,
        Reason.AI_LIMIT_REACHED,
        Reason.AI_BUSY,
        Reason.AI_TROUBLE,
        Reason.WRITTEN_ANEW,
        Reason.AWAITING_WINNER,
    )
}
QUOTAS = (Reason.LIMIT_DOMAIN, Reason.LIMIT_VENDOR, Reason.LIMIT_PLAN)
"""Reasons of messages that wait for a bucket to fill, or for the plan to include more."""
_PERIODS = (
    (Reason.LIMIT_MINUTE, "per_minute", dt.timedelta(minutes=1)),
    (Reason.LIMIT_HOUR, "per_hour", dt.timedelta(hours=1)),
    (Reason.LIMIT_DAY, "per_day", dt.timedelta(days=1)),
)


@dataclass(frozen=True)
class SendContext:
    """Data that applies to every message of a company."""

    subscription_active: bool
    window: Window | None
    recipient_timezone: bool
    """The window is read on the recipient's clock, otherwise on the company's."""
    zone: ZoneInfo
    provider_limits: Mapping[str, int]
    """Messages an hour by mail provider (quotas)."""
    vendor_limits: Mapping[str, int]
    """Messages an hour by mail vendor, over all of its apps."""
    allowed: Entitlement | None = None
    """The subscription's entitlement; None without one."""

    @classmethod
    def load(cls) -> SendContext:
        """Load the active company's subscription, sending hours and time zone."""
        try:
            allowed: Entitlement | None = automation_entitlement(company_id())
        # Without a subscription the decision says so; an error would end the sender's whole turn.
        except NamedError:
            allowed = None
        settings = GenieSettings.objects.first()
        zone = load_zone(Company.objects.values_list("timezone", flat=True).get(pk=company_id())) or ZoneInfo("UTC")
        # Recipients' clocks are the default, also before a company has opened its settings.
        own_clock = settings is None or settings.recipient_timezone
        providers, vendors = (settings.provider_limits, settings.vendor_limits) if settings else ({}, {})
        return cls(allowed is not None, window_of(settings), own_clock, zone, providers, vendors, allowed)

    def decision_input(
        self, contact: Contact, *, suppressed: bool, now: dt.datetime, window: Window | None = None, **of_message: Any
    ) -> DecisionInput:
        """Return the inputs about a recipient, and about the message under consideration, if there is one.

        The window is the message's own one, or else the company's.
        """
        window = window or self.window
        return DecisionInput(
            contact_deleted=contact.is_deleted,
            suppressed=suppressed,
            unsubscribed=contact.unsubscribed_at is not None,
            address_valid=is_address(contact.email),
            subscription_active=self.subscription_active,
            window=window,
            place=None if window is None else self._place(contact, now),
            **of_message,
        )

    def _place(self, contact: Contact, now: dt.datetime) -> Place:
        phone = contact.contact_number if self.recipient_timezone else None
        return recipient_place(contact_zone=None, phone=phone, company_zone=self.zone.key, now=now)

    def decision_inputs(
        self, jobs: Sequence[SendJob], senders: dict[str, SenderState], now: dt.datetime
    ) -> dict[str, DecisionInput]:
        """Return the inputs about each message, by its id. The jobs come with contact, run and sender joined."""
        suppressed = suppressed_addresses(job.contact.email for job in jobs)
        stopped = stops_of(jobs)
        paces = paces_of(jobs, now)
        chats = chats_of(jobs)
        inputs: dict[str, DecisionInput] = {}
        for job in jobs:
            contact = job.contact
            stop = stopped.get(job.pk)
            # A reason of an earlier status may still be in the column.
            unwritten = _UNWRITTEN.get(job.reason) if job.status == SendJob.Status.PLANNED else None
            held = job.status in (SendJob.Status.PLANNED, SendJob.Status.DRAFT)
            over = job.reason in QUOTAS and job.status == SendJob.Status.APPROVED
            inputs[job.pk] = self.decision_input(
                contact,
                suppressed=(contact.email or "").lower() in suppressed,
                now=now,
                window=read_window(job.window) if job.window else None,
                run_cancelled=job.run is not None and (job.run.cancelled_at is not None or job.run.is_deleted),
                run_paused=job.held_at is not None or (job.run is not None and job.run.paused_at is not None),
                pace=paces.get(job.run_id or ""),
                replied=stop == Reason.REPLY_RECEIVED
                # Follow-ups have stop rules of their own; answers in a conversation are meant for people who
                # have written.
                or (job.step == 1 and job.conversation_id is None and _has_replied(contact, job)),
                stopped=stop if stop != Reason.REPLY_RECEIVED else None,
                attempts=0 if unwritten else job.attempts,
                unwritten=unwritten,
                written_at=max(job.due_at, now + WRITING) if unwritten else None,
                approved=not held
                # Messages of a run that needs no approval are approved as soon as they have words.
                or (unwritten is not None and job.run is not None and not job.run.draft and not job.text),
                as_approved=held or job.is_as_approved,
                approval_ends_at=None if held else job.approval_ends_at,
                sender=senders.get(job.sender_id or ""),
                not_before=None if job.attempts or unwritten or over else job.due_at,
                quota_at=job.due_at if over else None,
                quota=Reason(job.reason) if over else Reason.LIMIT_DOMAIN,
                retry_at=job.due_at if job.attempts and not unwritten and not over else None,
            )
            if job.pk in chats:
                inputs[job.pk] = replace(inputs[job.pk], **chats[job.pk])
        return inputs


def _has_replied(contact: Contact, job: SendJob) -> bool:
    """Return whether the contact has replied since the first message of a thread was due to be planned."""
    began_at = job.run.created_at if job.run is not None and job.occurrence == 1 else job.created_at
    return contact.replied_at is not None and contact.replied_at > began_at


def read_window(stored: Values) -> Window:
    """Return the sending hours that a follow-up has of its own."""
    days = frozenset(day - 1 for day in stored["days"]) or frozenset(range(7))
    start, end = (dt.time.fromisoformat(stored[name]) for name in ("start", "end"))
    return Window(days, start, end)


def window_of(settings: GenieSettings | None) -> Window | None:
    """Return the sending hours, or None when mail may be sent at any time."""
    if settings is None or (not settings.window_days and settings.window_start is None):
        return None
    days = frozenset(day - 1 for day in settings.window_days) or frozenset(range(7))
    return Window(days, settings.window_start or dt.time(0), settings.window_end or dt.time(0))


def sender_state(sender: Sender, zone: ZoneInfo, now: dt.datetime) -> SenderState:
    """Return the sender's state and its limits, counted from the messages."""
    limits = tuple(_limits(sender, zone, now))
    return SenderState(sender.is_active, sender.verified, limits, sender.stopped_at is not None)


def _limits(sender: Sender, zone: ZoneInfo, now: dt.datetime) -> Iterable[Limit]:
    periods = {
        reason: (getattr(sender, name), now - period, period)
        for reason, name, period in _PERIODS
        if getattr(sender, name)
    }
    today = now.astimezone(zone).date()
    # Days of the ramp are the company's days: "today" must not change at a foreign midnight.
    midnight = dt.datetime.combine(today, dt.time(0), zone)
    if sender.ramp_start:
        allowed = ramp_limit(
            sender.first_sent_on or today,
            today,
            start=sender.ramp_start,
            step=sender.ramp_step or 0,
            cap=sender.per_day or UNLIMITED,
        )
        periods[Reason.LIMIT_DAY_RAMP] = (allowed, midnight, dt.timedelta(days=1))
    if not periods:
        return
    # Limits are counted from the messages themselves. A counter could drift after a kill; rows cannot.
    sent = SendJob.objects.filter(**{sender.job_column: sender})
    since = min(start for _, start, _ in periods.values())
    # One aggregate over the longest period answers for all of them.
    used = sent.filter(sending_at__gt=since).aggregate(
        **{r.value: Count("pk", filter=Q(sending_at__gt=s)) for r, (_, s, _) in periods.items()}
    )
    for reason, (allowed, start, period) in periods.items():
        count, opens = used[reason.value], now
        if reason is Reason.LIMIT_DAY_RAMP:
            opens = dt.datetime.combine(midnight.date() + dt.timedelta(days=1), dt.time(0), zone)
        elif count >= allowed:
            # The limit has a free slot again once as many messages as exceed it are older than the period.
            ages = sent.filter(sending_at__gt=start).order_by("sending_at").values_list("sending_at", flat=True)
            opens = next((age + period for age in ages[count - allowed : count - allowed + 1] if age), now)
        yield Limit(reason, allowed, count, opens)  # type: ignore[arg-type]


def claimed_count(sender: Sender) -> int:
    """Count the sender's messages that workers have claimed and not begun: each may take a slot of its limits."""
    # Without it, two claims in a row would both count the same free slots.
    return SendJob.objects.filter(**{sender.job_column: sender}, status=SendJob.Status.CLAIMED).count()


def remaining(sender: SenderState, claimed: int) -> int:
    """Return how many more messages the sender's limits allow now."""
    return min((max(0, limit.allowed - limit.used - claimed) for limit in sender.limits), default=UNLIMITED)
