"""Time-based changes of subscriptions: reminders, past due, the end of pauses and of access, and payments.

A periodic task processes each subscription when its `look_at` is due; billing.renewals bills the next periods. It runs
under the row's lock in one transaction with its mails. Everything happens once, regardless of the number of workers and
their crashes.

Access ends by the clock, even before the task has run (billing.entitlements.selectors.entitlement_of).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.apps import apps
from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Company, User
from accounts.programs.rewards import accrue
from accounts.settings.groups import SubscriptionPolicies, subscription_policies
from billing.plans.models import Plan
from billing.plans.versions import prices_of
from billing.subscriptions.cards import tell_of_card
from billing.subscriptions.changes import Action, Status, access_end, apply_change, lock_primary, require_subscription
from billing.subscriptions.models import OPEN, Subscription, SubscriptionChange
from billing.subscriptions.pauses import resume
from billing.subscriptions.periods import period_after
from billing.subscriptions.selectors import version_at
from core.errors import NamedError, ValidationFailed
from core.tenancy import company_scope
from core.types import JsonObject

log = logging.getLogger(__name__)

BATCH = 100
MAX_WAIT = timedelta(days=1)
"""The longest time between two looks, since the company may change its reminders in between."""
ERROR_WAIT = timedelta(hours=1)
BILLED_AHEAD = timedelta(hours=2)
"""A subscription whose next bill is later than this has been billed; one that waits for an order is billed sooner."""


def process_due_subscriptions() -> bool:
    """Process a batch of due subscriptions of all companies. Returns whether more may be due."""
    # Skipped rows belong to a worker or to a payment. Both set `look_at` again.
    subscriptions = Subscription.objects.select_for_update(skip_locked=True, of=("self",), no_key=True).select_related(
        "plan"
    )
    rows = list(subscriptions.filter(is_primary=True, look_at__lte=timezone.now()).order_by("look_at")[:BATCH])
    for row in rows:
        try:
            # A savepoint for each: one that fails takes back its own changes and
            # mails, and none of the others'.
            with transaction.atomic(), company_scope(row.company_id):
                process(row)
        except Exception:  # noqa: BLE001  the edge of one subscription: it is retried later, the others continue
            log.exception("subscription %s cannot be processed", row.pk)
            Subscription.objects.filter(pk=row.pk).update(look_at=timezone.now() + ERROR_WAIT)
    return len(rows) == BATCH


def process(subscription: Subscription) -> None:
    """Advance a locked subscription of the active company or send a due reminder, and set its next look."""
    now = timezone.now()
    policies = subscription_policies(subscription.company_id)
    if not advance(subscription, policies, now):
        _remind(subscription, policies, now)
    if policies.auto_renew and not is_free(subscription):
        tell_of_card(subscription, now)
    subscription.looked_at = now
    subscription.look_at = _next_look(subscription, policies, now)
    subscription.save(update_fields=["looked_at", "look_at", "bill_at", "updated_at"])


def advance(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> bool:
    """Make the transition that is due by the clock. Returns whether one was due.

    A trial ends. A cancelled subscription ends with its period, and so does any of a company that has turned renewal
    off. Others are billed; one that cannot be billed is past due for the grace period. It expires after it.
    """
    closed = subscription.ends_at is not None and subscription.ends_at <= now
    if subscription.status == Status.PAUSED and subscription.paused_until and subscription.paused_until <= now:
        resume(subscription)
        return True
    if subscription.status != Status.ACTIVE or subscription.period_end is None:
        if subscription.status in OPEN and closed:
            _end(subscription, subscription.ends_at)
            return True
        return False
    if subscription.period_end > now:
        return False
    if not policies.auto_renew or subscription.cancel_at_period_end:
        _end(subscription, subscription.period_end)
    elif is_billed(subscription) and (subscription.bill_at is None or subscription.bill_at <= now):
        # Left to billing.renewals, which bills thousands at once. This task
        # only makes sure that it is asked to.
        subscription.bill_at = subscription.bill_at or now
        return False
    elif closed and not _is_collected(subscription, now):
        # No answer of a gateway is no refusal, so no company loses the subscription while one is awaited.
        _end(subscription, subscription.ends_at)
    elif not is_billed(subscription):
        mark_renewal_past_due(subscription)
        _notify_owners("subscription.past_due", subscription)
    else:
        return False
    return True


def is_billed(subscription: Subscription) -> bool:
    """Return whether billing.renewals bills the next period, rather than staff granting it."""
    return bool(subscription.plan_id and subscription.interval)


def _is_collected(subscription: Subscription, now: datetime) -> bool:
    """Return whether an active subscription is billed, and neither refused nor asked for yet: a gateway owes an answer,
    or billing.dunning the next step. Access ends by the clock all the same."""
    at = subscription.bill_at
    return is_billed(subscription) and at is not None and at - now > BILLED_AHEAD


def mark_renewal_past_due(subscription: Subscription, *, note: str = "") -> None:
    """Make a locked, active subscription past due, in the caller's transaction. Any other stays as it is."""
    if subscription.status == Status.ACTIVE:
        apply_change(subscription, Action.PAST_DUE, note=note, status=Status.PAST_DUE)


