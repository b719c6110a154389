"""The periods that paid orders opened, and which of them runs: a subscription's own is the last one."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from django.db.models import Q
from django.utils import timezone

from billing.payments.models import Payment
from billing.subscriptions.models import Subscription


def running_period(subscription: Subscription) -> tuple[datetime | None, datetime | None]:
    """Return the period that runs. The subscription's own is the last one that is paid, also ahead."""
    start, end = subscription.period_start, subscription.period_end
    now = timezone.now()
    # Several periods may be paid ahead. Each knows only its own order, so the chain is walked backwards.
    while start is not None and start > now:
        before = start_before(subscription, start)
        if before is None:  # given by staff, or the trial
            return (subscription.starts_at if subscription.starts_at < start else None), start
        start, end = before, start
    return start, end


def periods_left(subscription: Subscription, now: datetime) -> Fraction:
    """Return the number of periods that are left: those paid ahead, and the rest of the running one.

    Time that no order has paid for, such as of a payment that staff recorded, counts in periods as long as the next.
    """
    start = subscription.period_start
    end = subscription.period_end
    periods = Fraction(0)
    while start is not None and end is not None:
        before = start_before(subscription, start) if start > now else None
        begin = start if before is not None else now
        periods += Fraction(max(0, _seconds(begin, end)), max(1, _seconds(start, end)))
        start, end = before, start
    return periods


def _seconds(start: datetime, end: datetime) -> int:
    return int((end - start).total_seconds())


def start_before(subscription: Subscription, end: datetime) -> datetime | None:
    """Return the start of the paid period that ends at this time."""
    rows = Payment.objects.filter(subscription=subscription, status=Payment.Status.PAID, invoice__kind="cycle")
    # The order's own period counts where it has one. Orders from before it was
    # stored fall back to the invoice's.
    by_basis = Q(basis__periodEnd=end.isoformat())
    other = Q(invoice__period_end=end) & ~Q(basis__has_key="periodEnd")
    payment = rows.select_related("invoice").filter(by_basis | other).first()
    start = period_of(payment)[0] if payment else None
    return start if start is not None and start < end else None


def period_of(payment: Payment) -> tuple[datetime, datetime]:
    """Return the period of an order, which the order stores, because it starts with the payment. Seats start with
    their order."""
    invoice, basis = payment.invoice, payment.basis
    if basis.get("periodStart") and basis.get("periodEnd"):
        return datetime.fromisoformat(basis["periodStart"]), datetime.fromisoformat(basis["periodEnd"])
    start, end = invoice.period_start, invoice.period_end
    return start, end
