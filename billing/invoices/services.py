"""Drafts of invoices, and their numbers: an order shows a draft, an issued one stays for ever."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.db import connection
from django.utils import timezone

from billing.invoices.models import CreditNote, Invoice, InvoiceLine, Seller
from billing.ledger.money import exponent
from billing.ledger.services import RECEIVABLE, REVENUE, WRITE_OFF, post_transaction
from billing.subscriptions.models import Subscription
from billing.taxes.models import BillingDetails
from billing.taxes.rules import Tax
from core.events import emit
from core.text.timezones import zone_of
from core.types import JsonObject

Status = Invoice.Status
NEXT = (
    "INSERT INTO billing_invoiceseries (name, last) VALUES (%s, %s)"
    " ON CONFLICT (name) DO UPDATE SET last = billing_invoiceseries.last + excluded.last RETURNING last"
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line to be billed, in minor units."""

    text: str
    quantity: int
    unit: int
    amount: int
    discount: int = 0
    tax_percent: Decimal = Decimal(0)
    tax: int = 0


def invoice_party(source: Seller | BillingDetails) -> dict[str, str]:
    """Return a seller or a buyer as invoices keep them."""
    return {name: getattr(source, name) for name in ("name", "address", "country", "vat_id", "email")}


def get_seller() -> Seller:
    """Return the seller, with a blank name until the operator has set one."""
    return Seller.objects.first() or Seller(name="")


def create_draft(
    *,
    subscription: Subscription,
    kind: str,
    currency: str,
    lines: Sequence[Line],
    details: BillingDetails,
    period: tuple[datetime | None, datetime | None] = (None, None),
    tax: Tax | None = None,
) -> Invoice:
    """Create a draft with its lines, for the active company and in the caller's transaction.

    `tax` is the tax of the lines; the invoice stores its reason.
    """
    subtotal, discount = sum(line.amount for line in lines), sum(line.discount for line in lines)
    taxed = sum(line.tax for line in lines)
    invoice: Invoice = Invoice.objects.create(
        subscription=subscription,
        kind=kind,
        currency=currency,
        decimals=exponent(currency),
        subtotal_minor=subtotal,
        discount_minor=discount,
        tax_minor=taxed,
        total_minor=subtotal - discount + taxed,
        tax_basis=tax.basis if tax else {},
        buyer=invoice_party(details),
        period_start=period[0],
        period_end=period[1],
    )
    InvoiceLine.objects.bulk_create(
        [
            InvoiceLine(
                invoice=invoice,
                position=position,
                text=line.text[:300],
                quantity=line.quantity,
                unit_minor=line.unit,
                amount_minor=line.amount,
                discount_minor=line.discount,
                tax_percent=line.tax_percent,
                tax_minor=line.tax,
            )
            for position, line in enumerate(lines, 1)
        ]
    )
    return invoice


def issue(invoice: Invoice) -> None:
    """Give a draft its number and its day, and book it. The series is locked until the caller's transaction ends."""
    seller = get_seller()
    number, day = next_number("INV", seller)
    now = timezone.now()
    values: JsonObject = {
        "number": number,
        "issued_on": day,
        "issued_at": now,
        "due_at": now,
        "status": Status.ISSUED,
        "seller": invoice_party(seller),
    }
    # The seller is copied as well: an invoice of last year keeps the address of last year.
    for name, value in values.items():
        setattr(invoice, name, value)
    invoice.save()
    legs = legs_of(invoice.total_minor, invoice.lines.values_list("tax_percent", "tax_minor"))
    post_transaction(f"inv:{invoice.pk}", invoice.currency, legs, about=invoice.pk)
    emit("invoice.issued", [invoice.pk], payloads={invoice.pk: {"number": number}})


