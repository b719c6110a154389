"""Changes of subscriptions: under the row's lock, by a legal transition, and logged as a SubscriptionChange."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Company, User
from billing.plans.models import Plan
from billing.subscriptions.models import OPEN, PAID, Subscription, SubscriptionChange
from billing.subscriptions.selectors import version_at
from billing.subscriptions.words import forget_words
from core.access import used_quota
from core.access.meters import terms_changed
from core.errors import NamedError
from core.tenancy import company_scope
from core.types import JsonObject, Values

Status = Subscription.Status
Action = SubscriptionChange.Action

TRANSITIONS: dict[str, frozenset[str]] = {
    Status.TRIAL: frozenset({Status.TRIAL, Status.ACTIVE, Status.CANCELLED, Status.EXPIRED}),
    Status.ACTIVE: frozenset({Status.ACTIVE, Status.PAST_DUE, Status.PAUSED, Status.CANCELLED, Status.EXPIRED}),
    Status.PAST_DUE: frozenset({Status.PAST_DUE, Status.ACTIVE, Status.CANCELLED, Status.EXPIRED}),
    Status.PAUSED: frozenset({Status.PAUSED, Status.ACTIVE, Status.CANCELLED, Status.EXPIRED}),
    Status.CANCELLED: frozenset({Status.ACTIVE}),
    Status.EXPIRED: frozenset({Status.ACTIVE, Status.TRIAL}),
}
"""Status -> the statuses that may follow."""
INITIAL = frozenset({Status.TRIAL, Status.ACTIVE, Status.EXPIRED})
LOGGED_FIELDS = (
    "status",
    "plan_id",
    "interval",
    "currency",
    "seats",
    "starts_at",
    "ends_at",
    "period_start",
    "period_end",
    "cancel_at_period_end",
    "scheduled",
    "paused_until",
    "modules",
    "limits",
    "version_id",
    "extras",
    "overage",
)
"""The fields that a SubscriptionChange records."""

ALLOWING = frozenset({"status", "plan_id", "period_start", "modules", "limits", "version_id", "extras", "overage"})
"""Those of them that may allow the company something else than before."""


@contextmanager
def lock_primary(company_id: str) -> Iterator[Subscription | None]:
    """Lock the company's primary subscription (None if there is none), in the company's scope and a transaction.

    Without one it locks the company, so that two callers cannot both create the first subscription.
    """
    with company_scope(company_id), transaction.atomic():
        subscription = _lock()
        if subscription is None:
            # There is no row to lock yet, and PostgreSQL locks no gaps. The company's row stands in, and the
            # second read sees a subscription that another caller has just created.
            Company.objects.select_for_update(no_key=True).get(pk=company_id)
            subscription = _lock()
        yield subscription


def _lock() -> Subscription | None:
    # The plan and its version are shared by all companies, so only the subscription itself is locked.
    rows = Subscription.objects.select_for_update(of=("self",), no_key=True).select_related("plan", "version")
    subscription: Subscription | None = rows.filter(is_primary=True).first()
    return subscription


def require_subscription(subscription: Subscription | None) -> Subscription:
    """Return the subscription. Raises SubscriptionNotFound_400 for None."""
    if subscription is None:
        raise NamedError("SubscriptionNotFound_400", "the company has no subscription yet; grant it one")
    return subscription


def apply_change(
    subscription: Subscription,
    action: str,
    *,
    by: User | None = None,
    note: str = "",
    source: str = "",
    **values: Any,
) -> Subscription:
    """Set the values and log the change. Raises BadRequest_400 for a transition that is not allowed.

    The renewals check the subscription again at once, because its next due date may have changed.
    """
    is_new = subscription._state.adding
    before = {} if is_new else _logged_values(subscription)
    target = values.get("status", subscription.status)
    if target not in (INITIAL if is_new else TRANSITIONS[subscription.status]):
        raise NamedError(
            "BadRequest_400", f"a subscription that is {subscription.status} cannot become {target}", field="status"
        )
    ends, billed = _ends(subscription), _billed_end(subscription)
    if not is_new and not _keeps_version(subscription, action, values):
        values = {**values, "version": None, "version_told_at": None}
    if not is_new and (action == Action.GRANTED or subscription.status not in OPEN):
        subscription.items.all().delete()  # add-ons end with what they were bought for
        values = {**values, "extras": {}}
    for name, value in values.items():
        setattr(subscription, name, value)
    now = timezone.now()
    subscription.look_at = now if subscription.status in OPEN and any(_ends(subscription)) else None
    if subscription.looked_at is None or ends != _ends(subscription):
        subscription.looked_at = now  # a new end has its own reminders
    # Only a new end sets the time of billing: any other change would undo a delay by the renewals.
    if is_new or billed != _billed_end(subscription):
        subscription.bill_at = _billed_end(subscription)
    subscription.save()
    after = _logged_values(subscription)
    changed = [name for name in after if is_new or before[name] != after[name]]
    SubscriptionChange.objects.create(
        subscription=subscription,
        action=action,
        by=by,
        before={name: before[name] for name in changed if name in before},
        after={name: after[name] for name in changed},
        note=note,
        source=source,
    )
    # After the commit: a reader in between would cache the former terms again.
    transaction.on_commit(partial(forget_words, subscription.company_id))
    if not ALLOWING.isdisjoint(changed):
        terms_changed.send()
    return subscription


def _keeps_version(subscription: Subscription, action: str, values: Values) -> bool:
    """Return whether the terms stay that were kept for the subscription: as long as the same plan is paid for without a
    break, and until their end."""
    same = values.get("plan", subscription.plan) == subscription.plan
    if action == Action.GRANTED or not same or subscription.status not in OPEN:
        return False
    start = values.get("period_start")
    return action != Action.RENEWED or start is None or version_at(subscription, start) is not None


def _ends(subscription: Subscription) -> tuple[datetime | None, datetime | None]:
    return subscription.ends_at, subscription.period_end


def _billed_end(subscription: Subscription) -> datetime | None:
    """Return the end of the period that another one is billed after; None if none is."""
    goes_on = subscription.status in PAID and not subscription.cancel_at_period_end
    return subscription.period_end if goes_on and subscription.plan_id and subscription.interval else None


def _logged_values(subscription: Subscription) -> JsonObject:
    values: JsonObject = {}
    for name in LOGGED_FIELDS:
        value = getattr(subscription, name)
        values[name] = value.isoformat() if isinstance(value, datetime) else value
    values["plan"] = subscription.plan.name if subscription.plan else None
    return values


def access_end(
    period_end: datetime | None, *, status: str = Status.ACTIVE, cancelling: bool = False
) -> datetime | None:
    """Return when access ends without further changes.

    A trial and a cancelled subscription end with their period, others after the grace period.
    """
    if period_end is None or cancelling or status == Status.TRIAL:
        return period_end
    return period_end + settings.GRACE_PERIOD


def check_seats(plan: Plan | None, seats: int | None) -> None:
    """Check a number of seats against the plan and the seats in use.

    Raises PlanMinUsers_400 for fewer than the plan's minimum or than are in use, PlanMaxUsers_400 for too many.
    """
    # Seats in use count even where fewer are asked for: an order locks no member out.
    used_seats = used_quota("member")
    least, most = (plan.min_seats, plan.max_seats) if plan else (1, None)
    if most is not None and max(seats or 0, used_seats) > most:
        raise NamedError(
            "PlanMaxUsers_400",
            f"the plan has {most} seats; {used_seats} are in use" + (f", and {seats} are wanted" if seats else ""),
            field="seats",
        )
    if seats is not None and seats < max(least, used_seats):
        raise NamedError(
            "PlanMinUsers_400",
            f"at least {max(least, used_seats)} seats: the plan begins with {least}, and {used_seats} are in use",
            field="seats",
        )
