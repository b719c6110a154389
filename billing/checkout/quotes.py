"""Quotes of changes: preview and order share one function, so that both state the same price."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson
from django.utils import timezone

from accounts.models import CompanySettings
from billing.addons.services import Chosen, Item, held, items_for, stored
from billing.charges.models import Charge
from billing.charges.services import line_of
from billing.checkout.lines import day_text, discounted, item_lines, plan_lines, taxed, unused_lines
from billing.coupons.models import Coupon
from billing.coupons.services import usable_coupon
from billing.invoices.models import Invoice
from billing.invoices.services import Line, the_seller
from billing.ledger.money import to_minor
from billing.payments.attempts import proof_of
from billing.payments.settlement import usable_balance
from billing.plans.models import Currency, Plan, PlanPrice, PlanVersion
from billing.plans.versions import prices_of, with_terms
from billing.subscriptions.changes import check_seats
from billing.subscriptions.models import Subscription
from billing.subscriptions.offers import DOWNGRADE, SAME, UPGRADE, amounts_of, change_to, held_plan
from billing.subscriptions.periods import period_after
from billing.subscriptions.selectors import is_open, plan_held, version_at
from billing.taxes.rules import Tax, tax_for
from billing.taxes.services import billing_details
from core.access import used_quota
from core.errors import NamedError, shorten
from core.tenancy import company_id
from core.types import JsonObject

Status, Kind = Subscription.Status, Invoice.Kind
FALLBACK = "USD"
AUTO = "auto"
NOW = "now"
PERIOD_END = "periodEnd"
WHEN = (AUTO, NOW, PERIOD_END)
"""Values for the time of a change. With `auto` an upgrade takes effect now, a downgrade when the paid period ends."""


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A quoted purchase: its lines and the amount to pay."""

    kind: str
    plan: Plan
    interval: str
    seats: int
    currency: str
    lines: tuple[Line, ...]
    from_now: bool
    period: tuple[datetime, datetime]
    coupon: Coupon | None
    credit: int
    """Part of the amount that the company's balance covers."""
    tax_of: Tax
    change: str
    scheduled: bool = False
    """It takes effect when the paid period ends. Nothing is to be paid before."""
    add_ons: tuple[Item, ...] = ()
    """The subscription's add-ons once the quote is paid."""
    charges: tuple[str, ...] = ()
    """The pending charges that it bills."""
    at: datetime = field(default_factory=timezone.now)
    """Start of the rest of a period for the calculation."""

    @property
    def subtotal(self) -> int:
        return sum(line.amount for line in self.lines)

    @property
    def discount(self) -> int:
        return sum(line.discount for line in self.lines)

    @property
    def tax(self) -> int:
        return sum(line.tax for line in self.lines)

    @property
    def total(self) -> int:
        return self.subtotal - self.discount + self.tax

    @property
    def due(self) -> int:
        return 0 if self.scheduled else self.total - self.credit

    @property
    def basis(self) -> JsonObject:
        """Return the inputs of the amount: coupon, credit, total and add-ons."""
        coupon = self.coupon.code if self.coupon else ""
        add_ons = stored(self.add_ons)
        return {"coupon": coupon, "credit": self.credit, "total": self.total, "addOns": add_ons}

    @property
    def digest(self) -> str:
        """Return a hash of the quote that a buyer has seen. The unused time shrinks constantly, so its amount is
        hashed and not its text."""
        seen = [company_id(), self.kind, self.plan.pk, self.interval, self.seats, self.currency, self.basis]
        seen.append(self.scheduled)
        return hashlib.sha256(orjson.dumps(seen)).hexdigest()

    @property
    def proof(self) -> str:
        """Return the token with which an order proves that this quote was shown."""
        return proof_of(self.digest, self.at)


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
    owed: Sequence[Charge] = (),
    at: datetime | None = None,
) -> Quote:
    """Calculate the price of a plan's period with its add-ons for the active company, and the start of the period.

    An upgrade starts when it is paid; the unused part of the paid period is deducted. A downgrade starts when the paid
    period ends, unless `when` is now.

    The same plan continues when the paid period ends. It is paid now at the company's present price, unless `when` is
    periodEnd. An expired subscription that is still open continues in the same way with another plan, because the days
    used since then must be paid. More add-ons in the same plan are bought for the rest of the period.

    A purchase that is paid now also bills the pending charges (`owed`). `at` is the time of the quote that was shown.

    Raises PlanNotFound_400, PlanMinUsers_400, PlanMaxUsers_400, FreePlanAlreadyUsed_400, CouponInvalid_400 and
    BadRequest_400.
    """
    if subscription.status == Status.PAUSED:
        raise NamedError("BadRequest_400", "planID: the subscription is paused; resume it first")
    plan, now = _plan(plan_id, subscription), _moment(subscription, at)
    interval = interval or subscription.interval or PlanPrice.Interval.MONTH
    present, end = held_plan(subscription), subscription.period_end
    change = change_to(present, plan.pk, interval, amounts_of([plan.pk])[plan.pk])
    scheduled = _waits(change, when, runs=present is not None and end is not None and end > now)
    is_late = present is not None and end is not None and end <= now
    follows = (change == SAME or is_late) and subscription.period_day
    start = end if end is not None and (scheduled or follows) else None
    goes_on = present is not None and present.plan_id == plan.pk
    version = version_at(subscription, start or now) if goes_on else None
    plan = with_terms(plan, version)
    price = _price(plan, version, interval, currency or _currency(plan, version, interval, subscription))
    code = price.currency.code
    ahead = start is not None and start > now and not scheduled
    chosen = _seats(subscription, plan, seats, ahead=ahead)
    quantities = add_ons
    if quantities is None:
        quantities = held(subscription) if is_open(subscription) else {}
    keeps = change == SAME and code == subscription.currency
    items = items_for(subscription, quantities, currency=code, interval=interval, keeps=keeps)
    if keeps and not scheduled and add_ons is not None and _adds(subscription, quantities):
        if coupon_code or seats not in (None, subscription.seats or plan.min_seats):
            raise NamedError("BadRequest_400", "addOns: more of them are ordered without seats and coupon")
        return quote_add_ons(subscription, plan, items, at=now)
    if ahead and chosen != (kept := _seats(subscription, plan, None, ahead=True)):
        raise NamedError("BadRequest_400", f"seats: a period is paid ahead with the {kept} of the running one")
    if ahead and add_ons is not None and _lacks(subscription, quantities):
        raise NamedError("BadRequest_400", "addOns: fewer of them are chosen for the period's end (when: periodEnd)")
    lines = plan_lines(plan, price, chosen) + item_lines(items, code, interval)
    if start is not None:
        if not scheduled and start > period_after(now, interval, now.day):
            raise NamedError("BadRequest_400", f"planID: it is paid until {day_text(start)} already")
        period = (start, period_after(start, interval, subscription.period_day or start.day))
    else:
        period = (now, period_after(now, interval, now.day))
        if is_open(subscription):
            lines += unused_lines(subscription, code, now)
        if sum(line.amount for line in lines) < 0:
            raise NamedError(
                "BadRequest_400",
                "planID: what is paid already is worth more; choose it for the period's end (when: periodEnd)",
            )
    coupon = _coupon(coupon_code, plan, code, scheduled=scheduled) if coupon_code else None
    tax = tax_of_sale()
    charges = [charge for charge in owed if charge.currency == code and not scheduled]
    billed = taxed([*discounted(lines, coupon, code), *(line_of(charge) for charge in charges)], tax)
    quote = Quote(
        kind=Kind.CYCLE,
        plan=plan,
        interval=interval,
        seats=chosen,
        currency=code,
        lines=billed,
        from_now=start is None,
        period=period,
        coupon=coupon,
        credit=0,
        tax_of=tax,
        change=change,
        scheduled=scheduled,
        add_ons=tuple(items),
        charges=tuple(charge.pk for charge in charges),
        at=now,
    )
    return quote if scheduled else _with_credit(quote)


