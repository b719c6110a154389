"""What companies are entitled to."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from billing.models import Subscription
from core.access import Entitlement

OPEN = (Subscription.Status.TRIAL, Subscription.Status.ACTIVE, Subscription.Status.PAST_DUE)


def entitlement_of(company_id: str) -> Entitlement | None:
    """The entitlement of the company's active primary subscription, or None; the company must be the active one."""
    now = timezone.now()
    row = (
        Subscription.objects.filter(
            Q(ends_at__isnull=True) | Q(ends_at__gt=now), company_id=company_id, is_primary=True, status__in=OPEN, starts_at__lte=now
        )
        .values_list("modules", "limits")
        .first()
    )
    if row is None:
        return None
    modules, limits = row
    return Entitlement(None if modules is None else frozenset(modules), limits)
