"""Quotes of changes: preview and order share one function, so that both state the same price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import CompanySettings
from billing.addons.services import Chosen, count_addons, items_for
from billing.charges.models import Charge
from billing.charges.services import line_of
from billing.checkout.additions import quote_add_ons
from billing.checkout.lines import add_tax, apply_discount, day_text, item_lines, plan_lines, unused_lines
from billing.checkout.quote import FALLBACK, Quote, moment_of, price_of, tax_of_sale, with_credit
from billing.coupons.models import Coupon
from billing.coupons.services import usable_coupon
from billing.invoices.models import Invoice
from billing.plans.models import Plan, PlanPrice, PlanVersion
from billing.plans.versions import prices_of, with_terms
from billing.subscriptions.changes import check_seats
from billing.subscriptions.models import Subscription
from billing.subscriptions.offers import DOWNGRADE, SAME, amounts_of, change_to, paid_plan
from billing.subscriptions.periods import period_after
from billing.subscriptions.selectors import is_open, version_at
from core.access import used_quota
from core.errors import NamedError

Status = Subscription.Status
AUTO = "auto"
NOW = "now"
PERIOD_END = "periodEnd"
WHEN = (AUTO, NOW, PERIOD_END)
"""Values for the time of a change. With `auto` an upgrade takes effect now, a downgrade when the paid period ends."""


@dataclass(frozen=True, kw_only=True)
class _Timing:
    """The time of a change to a plan."""

    change: str
    scheduled: bool
    start: datetime | None
    """The end of the running period; None: the change takes effect when it is paid."""
    ahead: bool
    """The period is paid before it starts."""
    keeps_plan: bool


def quote_plan(
    subscription: Subscription,
    *,
    plan_id: str,
    interval: str = "",
    currency: str = "",
    seats: int | None = None,
    coupon_code: str = "",
    when: str = AUTO,
    add_ons: Chosen | None = None,
    pending_charges: Sequence[Charge] = (),
    at: datetime | None = None,
) -> Quote:
    """Calculate the price of a plan's period with its add-ons for the active company, and the start of the period.

    An upgrade starts when it is paid; the unused part of the paid period is deducted. A downgrade starts when the paid
    period ends, unless `when` is now.

    The same plan continues when the paid period ends. It is paid now at the company's present price, unless `when` is
    periodEnd. An expired subscription that is still open continues in the same way with another plan, because the days
    used since then must be paid. More add-ons in the same plan are bought for the rest of the period.

    A purchase that is paid now also bills `pending_charges`. `at` is the time of the quote that was shown.

    Raises PlanNotFound_400, PlanMinUsers_400, PlanMaxUsers_400, FreePlanAlreadyUsed_400, CouponInvalid_400 and
    BadRequest_400.
    """
    if subscription.status == Status.PAUSED:
        raise NamedError("BadRequest_400", "the subscription is paused; resume it first", field="planID")
    plan = _plan(plan_id, subscription)
    now = moment_of(subscription, at)
    interval = interval or subscription.interval or PlanPrice.Interval.MONTH
    timing = _timing(subscription, plan, interval, when, now)
    version = version_at(subscription, timing.start or now) if timing.keeps_plan else None
    plan = with_terms(plan, version)
    price = price_of(plan, version, interval, currency or _currency(plan, version, interval, subscription))
    code = price.currency.code
    seat_count = _seats(subscription, plan, seats, ahead=timing.ahead)
    quantities = add_ons
    if quantities is None:
        quantities = count_addons(subscription) if is_open(subscription) else {}
    keeps = timing.change == SAME and code == subscription.currency
    items = items_for(subscription, quantities, currency=code, interval=interval, keeps=keeps)
    if keeps and not timing.scheduled and add_ons is not None and _adds_add_ons(subscription, quantities):
        if coupon_code or seats not in (None, subscription.seats or plan.min_seats):
            raise NamedError("BadRequest_400", "order add-ons without seats and coupon", field="addOns")
        return quote_add_ons(subscription, plan, items, at=now)
    if timing.ahead:
        _check_ahead(subscription, plan, seat_count, add_ons)
    lines = plan_lines(plan, price, seat_count) + item_lines(items, code, interval)
    if timing.start is None and is_open(subscription):
        lines += unused_lines(subscription, code, now)
    period = _period(subscription, timing, interval, now)
    if timing.start is None and sum(line.amount for line in lines) < 0:
        raise NamedError(
            "BadRequest_400",
            "choose this plan for the end of the period",
            field="planID",
        )
    coupon = _coupon(coupon_code, plan, code, scheduled=timing.scheduled) if coupon_code else None
    tax = tax_of_sale()
    charges = [charge for charge in pending_charges if charge.currency == code and not timing.scheduled]
    billed = [*apply_discount(lines, coupon, code), *(line_of(charge) for charge in charges)]
    quote = Quote(
        kind=Invoice.Kind.CYCLE,
        plan=plan,
        interval=interval,
        seats=seat_count,
        currency=code,
        lines=add_tax(billed, tax),
        from_now=timing.start is None,
        period=period,
        coupon=coupon,
        credit=0,
        tax_of=tax,
        change=timing.change,
        scheduled=timing.scheduled,
        add_ons=tuple(items),
        charges=tuple(charge.pk for charge in charges),
        at=now,
    )
    return quote if timing.scheduled else with_credit(quote)


def _timing(subscription: Subscription, plan: Plan, interval: str, when: str, now: datetime) -> _Timing:
    """Return the kind of the change to a plan, and the start of its period."""
    present = paid_plan(subscription)
    end = subscription.period_end
    change = change_to(present, plan.pk, interval, amounts_of([plan.pk])[plan.pk])
    runs = present is not None and end is not None and end > now
    scheduled = _is_deferred(change, when, runs=runs)
    is_late = present is not None and end is not None and end <= now
    follows = (change == SAME or is_late) and subscription.period_day
    start = end if scheduled or follows else None
    return _Timing(
        change=change,
        scheduled=scheduled,
        start=start,
        ahead=start is not None and start > now and not scheduled,
        keeps_plan=present is not None and present.plan_id == plan.pk,
    )


def _period(subscription: Subscription, timing: _Timing, interval: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the period to buy. Raises BadRequest_400 if the next one is paid already."""
    start = timing.start
    if start is None:
        return now, period_after(now, interval, now.day)
    if not timing.scheduled and start > period_after(now, interval, now.day):
        raise NamedError("BadRequest_400", f"it is paid until {day_text(start)} already", field="planID")
    return start, period_after(start, interval, subscription.period_day or start.day)


