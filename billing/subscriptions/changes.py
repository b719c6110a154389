"""The one way in which subscriptions change: under the row's lock, by a legal move, with a SubscriptionChange that says what and who."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Company, User
from billing.entitlements.selectors import OPEN
from billing.plans.models import Plan
from billing.subscriptions.models import Subscription, SubscriptionChange
from core.access import used_quota
from core.errors import NamedError
from core.tenancy import company_scope

Status = Subscription.Status
Action = SubscriptionChange.Action

MOVES: dict[str, frozenset[str]] = {
    Status.TRIAL: frozenset({Status.TRIAL, Status.ACTIVE, Status.CANCELLED, Status.EXPIRED}),
    Status.ACTIVE: frozenset({Status.ACTIVE, Status.PAST_DUE, Status.CANCELLED, Status.EXPIRED}),
    Status.PAST_DUE: frozenset({Status.PAST_DUE, Status.ACTIVE, Status.CANCELLED, Status.EXPIRED}),
    Status.CANCELLED: frozenset({Status.ACTIVE}),
    Status.EXPIRED: frozenset({Status.ACTIVE, Status.TRIAL}),
}
"""Status -> where it may go from there."""
FIRST = frozenset({Status.TRIAL, Status.ACTIVE, Status.EXPIRED})
SHOWN = (
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
    "modules",
    "limits",
)
"""What a change tells of."""


@contextmanager
def primary_of(company_id: str) -> Iterator[Subscription | None]:
    """The company's primary subscription, or None, in its scope and a transaction; whoever else wants to change it waits.

    Where there is none the company itself is held, so that two cannot both make the first.
    """
    with company_scope(company_id), transaction.atomic():
        found = _lock()
        if found is None:
            Company.objects.select_for_update(no_key=True).get(pk=company_id)
            found = _lock()
        yield found


def _lock() -> Subscription | None:
    rows = Subscription.objects.select_for_update(of=("self",), no_key=True).select_related("plan")
    return rows.filter(is_primary=True).first()


def existing(subscription: Subscription | None) -> Subscription:
    """The subscription; SubscriptionNotFound_400 when there is none."""
    if subscription is None:
        raise NamedError("SubscriptionNotFound_400", "the company has no subscription yet; grant it one")
    return subscription


def write(
    subscription: Subscription,
    action: str,
    *,
    by: User | None = None,
    note: str = "",
    source: str = "",
    **values: Any,
) -> Subscription:
    """Set the values and keep record of what they were; BadRequest_400 for a move that is not legal.

    The service looks at the subscription again at once, to see what lies ahead.
    """
    is_new = subscription._state.adding
    before = {} if is_new else _shown(subscription)
    target = values.get("status", subscription.status)
    if target not in (FIRST if is_new else MOVES[subscription.status]):
        raise NamedError(
            "BadRequest_400", f"status: a subscription that is {subscription.status} cannot become {target}"
        )
    ends = _ends(subscription)
    for name, value in values.items():
        setattr(subscription, name, value)
    now = timezone.now()
    subscription.look_at = now if subscription.status in OPEN and any(_ends(subscription)) else None
    if subscription.looked_at is None or ends != _ends(subscription):
        subscription.looked_at = now  # another end has reminders of its own
    subscription.save()
    after = _shown(subscription)
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
    return subscription


def _ends(subscription: Subscription) -> tuple[datetime | None, datetime | None]:
    return subscription.ends_at, subscription.period_end


def _shown(subscription: Subscription) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in SHOWN:
        value = getattr(subscription, name)
        shown[name] = value.isoformat() if isinstance(value, datetime) else value
    shown["plan"] = subscription.plan.name if subscription.plan else None
    return shown


def closing(period_end: datetime | None, *, status: str = Status.ACTIVE, cancelling: bool = False) -> datetime | None:
    """When access ends if nothing else happens: at the end of a trial or of what was cancelled, otherwise after the days of grace."""
    if period_end is None or cancelling or status == Status.TRIAL:
        return period_end
    return period_end + settings.GRACE_PERIOD


def check_seats(plan: Plan | None, seats: int | None) -> None:
    """PlanMinUsers_400 for fewer seats than the plan begins with or the company uses, PlanMaxUsers_400 for more than the plan has."""
    used = used_quota("member")
    least, most = (plan.min_seats, plan.max_seats) if plan else (1, None)
    if most is not None and max(seats or 0, used) > most:
        raise NamedError(
            "PlanMaxUsers_400",
            f"the plan has {most} seats; {used} are in use" + (f", and {seats} are wanted" if seats else ""),
        )
    if seats is not None and seats < max(least, used):
        raise NamedError(
            "PlanMinUsers_400",
            f"at least {max(least, used)} seats: the plan begins with {least}, and {used} are in use",
        )
