"""Use cases of a company's subscription: start a trial, grant, extend, change, cancel, activate and expire it.

All of them work on the primary subscription and take the company's id. `by` is the staff member; None is the service.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Member, User
from billing.plans.models import Plan
from billing.subscriptions.changes import (
    Action,
    Status,
    access_end,
    apply_change,
    check_seats,
    lock_primary,
    require_subscription,
)
from billing.subscriptions.models import Subscription
from billing.subscriptions.periods import period_after
from billing.subscriptions.selectors import subscribed_plan
from core.access.meters import METERS
from core.errors import NamedError, ValidationFailed, shorten
from core.tenancy import company_id as active_company
from core.tenancy import unscoped
from core.text.formats import moment_text
from core.types import JsonObject


@transaction.atomic
def start_trial(*, company_id: str, user: User) -> Subscription:
    """Create the company's first subscription, to the trial plan. Each user has one trial.

    Raises FreePlanAlreadyUsed_400 when the user has had a trial in any company or the company has a subscription, and
    PlanNotFound_400 when no trial plan exists.
    """
    # The user is locked and not just the company: one person could start trials in two companies at once.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    with lock_primary(company_id) as primary:
        if primary is not None or had_trial(user):
            raise NamedError("FreePlanAlreadyUsed_400", "a person has one trial; subscribe to a plan to go on")
        plan = Plan.objects.filter(is_trial=True).first()
        if plan is None:
            raise NamedError("PlanNotFound_400", "no plan is offered as a trial")
        now = timezone.now()
        end = now + timedelta(days=plan.trial_days)
        values: JsonObject = {
            "status": Status.TRIAL,
            "plan": plan,
            "trial_user": user,
            "period_start": now,
            "period_end": end,
            "ends_at": end,
        }
        return apply_change(Subscription(company_id=company_id, starts_at=now), Action.STARTED, **values)


def had_trial(user: User) -> bool:
    """Return whether the user has used their one trial."""
    with unscoped(reason="trials: one for each person, in whatever company"):
        return bool(Subscription.objects.filter(trial_user=user).exists())


def provision_subscription() -> None:
    """Give the active, new company a trial, or an expired subscription if its owner has had one.

    It changes nothing for a company without an owner or with a subscription (core.tenancy.provisioning). One exception:
    a trial that a grant replaced in an earlier version becomes available to its owner again.
    """
    replaced = Subscription.objects.filter(
        trial_user__isnull=False, changes__action=Action.GRANTED, changes__before__status=Status.TRIAL
    )
    # The person did not use that trial up. Staff replaced it before it ended.
    replaced.exclude(status=Status.TRIAL).update(trial_user=None)
    owner = (
        Member.objects.filter(status=Member.Status.OWNER).select_related("user").order_by("created_at", "pk").first()
    )
    if owner is None or owner.user is None or Subscription.objects.filter(is_primary=True).exists():
        return
    try:
        start_trial(company_id=active_company(), user=owner.user)
    except NamedError as refusal:
        # The owner has used their trial. Orders extend a subscription, so the company gets one without a trial.
        with lock_primary(active_company()) as primary:
            if primary is None:
                now = timezone.now()
                fresh = Subscription(company_id=active_company(), starts_at=now)
                apply_change(fresh, Action.STARTED, note=refusal.detail[:300], status=Status.EXPIRED, ends_at=now)


def grant_subscription(
    *,
    company_id: str,
    plan: Plan | None,
    interval: str = "",
    seats: int | None = None,
    until: datetime | None = None,
    currency: str = "",
    by: User | None = None,
    note: str = "",
) -> Subscription:
    """Activate a subscription from now on, in any state: to the plan, or to everything with plan None.

    A trial that it replaces does not count as one. It lasts for one interval or until `until`; with neither it has no
    end. The subscription loses its own modules and limits.

    Raises PlanMinUsers_400 or PlanMaxUsers_400 for seats that do not fit, ValidationFailed for an end in the past.
    """
    now = timezone.now()
    if until is not None and until <= now:
        raise ValidationFailed("until has passed", "enter a time in the future, or leave it empty", field="until")
    end = until or (period_after(now, interval, now.day) if interval else None)
    # Without a subscription this locks the company: two grants must not both create one.
    with lock_primary(company_id) as primary:
        check_seats(plan, seats)
        subscription = primary or Subscription(company_id=company_id, starts_at=now)
        values: JsonObject = {
            "status": Status.ACTIVE,
            "plan": plan,
            "interval": interval,
            "currency": currency,
            "seats": seats,
            "starts_at": min(subscription.starts_at, now),
            "period_start": now,
            "period_end": end,
            "period_day": (until or now).day,
            "ends_at": access_end(end),
            "cancel_at_period_end": False,
            # A grant replaces all that was agreed before, including a pause and
            # terms for this company alone.
            "paused_at": None,
            "paused_until": None,
            "modules": None,
            "limits": {},
            **_released_trial_values(subscription),
        }
        return apply_change(subscription, Action.GRANTED, by=by, note=note, **values)


def extend_subscription(*, company_id: str, until: datetime, by: User | None = None, note: str = "") -> Subscription:
    """Extend the trial or the period. An expired subscription opens again, an expired trial as a trial.

    Raises SubscriptionNotFound_400, BadRequest_400 for a cancelled one or one without an end, and ValidationFailed for
    a time that is not later.
    """
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        if subscription.status in (Status.CANCELLED, Status.PAUSED):
            raise NamedError("BadRequest_400", f"the subscription is {subscription.status}; grant or resume it first")
        expired = subscription.status == Status.EXPIRED
        # An expired subscription is extended from when its access ended, since its
        # period may have ended long before.
        end = subscription.ends_at if expired else subscription.period_end or subscription.ends_at
        if end is None:
            raise NamedError("BadRequest_400", "the subscription has no end that could be moved")
        if until <= max(end, timezone.now()):
            raise ValidationFailed("until is not later", f"enter a time after {moment_text(end)}", field="until")
        was_trial = expired and subscription.plan is not None and subscription.plan.is_trial
        status = Status.TRIAL if was_trial or subscription.status == Status.TRIAL else Status.ACTIVE
        ends_at = access_end(until, status=status, cancelling=subscription.cancel_at_period_end)
        values: JsonObject = {"status": status, "period_end": until, "period_day": until.day, "ends_at": ends_at}
        return apply_change(subscription, Action.EXTENDED, by=by, note=note, **values)


def change_subscription(
    *, company_id: str, plan: Plan | None = None, seats: int | None = None, by: User | None = None, note: str = ""
) -> Subscription:
    """Change the plan or the seats at once, within the current period. None keeps a value.

    Raises SubscriptionNotFound_400, BadRequest_400 with nothing to change or for one that is not open, PlanMinUsers_400
    and PlanMaxUsers_400.
    """
    if plan is None and seats is None:
        raise NamedError("BadRequest_400", "give at least one of them", field=("plan", "seats"))
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        _expect_open(subscription)
        new_plan = plan or subscription.plan
        seat_count = subscription.seats if seats is None else seats
        check_seats(plan or subscribed_plan(subscription), seat_count)
        return apply_change(subscription, Action.CHANGED, by=by, note=note, plan=new_plan, seats=seat_count)


def override_subscription(
    *, company_id: str, modules: list[str] | None, limits: dict[str, int], by: User | None = None, note: str = ""
) -> Subscription:
    """Set modules in place of the plan's (None: the plan's) and limits over the plan's.

    Raises SubscriptionNotFound_400.
    """
    with lock_primary(company_id) as primary:
        return apply_change(
            require_subscription(primary), Action.CHANGED, by=by, note=note, modules=modules, limits=limits
        )


def cap_overage(
    *, company_id: str, caps: Mapping[str, int | None], by: User | None = None, note: str = ""
) -> Subscription:
    """Set the maximum units of meters beyond those included that a company may use in a month; None: any number, at its
    price.

    Others keep theirs. Raises SubscriptionNotFound_400, and ValidationFailed for an unknown meter.
    """
    if unknown := sorted(caps.keys() - METERS.keys()):
        raise ValidationFailed(
            "no such meter", f"choose one of the meters; {shorten(unknown[0], 40)} is unknown", field="overage"
        )
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        overage = {name: most for name, most in {**subscription.overage, **caps}.items() if most is not None}
        # No change, no entry: the journal is what people read to see who changed what.
        if overage == subscription.overage:
            return subscription
        return apply_change(subscription, Action.CHANGED, by=by, note=note, overage=overage)


def cancel_subscription(
    *, company_id: str, at_period_end: bool, by: User | None = None, note: str = ""
) -> Subscription:
    """End the subscription now, or with its paid period.

    Raises SubscriptionNotFound_400, and BadRequest_400 for one that is not open.
    """
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        _expect_open(subscription)
        end = subscription.period_end
        now = timezone.now()
        if not at_period_end:
            return apply_change(
                subscription,
                Action.CANCELLED,
                by=by,
                note=note,
                status=Status.CANCELLED,
                ends_at=now,
                cancel_at_period_end=False,
            )
        is_running = subscription.status in (Status.TRIAL, Status.ACTIVE) and end is not None and end > now
        if not is_running:
            raise NamedError("BadRequest_400", "there is no paid period that it could end with; cancel it now")
        return apply_change(subscription, Action.CANCELLED, by=by, note=note, ends_at=end, cancel_at_period_end=True)


def activate_subscription(*, company_id: str, by: User | None = None, note: str = "") -> Subscription:
    """Give the company access from now on, without an end: to its plan, or to everything if it has none.

    A trial that it replaces does not count as one.
    """
    now = timezone.now()
    with lock_primary(company_id) as primary:
        subscription = primary or Subscription(company_id=company_id, starts_at=now)
        values: JsonObject = {
            "status": Status.ACTIVE,
            "starts_at": min(subscription.starts_at, now),
            "ends_at": None,
        }
        values |= {
            "period_start": now,
            "period_end": None,
            "cancel_at_period_end": False,
            **_released_trial_values(subscription),
        }
        values |= {"paused_at": None, "paused_until": None}
        return apply_change(subscription, Action.GRANTED, by=by, note=note, **values)


def _released_trial_values(subscription: Subscription) -> JsonObject:
    """Return the values that give the user of a replaced trial their trial back."""
    return {"trial_user": None} if subscription.status == Status.TRIAL else {}


def expire_subscription(*, company_id: str, by: User | None = None, note: str = "") -> Subscription:
    """End the company's access now. Raises SubscriptionNotFound_400, and BadRequest_400 where it has ended already."""
    with lock_primary(company_id) as primary:
        subscription = require_subscription(primary)
        _expect_open(subscription)
        return apply_change(
            subscription, Action.EXPIRED, by=by, note=note, status=Status.EXPIRED, ends_at=timezone.now()
        )