def legs_of(total: int, taxes: Iterable[tuple[Decimal, int]]) -> list[tuple[str, int]]:
    """Return the postings of an invoice with the taxes of its lines, each as percent and sum."""
    # One tax account for each rate: a tax return asks for the sums by rate.
    sums: dict[Decimal, int] = defaultdict(int)
    for percent, tax in taxes:
        sums[percent] += tax
    legs = [(RECEIVABLE, total), (REVENUE, sum(sums.values()) - total)]
    return legs + [(tax_account(percent), -tax) for percent, tax in sorted(sums.items())]


def tax_account(percent: Decimal) -> str:
    return f"tax:{percent.normalize():f}"


def next_number(series: str, seller: Seller) -> tuple[str, date]:
    """Take the next number of a series in the seller's year, and its day."""
    numbers, day = next_numbers(series, seller, 1)
    return numbers[0], day


def next_numbers(series: str, seller: Seller, count: int) -> tuple[list[str], date]:
    """Take the next numbers of a series in the seller's year, and their day. Both rise together, since the row of the
    series is locked until the transaction ends.

    The clock is read after the lock has been taken.
    """
    # The seller's day and year, not UTC's: at midnight on New Year's Eve they name different series.
    zone = zone_of(seller.timezone)
    name = f"{series}-{timezone.now().astimezone(zone):%Y}"
    with connection.cursor() as cursor:
        # An upsert of a row, and no sequence: a sequence does not roll back, and invoices must have no gap.
        # The lock also makes numbers and days rise together.
        cursor.execute(NEXT, [name, count])
        (last,) = cursor.fetchone()
    numbers = [f"{name}-{number:06d}" for number in range(last - count + 1, last + 1)]
    return numbers, timezone.now().astimezone(zone).date()


def mark_paid(invoice: Invoice) -> None:
    """Mark an issued invoice as paid in full."""
    invoice.status = Status.PAID
    invoice.paid_at = timezone.now()
    invoice.save(update_fields=["status", "paid_at", "updated_at"])


def take_back(invoice: Invoice, reason: str) -> None:
    """Take an unpaid issued invoice back. The caller holds its order's lock."""
    # A credit note of zero would be a document without meaning, and its postings would be refused.
    if invoice.total_minor:
        credit_invoice(invoice, invoice.total_minor, reason)
    invoice.status = Status.CREDITED
    invoice.save(update_fields=["status", "updated_at"])


def write_off(invoice: Invoice) -> None:
    """Give an issued invoice up that will not be paid. The caller holds its order's lock."""
    amount = invoice.total_minor
    # Revenue and tax stay as they were invoiced. The loss is an account of
    # its own, for the accountant to treat.
    post_transaction(
        f"off:{invoice.pk}", invoice.currency, [(WRITE_OFF, amount), (RECEIVABLE, -amount)], about=invoice.pk
    )
    invoice.status = Status.UNCOLLECTIBLE
    invoice.save(update_fields=["status", "updated_at"])


def credit_invoice(invoice: Invoice, amount: int, reason: str) -> CreditNote:
    """Take a part of an issued invoice back, in the caller's transaction, which holds the invoice's lock.

    Tax and net go back in the proportion that they were billed in.
    """
    number, day = next_number("CN", get_seller())
    # Rounded down, so that several partial notes never credit more tax than was billed.
    tax = invoice.tax_minor * amount // invoice.total_minor
    note: CreditNote = CreditNote.objects.create(
        invoice=invoice,
        number=number,
        amount_minor=amount,
        tax_minor=tax,
        currency=invoice.currency,
        reason=reason[:300],
        issued_on=day,
    )
    # All lines of an invoice have the buyer's one rate, so the first taxed line names the account.
    percents = invoice.lines.exclude(tax_minor=0).values_list("tax_percent", flat=True)
    account = tax_account(next(iter(percents), Decimal(0)))
    legs = [(REVENUE, amount - tax), (account, tax), (RECEIVABLE, -amount)]
    post_transaction(f"note:{note.pk}", invoice.currency, legs, about=invoice.pk)
    return note
