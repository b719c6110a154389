"""What companies are entitled to, and how much of it they use."""

from __future__ import annotations

from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from billing.plans.models import Plan
from billing.subscriptions.models import Subscription
from core.access import USAGE, Entitlement, used_quota

OPEN = (Subscription.Status.TRIAL, Subscription.Status.ACTIVE, Subscription.Status.PAST_DUE)
SEATS = "member"
"""The module whose limit is the number of seats."""

# By hand, since each request asks it: the ORM takes three times as long to build the statement as PostgreSQL to answer it.
OPEN_SUBSCRIPTION = """
SELECT subscription.modules, subscription.limits, subscription.seats, plan.modules, plan.limits, plan.max_seats
FROM billing_subscription AS subscription LEFT JOIN billing_plan AS plan ON plan.id = subscription.plan_id
WHERE subscription.company_id = %s AND subscription.is_primary AND subscription.status = ANY(%s)
    AND subscription.starts_at <= %s AND (subscription.ends_at IS NULL OR subscription.ends_at > %s)
"""


def entitlement_of(company_id: str) -> Entitlement | None:
    """The entitlement of the company's open primary subscription, or None; the company must be the active one.

    The clock decides, whether or not the subscription's status has been brought up to date.
    """
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(OPEN_SUBSCRIPTION, [company_id, list(OPEN), now, now])
        row = cursor.fetchone()
    if row is None:
        return None
    modules, limits, seats, plan_modules, plan_limits, plan_seats = row
    return overlay(_read(modules), _read(limits), seats, _read(plan_modules), _read(plan_limits), plan_seats)


def _read(value: str | None) -> Any:
    return None if value is None else orjson.loads(value)


def overlay(
    modules: list[str] | None,
    limits: dict[str, int] | None,
    seats: int | None,
    plan_modules: list[str] | None,
    plan_limits: dict[str, int] | None,
    plan_seats: int | None,
) -> Entitlement:
    """A plan's modules and limits with a subscription's own over them; seats are the limit of members."""
    own = dict(limits or {})
    if seats is not None:
        own[SEATS] = seats
    bounds = {**(plan_limits or {}), **({} if plan_seats is None else {SEATS: plan_seats}), **own}
    chosen = plan_modules if modules is None else modules
    return Entitlement(None if chosen is None else frozenset(chosen), bounds, frozenset(own))


def terms_of(subscription: Subscription) -> Entitlement:
    """What the subscription allows while it is open."""
    plan = subscription.plan or Plan(modules=None, limits={}, max_seats=None)
    return overlay(
        subscription.modules, subscription.limits, subscription.seats, plan.modules, plan.limits, plan.max_seats
    )


def is_open(subscription: Subscription) -> bool:
    """Whether it gives the company access now."""
    now = timezone.now()
    ended = subscription.ends_at is not None and subscription.ends_at <= now
    return subscription.status in OPEN and subscription.starts_at <= now and not ended


def primary_subscription() -> Subscription | None:
    """The active company's primary subscription with its plan, whatever its state."""
    return Subscription.objects.select_related("plan").filter(is_primary=True).first()


def usage_of(allowed: Entitlement) -> dict[str, tuple[int, int | None]]:
    """Module -> (how many records the active company has, how many it may have), seats and what is limited; None: no end."""
    modules = [SEATS, *sorted(name for name in allowed.limits if name in USAGE and name != SEATS)]
    return {module: (used_quota(module), allowed.limits.get(module)) for module in modules}
