"""What the decision depends on, read from the database for a whole batch at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from django.db.models import Count, Q

from accounts.models import Company
from core.access import entitlement
from core.errors import NamedError
from core.tenancy import company_id
from crm.models import Contact
from outreach.delivery.decision import DecisionInput, Limit, Reason, SenderState, ramp_limit
from outreach.delivery.models import GenieSettings, SendJob
from outreach.delivery.windows import Window, load_zone, recipient_place
from outreach.senders.models import Smtp
from outreach.suppression.addresses import is_address
from outreach.suppression.selectors import suppressed_addresses

UNLIMITED = 2**31
_PERIODS = (
    (Reason.LIMIT_MINUTE, "per_minute", dt.timedelta(minutes=1)),
    (Reason.LIMIT_HOUR, "per_hour", dt.timedelta(hours=1)),
    (Reason.LIMIT_DAY, "per_day", dt.timedelta(days=1)),
)


@dataclass(frozen=True)
class SendContext:
    """What holds for every message of a company."""

    subscription_active: bool
    window: Window | None
    recipient_timezone: bool
    """The window is read on the recipient's clock, otherwise on the company's."""
    zone: ZoneInfo

    @classmethod
    def load(cls) -> SendContext:
        """Load the active company's subscription, sending hours and time zone."""
        try:
            entitlement(company_id())
            subscribed = True
        except NamedError:
            subscribed = False
        settings = GenieSettings.objects.first()
        zone = load_zone(Company.objects.values_list("timezone", flat=True).get(pk=company_id())) or ZoneInfo("UTC")
        return cls(subscribed, window_of(settings), settings is None or settings.recipient_timezone, zone)

    def decision_input(self, contact: Contact, *, suppressed: bool, now: dt.datetime) -> DecisionInput:
        """Return what is known about a recipient, before any message to it is considered."""
        place = None
        if self.window is not None:
            phone = contact.contact_number if self.recipient_timezone else None
            place = recipient_place(contact_zone=None, phone=phone, company_zone=self.zone.key, now=now)
        return DecisionInput(
            contact_deleted=contact.is_deleted,
            suppressed=suppressed,
            unsubscribed=contact.unsubscribed_at is not None,
            address_valid=is_address(contact.email),
            subscription_active=self.subscription_active,
            window=self.window,
            place=place,
        )

    def decision_inputs(
        self, jobs: Sequence[SendJob], senders: dict[str, SenderState], now: dt.datetime
    ) -> dict[str, DecisionInput]:
        """Return what is known about each message, by its id. The jobs come with `contact` and `run` joined."""
        suppressed = suppressed_addresses(job.contact.email for job in jobs)
        found: dict[str, DecisionInput] = {}
        for job in jobs:
            contact = job.contact
            of_contact = self.decision_input(contact, suppressed=(contact.email or "").lower() in suppressed, now=now)
            started_at = job.run.created_at if job.run else job.created_at
            found[job.pk] = replace(
                of_contact,
                run_cancelled=job.run is not None and (job.run.cancelled_at is not None or job.run.is_deleted),
                replied=contact.replied_at is not None and contact.replied_at > started_at,
                attempts=job.attempts,
                approved=job.status not in (SendJob.Status.PLANNED, SendJob.Status.DRAFT),
                sender=senders.get(job.smtp_id or ""),
                not_before=None if job.attempts else job.due_at,
                retry_at=job.due_at if job.attempts else None,
            )
        return found


def window_of(settings: GenieSettings | None) -> Window | None:
    """Return the sending hours, or None when mail may be sent at any time."""
    if settings is None or (not settings.window_days and settings.window_start is None):
        return None
    days = frozenset(day - 1 for day in settings.window_days) or frozenset(range(7))
    return Window(days, settings.window_start or dt.time(0), settings.window_end or dt.time(0))


def sender_state(smtp: Smtp, zone: ZoneInfo, now: dt.datetime) -> SenderState:
    """Return the sender's state and its limits, counted from the messages."""
    return SenderState(smtp.is_active, smtp.verified, tuple(_limits(smtp, zone, now)))


def _limits(smtp: Smtp, zone: ZoneInfo, now: dt.datetime) -> Iterable[Limit]:
    periods = {
        reason: (getattr(smtp, name), now - period, period) for reason, name, period in _PERIODS if getattr(smtp, name)
    }
    today = now.astimezone(zone).date()
    midnight = dt.datetime.combine(today, dt.time(0), zone)
    if smtp.ramp_start:
        allowed = ramp_limit(
            smtp.first_sent_on or today,
            today,
            start=smtp.ramp_start,
            step=smtp.ramp_step or 0,
            cap=smtp.per_day or UNLIMITED,
        )
        periods[Reason.LIMIT_DAY_RAMP] = (allowed, midnight, dt.timedelta(days=1))
    if not periods:
        return
    sent = SendJob.objects.filter(smtp=smtp)
    since = min(start for _, start, _ in periods.values())
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
            opens = next((age + period for age in ages[count - allowed : count - allowed + 1]), now)
        yield Limit(reason, allowed, count, opens)  # type: ignore[arg-type]


def claimed_count(smtp: Smtp) -> int:
    """Count the sender's messages that workers have claimed and not begun: each may take a slot of its limits."""
    return SendJob.objects.filter(smtp=smtp, status=SendJob.Status.CLAIMED).count()


def remaining(sender: SenderState, claimed: int) -> int:
    """Return how many more messages the sender's limits allow now."""
    return min((max(0, limit.allowed - limit.used - claimed) for limit in sender.limits), default=UNLIMITED)
