"""Invoices as PDF, by typst: made when they are asked for, the same bytes each time."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from billing.invoices.models import CreditNote, Invoice
from billing.ledger.money import sum_text
from core.pdf import render_pdf
from core.text.formats import day_text
from core.types import JsonObject

TEMPLATE = Path(__file__).with_name("invoice.typ")


def invoice_pdf(invoice: Invoice) -> bytes:
    """Render an issued invoice."""
    return render_pdf(TEMPLATE, invoice_data(invoice))


def credit_note_pdf(note: CreditNote) -> bytes:
    """Render a credit note."""
    return render_pdf(TEMPLATE, credit_note_data(note))


def invoice_data(invoice: Invoice) -> JsonObject:
    """Return the template's data, all of it as text."""
    day = invoice.issued_on
    if invoice.number is None or day is None:
        raise ValueError("a draft has no PDF")
    code = invoice.currency
    lines = [
        [
            line.text,
            str(line.quantity),
            sum_text(line.unit_minor, code),
            _percent(line.tax_percent),
            sum_text(line.amount_minor, code),
        ]
        for line in invoice.lines.order_by("position")
    ]
    totals = [["Subtotal", sum_text(invoice.subtotal_minor, code)]]
    if invoice.discount_minor:
        totals.append(["Discount", sum_text(-invoice.discount_minor, code)])
    if invoice.tax_minor:
        totals.append([_tax_name(invoice), sum_text(invoice.tax_minor, code)])
    totals.append(["Total", sum_text(invoice.total_minor, code)])
    facts = [["Invoice", invoice.number], ["Date", day_text(day)]]
    if invoice.period_start and invoice.period_end:
        facts.append(["Period", f"{day_text(invoice.period_start)} to {day_text(invoice.period_end)}"])
    payment_text = f"Paid on {day_text(invoice.paid_at)}. Thank you." if invoice.paid_at else ""
    notes = [note for note in (invoice.tax_basis.get("note"), payment_text) if note]
    return {**_document("Invoice", invoice.number, day, invoice), "facts": facts, "lines": lines} | {
        "totals": totals,
        "notes": notes,
    }


def credit_note_data(note: CreditNote) -> JsonObject:
    """Return the template's data of a credit note."""
    invoice, code = note.invoice, note.currency
    net = note.amount_minor - note.tax_minor
    percents = invoice.lines.exclude(tax_minor=0).order_by("position").values_list("tax_percent", flat=True)
    text = (
        f"Credit on invoice {invoice.number}: {note.reason}" if note.reason else f"Credit on invoice {invoice.number}"
    )
    amount = sum_text(net, code)
    totals = [["Subtotal", amount]]
    if note.tax_minor:
        totals.append([_tax_name(invoice), sum_text(note.tax_minor, code)])
    totals.append(["Total credited", sum_text(note.amount_minor, code)])
    facts = [["Credit note", note.number], ["Date", day_text(note.issued_on)], ["Invoice", invoice.number or ""]]
    basis = invoice.tax_basis.get("note")
    return {**_document("Credit note", note.number, note.issued_on, invoice), "facts": facts} | {
        "lines": [[text, "1", amount, _percent(next(iter(percents), Decimal(0))), amount]],
        "totals": totals,
        "notes": [basis] if basis else [],
    }


def _document(kind: str, number: str, day: date, invoice: Invoice) -> JsonObject:
    return {
        "kind": kind,
        "number": number,
        "ymd": [day.year, day.month, day.day],
        "seller": _party(invoice.seller) or ["The operator of this service"],
        "buyer": _party(invoice.buyer),
    }


def _tax_name(invoice: Invoice) -> str:
    name = invoice.tax_basis.get("name") or "Tax"
    percent = invoice.tax_basis.get("percent")
    return f"{name} {percent}%" if percent and percent != "0" else str(name)


def _percent(percent: Decimal) -> str:
    return f"{percent.normalize():f}%" if percent else "–"


def _party(details: JsonObject) -> list[str]:
    vat = details.get("vat_id")
    parts = [details.get("name"), *str(details.get("address") or "").splitlines(), details.get("country")]
    return [str(part) for part in (*parts, f"VAT {vat}" if vat else "", details.get("email")) if part]