def _check_ahead(subscription: Subscription, plan: Plan, seats: int, add_ons: Chosen | None) -> None:
    """Refuse other seats or fewer add-ons for a period that is paid ahead."""
    seat_count = _seats(subscription, plan, None, ahead=True)
    if seats != seat_count:
        raise NamedError(
            "BadRequest_400", f"a period is paid ahead with the {seat_count} of the running one", field="seats"
        )
    if add_ons is not None and _reduces_add_ons(subscription, add_ons):
        raise NamedError("BadRequest_400", "choose fewer for the end of the period", field="addOns")


def _seats(subscription: Subscription, plan: Plan, seats: int | None, *, ahead: bool) -> int:
    """Return the number of seats to buy. A period paid ahead keeps the current number."""
    held_now = max(subscription.seats or plan.min_seats, plan.min_seats)
    if seats is not None:
        seat_count = seats
    elif ahead:
        seat_count = held_now
    else:
        seat_count = max(plan.min_seats, used_quota("member"))
    check_seats(plan, seat_count)
    return seat_count


def _is_deferred(change: str, when: str, *, runs: bool) -> bool:
    """Return whether a change waits until the paid period has ended. Raises BadRequest_400 where none runs."""
    if when == PERIOD_END and not runs:
        raise NamedError("BadRequest_400", "no paid period runs that it could wait for", field="when")
    return when == PERIOD_END or (when == AUTO and change == DOWNGRADE and runs)


def _coupon(code: str, plan: Plan, currency: str, *, scheduled: bool) -> Coupon:
    if scheduled:
        raise NamedError("CouponInvalid_400", "use the coupon with a payment", field="couponCode")
    has_paid = Invoice.objects.filter(status=Invoice.Status.PAID, total_minor__gt=0).exists()
    return usable_coupon(code, plan=plan, currency=currency, has_paid=has_paid)


def _adds_add_ons(subscription: Subscription, quantities: Chosen) -> bool:
    """Return whether the order adds add-ons during the paid period."""
    had = count_addons(subscription)
    end = subscription.period_end
    runs = subscription.status == Status.ACTIVE and end is not None and end > timezone.now()
    return runs and any(quantity > had.get(id, 0) for id, quantity in quantities.items())


def _reduces_add_ons(subscription: Subscription, quantities: Chosen) -> bool:
    """Return whether fewer add-ons are wanted of one that the running period has: it was paid with them."""
    return any(quantities.get(id, 0) < quantity for id, quantity in count_addons(subscription).items())


def _plan(id: str, subscription: Subscription) -> Plan:
    plan = Plan.objects.filter(pk=id).first()
    if plan is None or not (plan.is_public or plan.pk == subscription.plan_id):
        raise NamedError("PlanNotFound_400", "there is no such plan on offer", field="planID")
    if plan.is_trial:
        raise NamedError("FreePlanAlreadyUsed_400", "choose a plan that is no trial", field="planID")
    return plan


def _currency(plan: Plan, version: PlanVersion | None, interval: str, subscription: Subscription) -> str:
    codes = list(prices_of(plan, version, interval))
    own = CompanySettings.objects.values_list("currency", flat=True).first() or ""
    return next((code for code in (subscription.currency, own, FALLBACK, *codes) if code in codes), FALLBACK)