def _seats(subscription: Subscription, plan: Plan, seats: int | None, *, ahead: bool) -> int:
    """Return the number of seats to buy. A period paid ahead has those of the current one."""
    held_now = max(subscription.seats or plan.min_seats, plan.min_seats)
    if seats is not None:
        chosen = seats
    elif ahead:
        chosen = held_now
    else:
        chosen = max(plan.min_seats, used_quota("member"))
    check_seats(plan, chosen)
    return chosen


def _waits(change: str, when: str, *, runs: bool) -> bool:
    """Return whether a change waits until the paid period has ended. Raises BadRequest_400 where none runs."""
    if when == PERIOD_END and not runs:
        raise NamedError("BadRequest_400", "when: no paid period runs that it could wait for")
    return when == PERIOD_END or (when == AUTO and change == DOWNGRADE and runs)


def _coupon(code: str, plan: Plan, currency: str, *, scheduled: bool) -> Coupon:
    if scheduled:
        raise NamedError("CouponInvalid_400", "couponCode: a coupon is for what is paid now")
    has_paid = Invoice.objects.filter(status=Invoice.Status.PAID, total_minor__gt=0).exists()
    return usable_coupon(code, plan=plan, currency=currency, has_paid=has_paid)


def tax_of_sale() -> Tax:
    """Return the tax on the active company's payments today."""
    seller = the_seller()
    return tax_for(billing_details(), seller_country=seller.country, oss=seller.oss)


def _moment(subscription: Subscription, at: datetime | None) -> datetime:
    """Return the time of the quote that was shown, or now if there is none or it precedes the current period."""
    start = subscription.period_start
    return timezone.now() if at is None or (start is not None and at < start) else at


