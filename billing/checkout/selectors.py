"""Reads of what a company buys, under their output names."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from billing.checkout.serializers import MethodOut, PaymentOut
from billing.coupons.models import Coupon, Redemption
from billing.entitlements.views import subscription_data
from billing.gateways.accounts import accounts_for
from billing.gateways.registry import adapter
from billing.invoices.models import Invoice
from billing.invoices.services import the_seller
from billing.ledger.models import Posting
from billing.ledger.money import money
from billing.ledger.services import BALANCE, balance_of
from billing.payments.models import Attempt, Payment, PaymentMethod
from billing.subscriptions.selectors import primary_subscription
from billing.taxes.services import billing_details
from core.tenancy import company_id

OPEN_ATTEMPTS = ("due", "working", "wrong", "unknown")
EXAMINED = "a payment is being examined; we will write to you"


def visible_coupons() -> Any:
    """Return the coupons that the active company has, had or is offered, with what they are to it."""
    mine = Redemption.objects.exclude(state=Redemption.State.RELEASED)
    rows = Coupon.objects.filter(Q(offered_to_id=company_id(), is_active=True) | Q(pk__in=mine.values("coupon_id")))
    found = Redemption.objects.filter(coupon=OuterRef("pk")).order_by("-created_at").values("state")[:1]
    return rows.annotate(state=Coalesce(Subquery(found), Value("offered")))


def ways_of(payment_id: str) -> dict[str, Any] | None:
    """Return an order with the ways to pay it, or None."""
    payment = Payment.objects.filter(pk=payment_id).first()
    found = PaymentOut.one(Payment.objects.filter(pk=payment_id))
    if payment is None or found is None:
        return None
    attempts = list(Attempt.objects.filter(payment_id=payment_id, left_at__isnull=True).order_by("-created_at", "-pk"))
    current = next((one for one in attempts if one.status in OPEN_ATTEMPTS), None)
    last = attempts[0] if attempts else None
    examined = current is not None and current.status in (Attempt.Status.WRONG, Attempt.Status.UNKNOWN)
    instructions = the_seller().bank_instructions
    is_open = payment.status == Payment.Status.OPEN
    failed = last.reason if last is not None and last.status == Attempt.Status.FAILED else ""
    return {
        **found,
        "gateways": [
            {"gateway": f"gateway-{one.letter}", "title": adapter(one.adapter).title}
            for one in (accounts_for(payment.currency) if is_open else ())
        ],
        "bank": {"instructions": instructions, "reference": payment.number} if instructions and is_open else None,
        "begun": f"gateway-{current.letter}" if current else None,
        "redirectUrl": (current.url or None) if current and not examined else None,
        "problem": EXAMINED if examined else failed,
    }


def full_subscription() -> dict[str, Any]:
    """Return the primary subscription with what is to come and how it is paid."""
    found = primary_subscription()
    order = Payment.objects.filter(status=Payment.Status.OPEN).values_list("pk", flat=True).first()
    codes = Posting.objects.filter(account=BALANCE).values_list("currency", flat=True).distinct()
    details = billing_details()
    return {
        **subscription_data(),
        "scheduledSeats": ((found.scheduled or {}).get("seats")) if found else None,
        "order": ways_of(order) if order else None,
        "paymentMethod": MethodOut.one(PaymentMethod.objects.filter(is_default=True)),
        "balance": [money(balance_of(code), code) for code in sorted(codes)],
        "billingDetails": {
            "name": details.name,
            "address": details.address,
            "country": details.country,
            "vatId": details.vat_id,
            "email": details.email,
        },
    }


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
