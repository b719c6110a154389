"""What is unused of what a company has paid for its present period: never more than was paid."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q, Sum

from billing.charges.models import Charge
from billing.invoices.models import CreditNote, InvoiceLine
from billing.payments.models import Payment
from billing.subscriptions.models import Subscription
from core.errors import NamedError

Period = tuple[datetime, datetime]


def unused_of(subscription: Subscription, currency: str, now: datetime) -> int:
    """Return what is unused of the paid period, and of one that was paid ahead, net and in minor units.

    What was taken off an order for the time before it counts as paid: that was paid then. Refunds don't. Raises
    BadRequest_400 where something was paid in another currency.
    """
    start, found = subscription.period_start, 0
    while start is not None:
        payments = _begun_at(subscription, start)
        if any(payment.currency != currency for payment in payments):
            raise NamedError("BadRequest_400", f"currency: the present period is paid in {payments[0].currency}")
        values = _values(payments)
        for payment in payments:
            begins, ends = _period(payment)
            left, whole = (ends - max(now, begins)).total_seconds(), (ends - begins).total_seconds()
            found += values[payment.invoice_id] * max(0, int(left)) // max(1, int(whole))
        start = _start_before(subscription, start) if start > now else None
    return found


def _begun_at(subscription: Subscription, start: datetime) -> list[Payment]:
    """Return the paid orders of the period that began at a moment, those of seats within it among them."""
    rows = Payment.objects.filter(subscription=subscription, status=Payment.Status.PAID).select_related("invoice")
    known = Q(basis__periodStart=start.isoformat()) | Q(basis__within=start.isoformat())
    other = Q(invoice__period_start__gte=start) & ~Q(basis__has_key="periodStart")
    return list(rows.filter(known | other).order_by("paid_at", "pk"))


def _start_before(subscription: Subscription, end: datetime) -> datetime | None:
    """Return when the paid period began that ends at a moment."""
    rows = Payment.objects.filter(subscription=subscription, status=Payment.Status.PAID, invoice__kind="cycle")
    known = Q(basis__periodEnd=end.isoformat())
    other = Q(invoice__period_end=end) & ~Q(basis__has_key="periodEnd")
    found = rows.select_related("invoice").filter(known | other).first()
    start = _period(found)[0] if found else None
    return start if start is not None and start < end else None


def _period(payment: Payment) -> Period:
    """Return what an order opened: orders keep it, since it begins with the payment. Seats do so with their order."""
    invoice, basis = payment.invoice, payment.basis
    if basis.get("periodStart") and basis.get("periodEnd"):
        return datetime.fromisoformat(basis["periodStart"]), datetime.fromisoformat(basis["periodEnd"])
    start, end = invoice.period_start, invoice.period_end
    return start, end


def _values(payments: Sequence[Payment]) -> dict[str, int]:
    """Return invoice -> what its period or seats are worth: its lines after discount, less what they bill of use before
    and what was credited since."""
    invoices = [payment.invoice_id for payment in payments]
    lines = InvoiceLine.objects.filter(invoice_id__in=invoices, amount_minor__gt=0).order_by().values("invoice_id")
    found: dict[str, int] = dict.fromkeys(invoices, 0)
    worth = lines.annotate(worth=Sum(F("amount_minor") - F("discount_minor")))
    found.update(worth.values_list("invoice_id", "worth"))
    charges = Charge.objects.filter(invoice_id__in=invoices, amount_minor__gt=0).order_by().values("invoice_id")
    for invoice, used in charges.annotate(used=Sum("amount_minor")).values_list("invoice_id", "used"):
        found[invoice] -= used
    notes: Any = CreditNote.objects.filter(invoice_id__in=invoices).order_by().values("invoice_id")
    gone = notes.annotate(gone=Sum(F("amount_minor") - F("tax_minor"))).values_list("invoice_id", "gone")
    for invoice, back in gone:
        found[invoice] = max(0, found[invoice] - back)
    return found
