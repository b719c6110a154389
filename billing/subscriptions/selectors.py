"""Reads of subscriptions."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from billing.plans.models import Plan, PlanVersion
from billing.plans.versions import meter_price_of, with_terms
from billing.subscriptions.models import OPEN, Subscription


def is_open(subscription: Subscription) -> bool:
    """Tell whether the subscription gives its company access now."""
    now = timezone.now()
    ended = subscription.ends_at is not None and subscription.ends_at <= now
    return subscription.status in OPEN and subscription.starts_at <= now and not ended


def in_trial() -> bool:
    """Tell whether the active company's primary subscription is a trial."""
    found: bool = Subscription.objects.filter(is_primary=True, status=Subscription.Status.TRIAL).exists()
    return found


def primary_subscription() -> Subscription | None:
    """Return the active company's primary subscription with its plan, whatever its state."""
    found: Subscription | None = Subscription.objects.select_related("plan", "version").filter(is_primary=True).first()
    return found


def plan_held(subscription: Subscription) -> Plan | None:
    """Return the plan of a subscription with the terms that it pays for; None: everything."""
    return None if subscription.plan is None else with_terms(subscription.plan, subscription.version)


def version_at(subscription: Subscription, start: datetime) -> PlanVersion | None:
    """Return the terms that a period of the subscription's plan has which begins then; None: the present ones."""
    version = subscription.version
    ended = version is not None and version.ends_on is not None and version.ends_on <= start.date()
    return None if ended else version


def meter_price(subscription: Subscription, meter: str) -> Decimal | None:
    """Return what a unit of a meter costs the subscription beyond what it includes; None: it can have no more."""
    if subscription.plan_id is None:
        return None
    return meter_price_of(subscription.plan_id, subscription.version, meter, subscription.currency)
