"""The month of a meter that a pause has interrupted continues when the subscription is resumed, with its use so far."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from math import ceil

from billing.meters.models import MeterPeriod, UsageEvent
from billing.meters.periods import month_at
from billing.subscriptions.models import Subscription
from billing.subscriptions.pauses import Pause

MOVED = ("starts_at", "ends_at", "used", "reserved", "billed")


def move_months(subscription: Subscription, pause: Pause) -> None:
    """Move the months that ran when a subscription was paused by the length of the pause, as its period is moved."""
    start = subscription.period_start or subscription.starts_at
    end, day = subscription.period_end, subscription.period_day
    begins, ends = month_at(pause.began_at + pause.length, start=start, end=end, day=day)
    after = month_at(ends, start=start, end=end, day=day)[1]
    for row in _interrupted_months(subscription, pause):
        row.starts_at = row.starts_at + pause.length
        row.ends_at = row.ends_at + pause.length
        if begins <= row.starts_at:  # months of the calendar differ in length: it may begin days later than that one
            if row.ends_at - ends > timedelta(0):
                _open_next_month(row, row.ends_at - ends, MeterPeriod(starts_at=ends, ends_at=after))
            row.starts_at = begins
            row.ends_at = ends
        # Where it begins before, what it used of the one that runs is taken off when that is opened.
        _merge_twin(row)
        row.save(update_fields=[*MOVED, "updated_at"])


def _interrupted_months(subscription: Subscription, pause: Pause) -> Sequence[MeterPeriod]:
    """Return the newest month of each meter that ran at the pause, locked."""
    rows = MeterPeriod.objects.select_for_update(no_key=True, of=("self",)).filter(
        subscription=subscription, starts_at__lte=pause.began_at, ends_at__gt=pause.began_at
    )
    return list({row.meter: row for row in rows.order_by("starts_at")}.values())


def _open_next_month(row: MeterPeriod, beyond: timedelta, later: MeterPeriod) -> None:
    """Open the month after a shortened one, without the excess use of the shortened one."""
    share = 1 - beyond / (row.ends_at - row.starts_at)
    carried = max(0, min(row.used + row.reserved, row.included) - ceil(row.included * share))
    if not carried:
        return
    same = ("company_id", "subscription_id", "meter", "allowed", "terms", "unit_amount", "currency", "is_trial")
    for name in same:
        setattr(later, name, getattr(row, name))
    later.included = max(0, row.allowed - carried)
    # A worker may have opened the month already; its row then stands.
    MeterPeriod.objects.bulk_create([later], ignore_conflicts=True)


def _merge_twin(row: MeterPeriod) -> None:
    """Merge the use during the pause into a month that now begins at the same time, and delete the other one."""
    same = {"subscription_id": row.subscription_id, "meter": row.meter, "starts_at": row.starts_at}
    for twin in MeterPeriod.objects.select_for_update(no_key=True, of=("self",)).filter(**same).exclude(pk=row.pk):
        UsageEvent.objects.filter(period=twin).update(period=row)
        row.used = row.used + twin.used
        row.reserved = row.reserved + twin.reserved
        row.billed = row.billed + twin.billed
        twin.delete()
