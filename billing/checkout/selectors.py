"""Reads for a company's purchases."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from accounts.roles.permissions import MODULES
from billing.coupons.models import Coupon, Redemption
from billing.entitlements.selectors import overlay, terms_of, usage_of
from billing.invoices.models import Invoice
from billing.ledger.money import money
from billing.plans.models import Plan
from billing.subscriptions.selectors import is_open, primary_subscription
from core.tenancy import company_id
from core.types import JsonObject


def visible_coupons() -> Any:
    """Return the coupons that the active company has, had or is offered, with their states."""
    mine = Redemption.objects.exclude(state=Redemption.State.RELEASED)
    rows = Coupon.objects.filter(Q(offered_to_id=company_id(), is_active=True) | Q(pk__in=mine.values("coupon_id")))
    newest_state = mine.filter(coupon=OuterRef("pk")).order_by("-created_at").values("state")[:1]
    return rows.annotate(state=Coalesce(Subquery(newest_state), Value("offered")))


def visible_invoices() -> Any:
    """Return the active company's invoices, without drafts of orders that were left."""
    return Invoice.objects.exclude(status=Invoice.Status.VOID)


def losses_of(plan: Plan, seats: int) -> JsonObject:
    """Return the modules and limits that the active company would lose by a plan.

    Nothing is deleted: records above a limit stay, and no more can be added.
    """
    subscription = primary_subscription()
    now = terms_of(subscription) if subscription is not None and is_open(subscription) else None
    then = overlay(None, None, seats, plan.modules, plan.limits, plan.max_seats)
    had: set[str] = set()
    if now is not None:
        had = set(MODULES if now.modules is None else now.modules)
    remaining_modules = had if then.modules is None else then.modules
    limits = [
        {"module": module, "limit": limit, "used": used}
        for module, (used, limit) in usage_of(then).items()
        if limit is not None and used > limit
    ]
    return {"modules": sorted(had - set(remaining_modules)), "limits": limits}


def lines_of(invoice: Invoice) -> list[JsonObject]:
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
