"""Quotes as PDF: in the company's brand and formats, made when they are asked for."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from django.utils.translation import gettext as _

from accounts.settings.branding import mail_brand_of
from accounts.settings.formats import formats_of
from core.pdf import render_pdf
from core.text.formats import money_text, price_text
from core.types import JsonObject
from outreach.site.quotes.lines import plain, totals_of
from outreach.site.quotes.models import Quote
from outreach.site.white_label.models import WhiteLabel

TEMPLATE = Path(__file__).with_name("quote.typ")
ACCENT = "#2f5bea"


def quote_pdf(quote: Quote) -> bytes:
    """Render a quote."""
    return render_pdf(TEMPLATE, quote_data(quote))


def file_name(quote: Quote) -> str:
    """Return the name of the PDF."""
    return f"{quote.label.replace('/', '-')}.pdf"


def quote_data(quote: Quote) -> JsonObject:
    """Return the template's data, all of it as text."""
    brand = mail_brand_of(quote.company_id)
    formats = formats_of(quote.company_id)
    # The date of the offer is the day on which the customer got it.
    day = quote.sent_at or quote.created_at
    date = formats.date(day)
    lines = [
        {
            "name": line["name"],
            "description": line["description"],
            "values": [
                f"{line['quantity']} {line['unit']}".strip(),
                price_text(Decimal(line["unitPrice"]), quote.currency),
                _percent(line["discount"]),
                _percent(line["tax"]),
                money_text(Decimal(line["amount"]), quote.currency),
            ],
        }
        for line in quote.lines
    ]
    contact = quote.contact
    organization = quote.lead.organization
    buyer = [organization.name if organization else "", contact.name, contact.email]
    return {
        "kind": _("Quote"),
        "title": quote.title,
        "number": quote.label,
        "ymd": [day.year, day.month, day.day],
        "seller": brand.name,
        "accent": brand.look.accent or ACCENT,
        "logo": _logo(),
        "buyer": [text for text in buyer if text],
        "to": _("For"),
        "facts": [
            [_("Quote"), quote.label],
            [_("Date"), date],
            [_("Valid until"), formats.date(quote.valid_until)],
        ],
        "head": [_("Description"), _("Quantity"), _("Price"), _("Discount"), _("Tax"), _("Amount")],
        "lines": lines,
        "totals": total_rows(quote),
        "notes": quote.notes,
        "terms": quote.terms,
    }


def total_rows(quote: Quote) -> list[list[str]]:
    """Return the sums with their names: subtotal, discount, net, the tax of each rate, total."""
    code = quote.currency
    # From the lines and not from the columns, which know no rates.
    totals = totals_of(quote.lines, code)
    rows: list[list[str]] = []
    if totals.discount:
        rows.append([_("Subtotal"), money_text(totals.subtotal, code)])
        rows.append([_("Discount"), money_text(-totals.discount, code)])
    if totals.taxes:
        rows.append([_("Net"), money_text(totals.net, code)])
    for rate, tax in totals.taxes.items():
        rows.append([_("Tax %(rate)s%%") % {"rate": plain(rate)}, money_text(tax, code)])
    rows.append([_("Total"), money_text(totals.total, code)])
    return rows


def _percent(text: str) -> str:
    return f"{text}%" if Decimal(text) else "–"


def _logo() -> list[int]:
    """Return the bytes of the company's logo; none without one."""
    row = WhiteLabel.objects.select_related("logo").first()
    return list(bytes(row.logo.content)) if row is not None and row.logo is not None else []