def mark_past_due(*, company_id: str, note: str) -> None:
    """Mark an active subscription past due within its period, because its payment was reversed. Any other one stays.

    It is open for the grace period, and no longer than before.
    """
    with lock_primary(company_id) as subscription:
        if subscription is None or subscription.status != Status.ACTIVE:
            return
        until = timezone.now() + settings.GRACE_PERIOD
        # A chargeback must not lengthen access for anybody.
        ends_at = min(until, subscription.ends_at) if subscription.ends_at else until
        apply_change(subscription, Action.PAST_DUE, note=note, status=Status.PAST_DUE, ends_at=ends_at)


def restore_period(*, company_id: str, period_end: datetime, note: str) -> None:
    """Open a subscription again whose money was taken back and has come again, while the period that it paid runs."""
    with lock_primary(company_id) as subscription:
        if subscription is None or subscription.status not in (Status.PAST_DUE, Status.EXPIRED):
            return
        # The period may have been renewed or replaced since. Then the money
        # that came back concerns another one.
        if subscription.period_end != period_end or period_end <= timezone.now():
            return
        ends_at = access_end(period_end, cancelling=subscription.cancel_at_period_end)
        apply_change(subscription, Action.EXTENDED, note=note, status=Status.ACTIVE, ends_at=ends_at)


def _expect_open(subscription: Subscription) -> None:
    if subscription.status in (Status.CANCELLED, Status.EXPIRED):
        raise NamedError("BadRequest_400", f"the subscription has ended: it is {subscription.status}")
