"""The rows that a billed period writes, as dicts of columns (billing.renewals.writer)."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from billing.addons.services import addons_to_json
from billing.invoices.services import invoice_party, legs_of
from billing.ledger.money import exponent
from billing.models import Invoice, Subscription
from billing.payments.orders import BANK_LIFE, new_order_number
from billing.renewals.lines import CompanyDetails, Due
from billing.subscriptions.periods import period_after
from core.ids import new_id
from core.types import JsonObject


def next_end(end: datetime, row: Due | Subscription) -> datetime:
    return period_after(end, row.interval, row.period_day or end.day)


def invoice_row(renewal: Due, facts: CompanyDetails, end: datetime, now: datetime) -> JsonObject:
    return {
        "id": new_id(),
        "company_id": renewal.company_id,
        "subscription_id": renewal.id,
        "kind": Invoice.Kind.CYCLE,
        "status": Invoice.Status.ISSUED,
        "currency": renewal.currency,
        "decimals": exponent(renewal.currency),
        "subtotal_minor": sum(line.amount for line in renewal.lines),
        "discount_minor": sum(line.discount for line in renewal.lines),
        "tax_minor": sum(line.tax for line in renewal.lines),
        "total_minor": renewal.total,
        "tax_basis": renewal.tax.basis if renewal.tax else {},
        # A copy: an issued invoice must not change with the company's later details.
        "buyer": invoice_party(facts.details[renewal.company_id]),
        "period_start": renewal.period_end,
        "period_end": end,
    }


def line_rows(renewal: Due, invoice: str) -> list[JsonObject]:
    return [
        {
            "company_id": renewal.company_id,
            "invoice_id": invoice,
            "position": position,
            "text": line.text[:300],
            "quantity": line.quantity,
            "unit_minor": line.unit,
            "amount_minor": line.amount,
            "discount_minor": line.discount,
            "tax_percent": line.tax_percent,
            "tax_minor": line.tax,
        }
        for position, line in enumerate(renewal.lines, 1)
    ]


def posting_rows(renewal: Due, invoice: JsonObject) -> list[JsonObject]:
    legs = legs_of(invoice["total_minor"], ((line.tax_percent, line.tax) for line in renewal.lines))
    return [
        {
            "company_id": renewal.company_id,
            "tx": f"inv:{invoice['id']}",
            "leg": leg,
            "account": account,
            "amount_minor": amount,
            "currency": renewal.currency,
            "about": invoice["id"],
        }
        for leg, (account, amount) in enumerate(legs)
        if amount
    ]


def payment_row(renewal: Due, id: str, invoice: JsonObject, facts: CompanyDetails, now: datetime) -> JsonObject:
    total = invoice["total_minor"]
    # The balance is not taken yet: the settlement posts it when the order is paid.
    credit = min(total, facts.balances.get((renewal.company_id, renewal.currency), 0))
    return {
        "id": id,
        "company_id": renewal.company_id,
        "number": new_order_number(),
        "subscription_id": renewal.id,
        "invoice_id": invoice["id"],
        "amount_minor": total - credit,
        "credit_minor": credit,
        "currency": renewal.currency,
        "plan_id": renewal.plan.pk,
        "interval": renewal.interval,
        "seats": renewal.seats,
        "renews": renewal.period_end,
        "basis": {"coupon": "", "credit": credit, "total": total, "addOns": addons_to_json(renewal.items)},
        # Payable for two weeks after access has ended: a transfer that was
        # started on the last day still counts.
        "expires_at": now + settings.GRACE_PERIOD + BANK_LIFE,
    }


def change_row(renewal: Due, action: str, before: JsonObject, after: JsonObject, *, source: str = "") -> JsonObject:
    return {
        "company_id": renewal.company_id,
        "subscription_id": renewal.id,
        "action": action,
        "before": before,
        "after": after,
        "source": source,
    }


def moved_values(
    renewal: Due,
    bill_at: datetime,
    ends_at: datetime | None,
    period: tuple[datetime, datetime] | None,
    *,
    applied: bool = False,
) -> JsonObject:
    """Return the new values of a subscription; a period where it begins now."""
    values: JsonObject = {"id": renewal.id, "bill_at": bill_at, "ends_at": ends_at, "applied": applied}
    if period is None:
        return values
    return values | {
        "period_start": period[0],
        "period_end": period[1],
        "plan": renewal.plan.pk,
        "interval": renewal.interval,
        "seats": renewal.seats,
        "ends_terms": renewal.version is None,
    }
