"""What time and payments do to subscriptions: reminders, renewal, past due, the end.

A periodic task looks at each subscription when something lies ahead of it (`look_at`). What it finds due it does under the row's lock and
in one transaction, mails included, so that it happens once, however many workers there are and whenever one is killed. Access ends by
the clock, whether or not the task has run (billing.entitlements.selectors.entitlement_of).
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Company, User
from accounts.programs.rewards import accrue
from accounts.settings.groups import SubscriptionPolicies, subscription_policies
from billing.entitlements.selectors import OPEN
from billing.subscriptions.changes import Action, Status, closing, existing, primary_of, write
from billing.subscriptions.models import Subscription, SubscriptionChange
from billing.subscriptions.notices import ENDED, ENDING, PAST_DUE
from billing.subscriptions.periods import period_after
from core.errors import NamedError, ValidationFailed
from core.tenancy import company_scope

log = logging.getLogger(__name__)

BATCH = 100
LONGEST_REST = timedelta(days=1)
"""So often a subscription is looked at anyway, since its company may have changed when it wants to be reminded."""
TROUBLE_REST = timedelta(hours=1)


def look_at_subscriptions() -> bool:
    """Do what is due to subscriptions of all companies, a batch of them; whether there are more."""
    due = Subscription.objects.select_for_update(skip_locked=True, of=("self",), no_key=True).select_related("plan")
    rows = list(due.filter(is_primary=True, look_at__lte=timezone.now()).order_by("look_at")[:BATCH])
    for row in rows:
        try:
            with transaction.atomic(), company_scope(row.company_id):
                look(row)
        except Exception:  # noqa: BLE001  the edge of one subscription: it is looked at again later, and the others go on
            log.exception("subscription %s cannot be looked at", row.pk)
            Subscription.objects.filter(pk=row.pk).update(look_at=timezone.now() + TROUBLE_REST)
    return len(rows) == BATCH


def look(subscription: Subscription) -> None:
    """Bring a locked subscription of the active company up to date or give the reminder that is due, and say when to look again."""
    now = timezone.now()
    policies = subscription_policies(subscription.company_id)
    if not advance(subscription, policies, now):
        _remind(subscription, policies, now)
    subscription.looked_at = now
    subscription.look_at = _next_look(subscription, policies, now)
    subscription.save(update_fields=["looked_at", "look_at", "updated_at"])


def advance(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> bool:
    """Make the move that time has brought; whether there was one.

    A trial ends; what was cancelled ends with its period; a plan that costs nothing renews itself, unless the company does not want to
    renew; what is to be paid is past due for the days of grace, and then expires.
    """
    closed = subscription.ends_at is not None and subscription.ends_at <= now
    if subscription.status != Status.ACTIVE or subscription.period_end is None:
        if subscription.status in OPEN and closed:
            _end(subscription, subscription.ends_at)
            return True
        return False
    if subscription.period_end > now:
        return False
    if not policies.auto_renew or subscription.cancel_at_period_end:
        _end(subscription, subscription.period_end)
    elif is_free(subscription):
        _renew(subscription, now)
    elif closed:
        _end(subscription, subscription.ends_at)
    else:
        write(subscription, Action.PAST_DUE, status=Status.PAST_DUE)
        _tell(PAST_DUE, subscription)
    return True


def _end(subscription: Subscription, ended: datetime | None) -> None:
    was_trial = subscription.status == Status.TRIAL
    status, action = (
        (Status.CANCELLED, Action.CANCELLED) if subscription.cancel_at_period_end else (Status.EXPIRED, Action.EXPIRED)
    )
    write(subscription, action, status=status, ends_at=ended)
    _tell(ENDED, subscription, was_trial=was_trial)


def is_free(subscription: Subscription) -> bool:
    """Whether the next period costs nothing: the plan has prices for the interval, and they are all zero."""
    if subscription.plan is None or not subscription.interval:
        return False
    amounts = subscription.plan.prices.filter(interval=subscription.interval).values_list("amount", "seat_amount")
    return bool(amounts) and not any(amount or seat for amount, seat in amounts)


def _renew(subscription: Subscription, now: datetime) -> None:
    start, end = _following(subscription)
    while end <= now:
        start, end = end, period_after(end, subscription.interval, subscription.period_day or end.day)
    write(subscription, Action.RENEWED, period_start=start, period_end=end, ends_at=closing(end))


def _following(subscription: Subscription) -> tuple[datetime, datetime]:
    """The period after the one that is paid; from now on for a subscription that is closed or has none."""
    start = subscription.period_end if subscription.status in OPEN else None
    if start is None:
        start = timezone.now()
        return start, period_after(start, subscription.interval, start.day)
    return start, period_after(start, subscription.interval, subscription.period_day or start.day)


# Reminders


def next_end(subscription: Subscription) -> datetime | None:
    """What the company is reminded of: the end of the trial or of the days of grace, or of the period."""
    if subscription.status not in OPEN:
        return None
    if subscription.status == Status.ACTIVE:
        return subscription.period_end or subscription.ends_at
    return subscription.ends_at


def _reminders(subscription: Subscription, policies: SubscriptionPolicies) -> list[tuple[datetime, int]]:
    """(moment, days before the end) of each; none for what renews itself."""
    end = next_end(subscription)
    if end is None:
        return []
    renews = subscription.status == Status.ACTIVE and policies.auto_renew and not subscription.cancel_at_period_end
    if renews and is_free(subscription):
        return []
    return sorted((end - timedelta(days=days), days) for days in policies.remind_days_before)


def _remind(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> None:
    """Give the last of the reminders that have come due since the last look: one mail, also after a long silence of the service."""
    since = subscription.looked_at or subscription.created_at
    due = [days for moment, days in _reminders(subscription, policies) if since < moment <= now]
    if due:
        ends = subscription.status != Status.ACTIVE or not policies.auto_renew or subscription.cancel_at_period_end
        _tell(ENDING, subscription, days=due[-1], ends=ends)


def _next_look(subscription: Subscription, policies: SubscriptionPolicies, now: datetime) -> datetime | None:
    ends = [subscription.ends_at, subscription.period_end if subscription.status == Status.ACTIVE else None]
    moments = [*(end for end in ends if end is not None), *(moment for moment, _ in _reminders(subscription, policies))]
    if subscription.status not in OPEN or not any(ends):
        return None
    return min([now + LONGEST_REST, *(moment for moment in moments if moment > now)])


def _tell(notice: str, subscription: Subscription, **context: object) -> None:
    plan = subscription.plan.name if subscription.plan else ""
    company = Company.objects.only("name").get(pk=subscription.company_id)
    end = next_end(subscription) or subscription.ends_at
    notify(notice, {"subscription": subscription, "company": company, "plan": plan, "end": end, **context})


# Payments


def record_payment(
    *, company_id: str, amount: Decimal, currency: str, source: str, by: User | None = None, note: str = ""
) -> Subscription:
    """A payment for one more period has come in: the subscription is active, and paid for an interval more; who brought the company is
    rewarded. `source` names the payment, such as "manual:<id>"; the same one again changes nothing.

    What is past due goes on from where its period ended, what was closed from now on. SubscriptionNotFound_400, ValidationFailed for an
    amount that is not above zero, BadRequest_400 for a subscription without interval, since nobody knows what was paid for.
    """
    if amount <= 0 or not source:
        raise ValidationFailed("a payment has a source and an amount above zero", "amount, source: of what was paid")
    with primary_of(company_id) as found:
        subscription = existing(found)
        if SubscriptionChange.objects.filter(source=source).exists():
            return subscription
        if not subscription.interval:
            raise NamedError(
                "BadRequest_400", "the subscription has no interval: grant a plan for a month or a year first"
            )
        start, end = _following(subscription)
        values = {"status": Status.ACTIVE, "period_start": start, "period_end": end, "ends_at": closing(end)}
        if subscription.status not in OPEN or subscription.period_day is None:
            values["period_day"] = start.day
        write(
            subscription,
            Action.RENEWED,
            by=by,
            note=note,
            source=source,
            currency=currency,
            cancel_at_period_end=False,
            **values,
        )
        accrue(company_id=company_id, amount=amount, currency=currency, source=source)
        return subscription
