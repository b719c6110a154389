"""A quote, and the parts that all quotes share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson
from django.utils import timezone

from billing.addons.services import Item, addons_to_json
from billing.coupons.models import Coupon
from billing.invoices.services import Line, get_seller
from billing.payments.attempts import proof_of
from billing.payments.settlement import usable_balance
from billing.plans.models import Currency, Plan, PlanPrice, PlanVersion
from billing.plans.versions import prices_of
from billing.subscriptions.models import Subscription
from billing.taxes.rules import Tax, tax_for
from billing.taxes.services import billing_details
from core.errors import NamedError, shorten
from core.tenancy import company_id
from core.types import JsonObject

FALLBACK = "USD"


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A quoted purchase: its lines and the amount to pay."""

    kind: str
    plan: Plan
    interval: str
    seats: int
    currency: str
    lines: tuple[Line, ...]
    from_now: bool
    period: tuple[datetime, datetime]
    coupon: Coupon | None
    credit: int
    """Part of the amount that the company's balance covers."""
    tax_of: Tax
    change: str
    scheduled: bool = False
    """It takes effect when the paid period ends. Nothing is to be paid before."""
    add_ons: tuple[Item, ...] = ()
    """The subscription's add-ons once the quote is paid."""
    charges: tuple[str, ...] = ()
    """The pending charges that it bills."""
    at: datetime = field(default_factory=timezone.now)
    """Start of the rest of a period for the calculation."""

    @property
    def subtotal(self) -> int:
        return sum(line.amount for line in self.lines)

    @property
    def discount(self) -> int:
        return sum(line.discount for line in self.lines)

    @property
    def tax(self) -> int:
        return sum(line.tax for line in self.lines)

    @property
    def total(self) -> int:
        return self.subtotal - self.discount + self.tax

    @property
    def due(self) -> int:
        return 0 if self.scheduled else self.total - self.credit

    @property
    def basis(self) -> JsonObject:
        """Return the inputs of the amount: coupon, credit, total and add-ons."""
        coupon = self.coupon.code if self.coupon else ""
        add_ons = addons_to_json(self.add_ons)
        return {"coupon": coupon, "credit": self.credit, "total": self.total, "addOns": add_ons}

    @property
    def digest(self) -> str:
        """Return a hash of the quote that a buyer has seen. The unused time shrinks constantly, so its amount is
        hashed and not its text."""
        parts = [company_id(), self.kind, self.plan.pk, self.interval, self.seats, self.currency, self.basis]
        parts.append(self.scheduled)
        return hashlib.sha256(orjson.dumps(parts)).hexdigest()

    @property
    def proof(self) -> str:
        """Return the token with which an order proves that this quote was shown."""
        return proof_of(self.digest, self.at)


def tax_of_sale() -> Tax:
    """Return the tax on the active company's payments today."""
    seller = get_seller()
    return tax_for(billing_details(), seller_country=seller.country, oss=seller.oss)


def moment_of(subscription: Subscription, at: datetime | None) -> datetime:
    """Return the time of the quote that was shown, or now if there is none or it precedes the current period."""
    start = subscription.period_start
    return timezone.now() if at is None or (start is not None and at < start) else at


def price_of(plan: Plan, version: PlanVersion | None, interval: str, currency: str) -> PlanPrice:
    """Return the plan's price for the interval in the currency. Raises BadRequest_400 if it has none."""
    price = prices_of(plan, version, interval).get(currency.upper())
    if price is None:
        is_offered = Currency.objects.filter(code=currency.upper(), is_active=True).exists()
        name = shorten(currency, 20)
        if is_offered:
            raise NamedError("BadRequest_400", f"the plan has no price for a {interval} in {name}", field="interval")
        raise NamedError("BadRequest_400", f"none is on offer called {name}", field="currency")
    return price


def with_credit(quote: Quote) -> Quote:
    """Return the quote with the part that the company's balance covers."""
    return replace(quote, credit=min(quote.total, usable_balance(quote.currency)))
