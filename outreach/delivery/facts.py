"""What the decision function rests on, read for a whole batch at a time."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from django.db.models import Count, Q

from accounts.models import Company
from core.access import entitlement
from core.errors import NamedError
from core.tenancy import company_id
from crm.models import Contact
from outreach.delivery.decision import Limit, Reason, SenderFacts, SendFacts, ramp_limit
from outreach.delivery.models import SendJob
from outreach.delivery.windows import Window, load_zone, recipient_place
from outreach.genie.models import GenieSettings
from outreach.senders.models import Smtp
from outreach.suppression.models import Suppression

ADDRESS = r"^[^[:space:]<>@,;:\\\"()]+@[^[:space:]<>@,;:\\\"()]+\.[^[:space:]<>@,;:\\\"().]+$"
"""An address that can be written to, as a regular expression of PostgreSQL; addresses are checked in full when they are stored."""
_ADDRESS = re.compile(ADDRESS.replace("[:space:]", r"\s"))
_NO_CAP = 2**31
_PERIODS = (
    (Reason.LIMIT_MINUTE, "per_minute", dt.timedelta(minutes=1)),
    (Reason.LIMIT_HOUR, "per_hour", dt.timedelta(hours=1)),
    (Reason.LIMIT_DAY, "per_day", dt.timedelta(days=1)),
)


def is_address(value: str | None) -> bool:
    """Whether mail can be sent to the address; the same question as the regular expression ADDRESS."""
    return value is not None and _ADDRESS.match(value) is not None


@dataclass(frozen=True)
class Surroundings:
    """What holds for every message of the active company."""

    subscription_active: bool
    window: Window | None
    recipients_clock: bool
    zone: ZoneInfo

    def facts(self, contact: Contact, *, suppressed: bool, now: dt.datetime) -> SendFacts:
        """The facts about a recipient, before those of any message."""
        place = None
        if self.window is not None:
            phone = contact.contact_number if self.recipients_clock else None
            place = recipient_place(contact_zone=None, phone=phone, company_zone=self.zone.key, now=now)
        return SendFacts(
            contact_deleted=contact.is_deleted,
            suppressed=suppressed,
            unsubscribed=contact.unsubscribed_at is not None,
            address_valid=is_address(contact.email),
            subscription_active=self.subscription_active,
            window=self.window,
            place=place,
        )


def surroundings() -> Surroundings:
    """The active company's subscription, sending hours and time zone."""
    try:
        entitlement(company_id())
        subscribed = True
    except NamedError:
        subscribed = False
    settings = GenieSettings.objects.first()
    zone = load_zone(Company.objects.values_list("timezone", flat=True).get(pk=company_id())) or ZoneInfo("UTC")
    return Surroundings(subscribed, window_of(settings), settings is None or settings.recipient_timezone, zone)


def window_of(settings: GenieSettings | None) -> Window | None:
    """The sending hours, or None when mail may go at any time."""
    if settings is None or (not settings.window_days and settings.window_start is None):
        return None
    days = frozenset(day - 1 for day in settings.window_days) or frozenset(range(7))
    return Window(days, settings.window_start or dt.time(0), settings.window_end or dt.time(0))


def suppressed_addresses(addresses: Iterable[str | None]) -> set[str]:
    """Which of the addresses are never written to, in lower case."""
    wanted = {address.lower() for address in addresses if address}
    return set(Suppression.objects.filter(email__in=wanted).values_list("email", flat=True)) if wanted else set()


def message_facts(
    jobs: Sequence[SendJob], around: Surroundings, senders: dict[str, SenderFacts], now: dt.datetime
) -> dict[str, SendFacts]:
    """The facts about each message, in two queries; the jobs come with `contact` and `run` joined."""
    suppressed = suppressed_addresses(job.contact.email for job in jobs)
    found: dict[str, SendFacts] = {}
    for job in jobs:
        contact = job.contact
        facts = around.facts(contact, suppressed=(contact.email or "").lower() in suppressed, now=now)
        begun = job.run.created_at if job.run else job.created_at
        found[job.pk] = replace(
            facts,
            run_cancelled=job.run is not None and (job.run.cancelled_at is not None or job.run.is_deleted),
            replied=contact.replied_at is not None and contact.replied_at > begun,
            attempts=job.attempts,
            approved=job.status not in (SendJob.Status.PLANNED, SendJob.Status.DRAFT),
            sender=senders.get(job.smtp_id or ""),
            not_before=None if job.attempts else job.due_at,
            retry_at=job.due_at if job.attempts else None,
        )
    return found


def sender_facts(smtp: Smtp, zone: ZoneInfo, now: dt.datetime) -> SenderFacts:
    """The sender's state and its limits, counted from the ledger."""
    return SenderFacts(smtp.is_active, smtp.verified, tuple(_limits(smtp, zone, now)))


def reserved(smtp: Smtp) -> int:
    """Messages that workers hold and have not begun to send: each may use up a slot at any moment."""
    return SendJob.objects.filter(smtp=smtp, status=SendJob.Status.CLAIMED).count()


def _limits(smtp: Smtp, zone: ZoneInfo, now: dt.datetime) -> Iterable[Limit]:
    spans = {
        reason: (getattr(smtp, name), now - period, period) for reason, name, period in _PERIODS if getattr(smtp, name)
    }
    midnight = dt.datetime.combine(now.astimezone(zone).date(), dt.time(0), zone)
    if smtp.ramp_start:
        today = now.astimezone(zone).date()
        allowed = ramp_limit(
            smtp.first_sent_on or today,
            today,
            start=smtp.ramp_start,
            step=smtp.ramp_step or 0,
            cap=smtp.per_day or _NO_CAP,
        )
        spans[Reason.LIMIT_DAY_RAMP] = (allowed, midnight, dt.timedelta(days=1))
    if not spans:
        return
    sent = SendJob.objects.filter(smtp=smtp)
    since = min(start for _, start, _ in spans.values())
    used = sent.filter(sending_at__gt=since).aggregate(
        **{r.value: Count("pk", filter=Q(sending_at__gt=s)) for r, (_, s, _) in spans.items()}
    )
    for reason, (allowed, start, period) in spans.items():
        count, opens = used[reason.value], now
        if reason is Reason.LIMIT_DAY_RAMP:
            opens = dt.datetime.combine(midnight.date() + dt.timedelta(days=1), dt.time(0), zone)
        elif count >= allowed:
            # The slot that opens first makes room again once as many as are over the limit have left the period.
            ages = sent.filter(sending_at__gt=start).order_by("sending_at").values_list("sending_at", flat=True)
            opens = next((age + period for age in ages[count - allowed : count - allowed + 1]), now)
        yield Limit(reason, allowed, count, opens)  # type: ignore[arg-type]


def room(sender: SenderFacts, held: int) -> int:
    """How many more messages the sender's limits allow now."""
    return min((max(0, limit.allowed - limit.used - held) for limit in sender.limits), default=_NO_CAP)
