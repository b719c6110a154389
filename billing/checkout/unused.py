"""The unused part of a company's payments for its current period. It never exceeds the amount paid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q, Sum

from billing.charges.models import Charge
from billing.invoices.models import CreditNote, Invoice, InvoiceLine
from billing.payments.models import Payment
from billing.payments.periods import period_of, start_before
from billing.subscriptions.models import Subscription
from core.errors import NamedError

Period = tuple[datetime, datetime]


def unused_amount(subscription: Subscription, currency: str, now: datetime) -> int:
    """Return the unused amount of the paid period, and of one that was paid ahead, net and in minor units.

    A deduction for earlier time on an order counts as paid. Later credits do not count, neither of the order itself nor
    of those whose unused time it has taken over. Raises BadRequest_400 if a payment was in another currency.
    """
    start = subscription.period_start
    total = 0
    while start is not None:
        payments = _begun_at(subscription, start)
        # No rate of exchange is stored with an order, so an amount in another currency cannot be deducted.
        if any(payment.currency != currency for payment in payments):
            raise NamedError(
                "BadRequest_400", f"the present period is paid in {payments[0].currency}", field="currency"
            )
        values = _values(payments)
        for payment in payments:
            # Rounded down for each order: the sum can never exceed what was paid.
            total += values[payment.invoice_id] * _seconds_left(payment, now) // _period_seconds(payment)
        start = start_before(subscription, start) if start > now else None
    return total


def _begun_at(subscription: Subscription, start: datetime) -> list[Payment]:
    """Return the paid orders of the period that began then, including orders of more seats."""
    rows = Payment.objects.filter(subscription=subscription, status=Payment.Status.PAID).select_related("invoice")
    # The basis says exactly which period an order has opened. Older orders
    # know only the dates of their invoice.
    by_basis = Q(basis__periodStart=start.isoformat()) | Q(basis__within=start.isoformat())
    other = Q(invoice__period_start__gte=start) & ~Q(basis__has_key="periodStart")
    return list(rows.filter(by_basis | other).order_by("paid_at", "pk"))


def _values(payments: Sequence[Payment]) -> dict[str, int]:
    """Return invoice -> the value of its period or seats: its lines after discount, without billed use and later
    credits."""
    invoices = [payment.invoice_id for payment in payments]
    # Lines below zero deduct earlier unused time. That time was paid for as
    # well, so it is not subtracted here.
    lines = InvoiceLine.objects.filter(invoice_id__in=invoices, amount_minor__gt=0).order_by().values("invoice_id")
    amounts: dict[str, int] = dict.fromkeys(invoices, 0)
    worth = lines.annotate(worth=Sum(F("amount_minor") - F("discount_minor")))
    amounts.update(worth.values_list("invoice_id", "worth"))
    charges = Charge.objects.filter(invoice_id__in=invoices, amount_minor__gt=0).order_by().values("invoice_id")
    # Use that was billed with the period has been consumed, and leaves nothing unused.
    for invoice, used in charges.annotate(used=Sum("amount_minor")).values_list("invoice_id", "used"):
        amounts[invoice] -= used
    credits = _credits(invoices)
    taken = _taken_over(payments) if payments else {}
    for payment in payments:
        id = payment.invoice_id
        # Money that was given back cannot be credited a second time by an upgrade.
        credit_sum = sum(note.amount_minor - note.tax_minor for note in credits[id])
        amounts[id] = max(0, amounts[id] - credit_sum - taken.get(payment.pk, 0))
    return amounts


def _credits(invoices: Sequence[str]) -> dict[str, list[CreditNote]]:
    """Return invoice -> its credit notes."""
    notes: dict[str, list[CreditNote]] = defaultdict(list)
    for note in CreditNote.objects.filter(invoice_id__in=invoices):
        notes[note.invoice_id].append(note)
    return notes


def _taken_over(payments: Sequence[Payment]) -> dict[str, int]:
    """Return order -> later credits on the unused time that it has taken over, at most that time's value.

    An immediate order absorbs all running orders, and what they had absorbed. A credit note on one of them reduces that
    by its unused part.
    """
    # Most orders have taken nothing over. This one query spares them the walk through the company's history.
    negative = InvoiceLine.objects.filter(invoice__in=[order.invoice_id for order in payments], amount_minor__lt=0)
    off = dict(
        negative.order_by().values("invoice_id").annotate(off=-Sum("amount_minor")).values_list("invoice_id", "off")
    )
    if not off:
        return {}
    last = max(payments, key=_payment_key)
    rows = Payment.objects.filter(subscription=last.subscription_id, status=Payment.Status.PAID)
    earlier = sorted(rows.filter(paid_at__lte=last.paid_at).select_related("invoice"), key=_payment_key)
    credits = _credits([order.invoice_id for order in earlier])
    if not credits:
        return {}
    return {
        payment.pk: min(off[payment.invoice_id], _credited_amount(payment, earlier, credits))
        for payment in payments
        if payment.invoice_id in off
    }


def _credited_amount(last: Payment, earlier: Sequence[Payment], credits: Mapping[str, Sequence[CreditNote]]) -> int:
    """Return the credits since an order was created on the time that it and earlier orders have taken over."""
    running: list[tuple[Payment, int]] = []
    for payment in earlier:
        credit_sum = 0
        # An immediate order ends all that ran before it: their credits are scaled by the absorbed time.
        if payment.from_now and payment.invoice.kind == Invoice.Kind.CYCLE:
            credit_sum = sum(
                amount * _seconds_left(order, payment.created_at) // _period_seconds(order) for order, amount in running
            )
            running = []
        if payment.pk == last.pk:
            return credit_sum
        # Earlier notes had already reduced the unused time when the order was created.
        notes = [note for note in credits.get(payment.invoice_id, ()) if note.created_at >= last.created_at]
        running.append((payment, credit_sum + sum(note.amount_minor - note.tax_minor for note in notes)))
    return 0


def _payment_key(payment: Payment) -> tuple[Any, str]:
    return payment.paid_at, payment.pk


def _seconds_left(payment: Payment, now: datetime) -> int:
    """Return the number of seconds left of an order's period."""
    begins, ends = period_of(payment)
    return max(0, int((ends - max(now, begins)).total_seconds())) if begins and ends else 0


def _period_seconds(payment: Payment) -> int:
    begins, ends = period_of(payment)
    return max(1, int((ends - begins).total_seconds())) if begins and ends else 1