def _end(subscription: Subscription, ended_at: datetime | None) -> None:
    was_trial = subscription.status == Status.TRIAL
    status, action = (
        (Status.CANCELLED, Action.CANCELLED) if subscription.cancel_at_period_end else (Status.EXPIRED, Action.EXPIRED)
    )
    apply_change(subscription, action, status=status, ends_at=ended_at)
    _notify_owners("subscription.ended", subscription, was_trial=was_trial)


def is_free(subscription: Subscription) -> bool:
    """Return whether the next period is free: the plan has prices for the interval, all zero, as are its add-ons'."""
    if subscription.plan is None or not subscription.interval:
        return False
    version = version_at(subscription, subscription.period_end or timezone.now())
    prices = prices_of(subscription.plan, version, subscription.interval).values()
    is_free = bool(prices) and not any(price.amount or price.seat_amount for price in prices)
    return is_free and not subscription.items.filter(unit_amount__gt=0).exists()


def _next_period(subscription: Subscription, interval: str) -> tuple[datetime, datetime]:
    """Return the period after the paid one. It starts now for a subscription that is closed or has no period."""
    start = subscription.period_end if subscription.status in OPEN else None
    if start is None:
        return _period(interval)
    return start, period_after(start, interval, subscription.period_day or start.day)


# Reminders


def next_end(subscription: Subscription) -> datetime | None:
    """Return the end that reminders announce: of the trial, of the grace period, or of the paid period."""
    if subscription.status not in OPEN:
        return None
    if subscription.status == Status.ACTIVE:
        return subscription.period_end or subscription.ends_at
    return subscription.ends_at


def _reminders(subscription: Subscription, policies: SubscriptionPolicies) -> list[tuple[datetime, int]]:
    """Return (time, days before the end) of each reminder; none for a subscription that renews itself."""
    end = next_end(subscription)
    if end is None:
        return []
    renews = subscription.status == Status.ACTIVE and policies.auto_renew and not subscription.cancel_at_period_end
    # A reminder of an end that does not come would only frighten people.
    if renews and (is_free(subscription) or _is_charged()):
        return []
    return sorted((end - timedelta(days=days), days) for days in policies.remind_days_before)


def _is_charged() -> bool:
    """Return whether the active company has a method that renewals are charged to."""
    has_default: bool = apps.get_model("billing", "PaymentMethod").objects.filter(is_default=True).exists()
    return has_default


