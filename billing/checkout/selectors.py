"""Reads of what a company buys."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from billing.coupons.models import Coupon, Redemption
from billing.invoices.models import Invoice
from billing.ledger.money import money
from core.tenancy import company_id


def visible_coupons() -> Any:
    """Return the coupons that the active company has, had or is offered, with what they are to it."""
    mine = Redemption.objects.exclude(state=Redemption.State.RELEASED)
    rows = Coupon.objects.filter(Q(offered_to_id=company_id(), is_active=True) | Q(pk__in=mine.values("coupon_id")))
    found = Redemption.objects.filter(coupon=OuterRef("pk")).order_by("-created_at").values("state")[:1]
    return rows.annotate(state=Coalesce(Subquery(found), Value("offered")))


def lines_of(invoice: Invoice) -> list[dict[str, Any]]:
    """Return an invoice's lines."""
    code = invoice.currency
    return [
        {
            "text": line.text,
            "quantity": line.quantity,
            "unit": money(line.unit_minor, code),
            "amount": money(line.amount_minor, code),
            "discount": money(line.discount_minor, code),
            "taxPercent": float(line.tax_percent),
            "tax": money(line.tax_minor, code),
        }
        for line in invoice.lines.order_by("position")
    ]