def quote_seats(subscription: Subscription, seats: int, *, at: datetime | None = None) -> Quote:
    """Calculate the price of more seats for the rest of the paid period.

    Raises BadRequest_400, PlanMinUsers_400 and PlanMaxUsers_400.
    """
    plan = plan_held(subscription)
    end = subscription.period_end
    start = subscription.period_start
    if not is_open(subscription) or subscription.status != Status.ACTIVE:
        raise NamedError("BadRequest_400", "seats: they are added to a subscription that is active and paid")
    if plan is None or not subscription.interval or end is None or start is None:
        raise NamedError("BadRequest_400", "this subscription has no seats to be paid for")
    check_seats(plan, seats)
    more = seats - max(subscription.seats or plan.min_seats, plan.min_seats)
    price = _price(plan, subscription.version, subscription.interval, subscription.currency or FALLBACK)
    code, now = price.currency.code, _moment(subscription, at)
    left, whole = int((end - now).total_seconds()), int((end - start).total_seconds())
    unit = -(-to_minor(price.seat_amount, code) * max(0, left) // max(1, whole))
    text = f"More seats until {day_text(end)}"
    lines = (Line(text, max(0, more), unit, unit * max(0, more)),)
    tax = tax_of_sale()
    quote = Quote(
        kind=Kind.SEATS,
        plan=plan,
        interval=subscription.interval,
        seats=seats,
        currency=code,
        lines=taxed(lines, tax),
        from_now=False,
        period=(now, end),
        coupon=None,
        credit=0,
        tax_of=tax,
        change=_change_by(more),
        at=now,
    )
    return _with_credit(quote)


def _change_by(more: int) -> str:
    """Return the kind of a change by so many seats."""
    if more > 0:
        return UPGRADE
    return SAME if more == 0 else DOWNGRADE


def quote_add_ons(
    subscription: Subscription, plan: Plan, items: Sequence[Item], *, at: datetime | None = None
) -> Quote:
    """Calculate the price of more add-ons for the rest of the paid period.

    Raises BadRequest_400 if the quantity of another add-on is lower: a reduction is ordered with the next period.
    """
    end = subscription.period_end
    start = subscription.period_start
    code = subscription.currency
    if end is None or start is None:
        raise NamedError("BadRequest_400", "addOns: this subscription has no period to be paid for")
    had = held(subscription)
    now = _moment(subscription, at)
    lines = []
    quantities = {item.add_on.pk: item.quantity for item in items}
    if any(quantities.get(id, 0) < quantity for id, quantity in had.items()):
        raise NamedError("BadRequest_400", "addOns: order more now, and fewer with the next period")
    left, whole = int((end - now).total_seconds()), int((end - start).total_seconds())
    for item in items:
        more = item.quantity - had.get(item.add_on.pk, 0)
        if more > 0:
            unit = -(-to_minor(item.unit_amount, code) * max(0, min(left, whole)) // max(1, whole))
            lines.append(Line(f"{item.add_on.name} until {day_text(end)}", more, unit, unit * more))
    seats = subscription.seats or plan.min_seats
    tax = tax_of_sale()
    quote = Quote(
        kind=Kind.ADD_ONS,
        plan=plan,
        interval=subscription.interval,
        seats=seats,
        currency=code,
        lines=taxed(lines, tax),
        from_now=False,
        period=(now, end),
        coupon=None,
        credit=0,
        tax_of=tax,
        change=UPGRADE,
        add_ons=tuple(items),
        at=now,
    )
    return _with_credit(quote)


def _adds(subscription: Subscription, quantities: Chosen) -> bool:
    """Return whether more add-ons are wanted in a paid period that runs."""
    had, end = held(subscription), subscription.period_end
    runs = subscription.status == Status.ACTIVE and end is not None and end > timezone.now()
    return runs and any(quantity > had.get(id, 0) for id, quantity in quantities.items())


def _lacks(subscription: Subscription, quantities: Chosen) -> bool:
    """Return whether fewer add-ons are wanted of one that the running period has: it was paid with them."""
    return any(quantities.get(id, 0) < quantity for id, quantity in held(subscription).items())


def _plan(id: str, subscription: Subscription) -> Plan:
    plan = Plan.objects.filter(pk=id).first()
    if plan is None or not (plan.is_public or plan.pk == subscription.plan_id):
        raise NamedError("PlanNotFound_400", "planID: there is no such plan on offer")
    if plan.is_trial:
        raise NamedError("FreePlanAlreadyUsed_400", "planID: a trial is not bought")
    return plan


def _currency(plan: Plan, version: PlanVersion | None, interval: str, subscription: Subscription) -> str:
    codes = list(prices_of(plan, version, interval))
    own = CompanySettings.objects.values_list("currency", flat=True).first() or ""
    return next((code for code in (subscription.currency, own, FALLBACK, *codes) if code in codes), FALLBACK)


def _price(plan: Plan, version: PlanVersion | None, interval: str, currency: str) -> PlanPrice:
    price = prices_of(plan, version, interval).get(currency.upper())
    if price is None:
        is_offered = Currency.objects.filter(code=currency.upper(), is_active=True).exists()
        what = (
            f"interval: the plan has no price for a {interval} in"
            if is_offered
            else "currency: none is on offer called"
        )
        raise NamedError("BadRequest_400", f"{what} {shorten(currency, 20)}")
    return price


def _with_credit(quote: Quote) -> Quote:
    return replace(quote, credit=min(quote.total, usable_balance(quote.currency)))