def _remind(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> None:
    """Send the latest reminder that has become due since the last look: one mail, even after a long downtime."""
    since = subscription.looked_at or subscription.created_at
    # Compared with the last look and not with a flag for each reminder, so
    # that reminders can be changed freely.
    reminder_days = [days for time, days in _reminders(subscription, policies) if since < time <= now]
    if reminder_days:
        ends = subscription.status != Status.ACTIVE or not policies.auto_renew or subscription.cancel_at_period_end
        _notify_owners("subscription.ending", subscription, days=reminder_days[-1], ends=ends)


def _next_look(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> datetime | None:
    unbilled = subscription.status == Status.ACTIVE and subscription.bill_at is None
    ends = [subscription.ends_at, subscription.paused_until, subscription.period_end if unbilled else None]
    times = [*(end for end in ends if end is not None), *(time for time, _ in _reminders(subscription, policies))]
    if subscription.status not in OPEN or not any(ends):
        return None
    return min([now + MAX_WAIT, *(time for time in times if time > now)])


def _notify_owners(notice: str, subscription: Subscription, **context: object) -> None:
    plan = subscription.plan.name if subscription.plan else ""
    company = Company.objects.only("name").get(pk=subscription.company_id)
    end = next_end(subscription) or subscription.ends_at
    notify(notice, {"subscription": subscription, "company": company, "plan": plan, "end": end, **context})


# Payments


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms that a payment buys: plan, interval and seats, from now or after the paid period.

    A renewal names its period, which it opens regardless of the status.
    """

    plan: Plan
    interval: str
    seats: int | None
    from_now: bool
    period: tuple[datetime, datetime] | None = None


def record_payment(
    *,
    company_id: str,
    amount: Decimal,
    currency: str,
    source: str,
    terms: Terms | None = None,
    by: User | None = None,
    note: str = "",
) -> Subscription:
    """Record a payment for one more period: activate the subscription and reward the company's referrer.

    `source` identifies the paid object, such as "invoice:<id>"; recording the same one again changes nothing. The
    amount is not checked: only code that has seen an invoice paid in full calls it.

    A past due subscription continues from the end of its period, a closed one starts now. Without `terms` it keeps its
    plan, interval and seats.

    Raises SubscriptionNotFound_400, ValidationFailed for an amount that is not above zero, and BadRequest_400 for a
    subscription without an interval.
    """
    if amount <= 0 or not source:
        raise ValidationFailed(
            "a payment has a source and an amount above zero", "of what was paid", field=("amount", "source")
        )
    return open_period(
        company_id=company_id, amount=amount, currency=currency, source=source, terms=terms, by=by, note=note
    )


def open_period(
    *,
    company_id: str,
    amount: Decimal,
    currency: str,
    source: str,
    terms: Terms | None = None,
    by: User | None = None,
    note: str = "",
) -> Subscription:
    """Open the period that was paid, as `record_payment` does, or one of an order of nothing, which earns no reward."""
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        # The journal is the deduplication: a payment that is recorded again
        # finds its own entry, under the lock.
        if SubscriptionChange.objects.filter(source=source).exists():
            return subscription
        interval = terms.interval if terms else subscription.interval
        if not interval:
            raise NamedError(
                "BadRequest_400", "the subscription has no interval: grant a plan for a month or a year first"
            )
        begins_anew = subscription.status not in OPEN or subscription.period_day is None
        values: JsonObject = {"status": Status.ACTIVE, "scheduled": None}
        if terms is not None:
            values |= {"plan": terms.plan, "interval": interval, "seats": terms.seats}
            begins_anew = begins_anew or terms.from_now
        start, end = _period(interval) if begins_anew else _next_period(subscription, interval)
        if terms is not None and terms.period is not None:
            (start, end), begins_anew = terms.period, False
        values |= {"period_start": start, "period_end": end, "ends_at": access_end(end)}
        # The day of the month is kept apart from the period: after February a
        # subscription of the 31st returns to it.
        if begins_anew:
            values["period_day"] = start.day
        elif terms is not None and terms.period is None and start > timezone.now():
            values["scheduled"] = subscription.scheduled  # paid ahead: what was chosen follows that
        apply_change(
            subscription,
            Action.RENEWED,
            by=by,
            note=note,
            source=source,
            currency=currency,
            cancel_at_period_end=False,
            **values,
        )
        if amount > 0:
            accrue(company_id=company_id, amount=amount, currency=currency, source=source)
        return subscription


def _period(interval: str) -> tuple[datetime, datetime]:
    """Return the period that begins now."""
    now = timezone.now()
    return now, period_after(now, interval, now.day)
