"""Notices to owners about limits that are nearly used up, once for each limit, level and period.

Usage is counted here hourly and not where records are created: API keys create records without limits, and imports
create many at once.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.members.notices import notify
from billing.entitlements.selectors import terms_of, usage_of
from billing.subscriptions.models import OPEN, Subscription
from billing.subscriptions.selectors import is_open
from core.access.meters import METERS
from core.tenancy import company_scope
from core.text.labels.modules import name_of

log = logging.getLogger(__name__)

BATCH = 50
EVERY = timedelta(hours=1)
LEVELS = (100, 80)
"""Percent of a limit, the highest first."""
SMALLEST = 2
"""Below, a limit is reached by the only record that there may be."""


def notify_of_usage() -> bool:
    """Check the usage of a batch of companies, each at most once an hour. Returns whether more may be waiting.

    Each check runs in one transaction with its notices, under the lock of its subscription, which stores the notices
    sent. Every notice is sent once, regardless of the number of workers and their crashes.
    """
    now = timezone.now()
    subscriptions = Subscription.objects.select_for_update(skip_locked=True, of=("self",), no_key=True).select_related(
        "plan", "version"
    )
    waiting = Q(use_looked_at=None) | Q(use_looked_at__lte=now - EVERY)
    rows = list(
        subscriptions.filter(waiting, is_primary=True, status__in=OPEN).order_by(
            F("use_looked_at").asc(nulls_first=True)
        )[:BATCH]
    )
    for row in rows:
        try:
            with transaction.atomic(), company_scope(row.company_id):
                _notify_owners(row, now)
        except Exception:  # noqa: BLE001  the edge of one company: it is looked at again later, the others continue
            log.exception("the use of subscription %s cannot be counted", row.pk)
            Subscription.objects.filter(pk=row.pk).update(use_looked_at=now)
    return len(rows) == BATCH


def level_of(used: int, limit: int | None) -> int:
    """Return the level of LEVELS that is reached, or 0."""
    if limit is None or limit < SMALLEST:
        return 0
    return next((level for level in LEVELS if used * 100 >= limit * level), 0)


def _notify_owners(subscription: Subscription, now: datetime) -> None:
    """Notify the owners of a locked subscription of limits that have reached a level since the last notice.

    A changed limit counts as a new one. A new company's initial usage, such as its roles, causes no notice.
    """
    period = subscription.period_start.isoformat() if subscription.period_start else ""
    before = subscription.use_told
    notified = dict(before["limits"]) if before.get("period") == period else {}
    is_new = subscription.use_looked_at is None and subscription.created_at > now - EVERY
    used = usage_of(terms_of(subscription)) if is_open(subscription) else {}
    for module, (number, limit) in used.items():
        level = level_of(number, limit)
        limit_then, level_then = notified.get(module, (limit, 0))
        if module in METERS and level < level_then:  # a new month
            notified[module] = [limit, level]
            level_then = level
        if level > (level_then if limit_then == limit else 0):
            notified[module] = [limit, level]
            if not is_new:
                context = {"name": name_of(module), "used": number, "limit": limit, "is_full": level == LEVELS[0]}
                context["monthly"] = module in METERS
                notify("limit.nearly_used", context, about=("plans", subscription.pk))
    subscription.use_told = {"period": period, "limits": notified}
    subscription.use_looked_at = now
    subscription.save(update_fields=["use_told", "use_looked_at"])
