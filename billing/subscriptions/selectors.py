"""Reads of subscriptions."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

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
    found: Subscription | None = Subscription.objects.select_related("plan").filter(is_primary=True).first()
    return found


def lapsed_since() -> datetime | None:
    """Return since when the active company has no access; None while it has."""
    found = primary_subscription()
    if found is None:
        return timezone.now() - timedelta(days=365)
    if is_open(found):
        return None
    ended = found.ends_at is not None and found.ends_at <= timezone.now()
    return found.ends_at if ended else found.created_at
