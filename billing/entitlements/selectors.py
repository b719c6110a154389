"""Reads of entitlements and of their usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson
from django.utils import timezone

from billing.plans.models import Plan
from billing.subscriptions.models import OPEN, Subscription
from billing.subscriptions.selectors import restricted_phase, subscribed_plan
from core.access import METERED, USAGE, Entitlement, EntitlementSource, used_quota
from core.tenancy.postgresql.cursors import planned_cursor
from core.types import Values

SEATS = "member"
"""The module whose limit is the number of seats."""
ALWAYS = frozenset({"plan", "settings", "company", "file"})
"""Modules of every plan: without them a company could not leave it for another, or prove a transfer."""

OPEN_STATUSES = f"{{{','.join(OPEN)}}}"
"""The statuses as an array's text: psycopg would check each one."""
# Written by hand and planned once, since each request runs it: the ORM takes three times as long to build it as
# PostgreSQL to answer it, which takes five times as long to plan it.
OPEN_SUBSCRIPTION = """
SELECT subscription.id, subscription.modules, subscription.limits, subscription.seats,
    CASE WHEN version.id IS NULL THEN plan.modules ELSE version.modules END AS plan_modules,
    coalesce(version.limits, plan.limits) AS plan_limits,
    CASE WHEN version.id IS NULL THEN plan.max_seats ELSE version.max_seats END AS plan_seats, subscription.extras,
    subscription.status, subscription.ends_at
FROM billing_subscription AS subscription LEFT JOIN billing_plan AS plan ON plan.id = subscription.plan_id
    LEFT JOIN billing_planversion AS version ON version.id = subscription.version_id
WHERE subscription.company_id = {company} AND subscription.is_primary AND subscription.status = ANY(%s)
    AND subscription.starts_at <= %s AND (subscription.ends_at IS NULL OR subscription.ends_at > %s)
"""


def entitlement_of(company_id: str) -> Entitlement | None:
    """Return the entitlement of the company's open primary subscription, or None. The company must be the active one.

    The clock decides, even before the renewals have updated the subscription's status.
    """
    with planned_cursor() as cursor:
        cursor.execute(SOURCE.select("%s"), [company_id, *SOURCE.parameters()])
        row = cursor.fetchone()
    return None if row is None else SOURCE.read(row)


def _parameters() -> list[Any]:
    now = timezone.now()
    return [OPEN_STATUSES, now, now]


def _entitlement_in(row: Sequence[Any]) -> Entitlement | None:
    id, modules, limits, seats, plan_modules, plan_limits, plan_seats, extras, status, ends_at = row
    if id is None:
        return None
    terms = (_read(plan_modules), _read(plan_limits), plan_seats)
    entitlement = overlay(_read(modules), _read(limits), seats, *terms, _read(extras))
    phase = restricted_phase(status, ends_at)
    return replace(entitlement, phase=phase) if phase else entitlement


def _read(value: str | None) -> Any:
    return None if value is None else orjson.loads(value)


SOURCE = EntitlementSource(
    of=entitlement_of,
    select=lambda company: OPEN_SUBSCRIPTION.format(company=company),
    width=10,
    parameters=_parameters,
    read=_entitlement_in,
)


def overlay(
    modules: list[str] | None,
    limits: dict[str, int] | None,
    seats: int | None,
    plan_modules: list[str] | None,
    plan_limits: dict[str, int] | None,
    plan_seats: int | None,
    extras: Values | None = None,
) -> Entitlement:
    """Combine a plan's modules and limits, and those of add-ons, with a subscription's own, which take precedence.

    Seats are the limit of members. The modules needed to buy are always included.
    """
    extras = extras or {}
    own = dict(limits or {})
    if seats is not None:
        own[SEATS] = seats
    more = extras.get("limits", {})
    included = {name: number + more.get(name, 0) for name, number in (plan_limits or {}).items()}
    bounds = {**included, **({} if plan_seats is None else {SEATS: plan_seats}), **own}
    if plan_modules is not None:
        plan_modules = [*plan_modules, *extras.get("modules", [])]
    base_modules = plan_modules if modules is None else modules
    return Entitlement(None if base_modules is None else ALWAYS.union(base_modules), bounds, frozenset(own))


def terms_of(subscription: Subscription) -> Entitlement:
    """Return the entitlement of the subscription while it is open."""
    plan = subscribed_plan(subscription) or Plan(modules=None, limits={}, max_seats=None)
    own = (subscription.modules, subscription.limits, subscription.seats)
    return overlay(*own, plan.modules, plan.limits, plan.max_seats, subscription.extras)


def usage_of(allowed: Entitlement) -> dict[str, tuple[int, int | None]]:
    """Return module -> (used, limit) of the active company, for seats and all that is limited. None: no limit."""
    module_names = USAGE.keys() | METERED.keys()
    modules = [SEATS, *sorted(name for name in allowed.limits if name in module_names and name != SEATS)]
    return {module: (used_quota(module), allowed.limits.get(module)) for module in modules}
