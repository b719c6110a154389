"""Subscriptions, as support changes them by hand."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from billing.models import Subscription


@transaction.atomic
def activate_subscription(*, company_id: str) -> Subscription:
    """Open the company's doors from now on, without an end; the primary subscription is made when there is none."""
    now = timezone.now()
    found = Subscription.objects.select_for_update().filter(company_id=company_id, is_primary=True).first()
    if found is None:
        return Subscription.objects.create(company_id=company_id, status=Subscription.Status.ACTIVE, starts_at=now)
    found.status = Subscription.Status.ACTIVE
    found.starts_at = min(found.starts_at, now)
    if found.ends_at is not None and found.ends_at <= now:
        found.ends_at = None
    found.save(update_fields=["status", "starts_at", "ends_at", "updated_at"])
    return found


@transaction.atomic
def expire_subscription(*, company_id: str) -> Subscription | None:
    """Close the company's doors now; None when it has no primary subscription."""
    found = Subscription.objects.select_for_update().filter(company_id=company_id, is_primary=True).first()
    if found is None:
        return None
    found.status = Subscription.Status.EXPIRED
    found.ends_at = timezone.now()
    found.save(update_fields=["status", "ends_at", "updated_at"])
    return found
