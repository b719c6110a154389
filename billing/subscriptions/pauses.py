"""Pauses: a company that does not use the service for a while keeps its data, can read it, and pays nothing.

The rest of the paid period is kept, and continues when the subscription is resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from billing.subscriptions.changes import Action, Status, access_end, apply_change, lock_primary, require_subscription
from billing.subscriptions.models import Subscription
from billing.subscriptions.periods import months_after
from core.errors import NamedError, ValidationFailed
from core.hooks import Hook


@dataclass(frozen=True, kw_only=True)
class Pause:
    """A pause that has ended."""

    began_at: datetime
    length: timedelta


subscription_resumed: Hook[[Subscription, Pause], None] = Hook(
    __name__,
    "subscription_resumed",
    "After a paused subscription has been resumed, in that transaction. Moves other dates with its period.",
)


def pause_subscription(*, company_id: str, until: datetime, by: User | None = None, note: str = "") -> Subscription:
    """Pause an active subscription whose plan allows it, or move the end of a pause.

    Raises SubscriptionNotFound_400, BadRequest_400 where it can't be paused, and ValidationFailed for an end that is
    not to come, or later than the plan allows.
    """
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        now = timezone.now()
        began_at = subscription.paused_at or now
        months = subscription.plan.pause_months if subscription.plan else 0
        if not months:
            raise NamedError("BadRequest_400", "the plan does not allow it", field="paused")
        if not now < until <= months_after(began_at, months, began_at.day):
            raise ValidationFailed(
                "not a possible end",
                f"choose a later day, at most {months} months from the start",
                field="paused.until",
            )
        end = subscription.period_end
        is_paid = subscription.status == Status.ACTIVE and end is not None and end > now
        if subscription.status != Status.PAUSED and not is_paid:
            raise NamedError(
                "BadRequest_400", "only a subscription that is paid and active can be paused", field="paused"
            )
        # A pause would move the end that the company has chosen.
        if subscription.cancel_at_period_end:
            raise NamedError("BadRequest_400", "undo the cancellation first", field="paused")
        return apply_change(
            subscription,
            Action.PAUSED,
            by=by,
            note=note,
            status=Status.PAUSED,
            paused_at=began_at,
            paused_until=until,
            ends_at=None,
        )


def resume_subscription(*, company_id: str, by: User | None = None, note: str = "") -> Subscription:
    """Resume a paused subscription now. Raises SubscriptionNotFound_400, and BadRequest_400 for any other."""
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        if subscription.status != Status.PAUSED:
            raise NamedError("BadRequest_400", "it is not paused", field="paused")
        return resume(subscription, by=by, note=note)


def resume(subscription: Subscription, *, by: User | None = None, note: str = "") -> Subscription:
    """Resume a locked, paused subscription: its period moves by the length of the pause.

    A pause that ended unnoticed counts until its end, and no longer.
    """
    now = timezone.now()
    end = subscription.period_end
    if end is None or subscription.paused_at is None:
        raise RuntimeError(f"subscription {subscription.pk} is paused without a period")
    # The task that ends pauses may have been down. The company must not gain paid days by that.
    paused = min(now, subscription.paused_until or now) - subscription.paused_at
    start = subscription.period_start
    pause = Pause(began_at=subscription.paused_at, length=paused)
    _move_orders(subscription, subscription.paused_at, paused)
    resumed = apply_change(
        subscription,
        Action.RESUMED,
        by=by,
        note=note,
        status=Status.ACTIVE,
        period_start=start and start + paused,
        period_end=end + paused,
        period_day=(end + paused).day,
        ends_at=access_end(end + paused),
        paused_at=None,
        paused_until=None,
    )
    # Months of meters lie in a domain above this one, which listens instead of being imported.
    subscription_resumed.send(resumed, pause)
    return resumed


def _move_orders(subscription: Subscription, paused_at: datetime, by: timedelta) -> None:
    """Move the periods of paid orders that had not ended before the pause, so that their unused part stays the same.

    Orders of seats and add-ons name their period (`within`), because they start later than it.
    """
    paid_orders = subscription.payments.filter(status="paid").select_related("invoice")
    running = [(payment, *_opened_period(payment)) for payment in paid_orders]
    running = [order for order in running if order[1] and order[2] and order[2] > paused_at]
    # Seats and add-ons begin within a period and are looked up by its beginning, which moves along with them.
    cycles = {begins for payment, begins, _ in running if payment.invoice.kind == "cycle"}
    if subscription.period_start:
        cycles.add(subscription.period_start)
    for payment, begins, ends in running:
        payment.basis |= {"periodStart": (begins + by).isoformat(), "periodEnd": (ends + by).isoformat()}
        cycle_start = max((cycle for cycle in cycles if cycle <= begins), default=None)
        if payment.invoice.kind != "cycle" and cycle_start is not None:
            payment.basis["within"] = (cycle_start + by).isoformat()
        payment.save(update_fields=["basis", "updated_at"])


def _opened_period(payment: Any) -> tuple[Any, Any]:
    """Return the period that a paid order opened: its own, or else its invoice's."""
    start, end = payment.basis.get("periodStart"), payment.basis.get("periodEnd")
    if start and end:
        return datetime.fromisoformat(start), datetime.fromisoformat(end)
    return payment.invoice.period_start, payment.invoice.period_end
