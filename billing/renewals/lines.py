"""What the next periods cost: the lines of many subscriptions, reckoned as those of quotes are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Sum

from accounts.models import Company, CompanySettings
from billing.checkout.quotes import FALLBACK, plan_lines, taxed
from billing.invoices.services import Line, the_seller
from billing.ledger.services import BALANCE
from billing.models import BillingDetails, Plan, PlanPrice, Posting, Seller
from billing.taxes.rules import Tax, tax_for


@dataclass(frozen=True)
class MoreLines:
    """What adds lines to the next invoice, such as charges that wait to be billed.

    Both are called in the transaction that bills, with the rows of all companies. `lines` takes ids of subscriptions,
    and returns their lines before tax; `billed` takes subscription -> the invoice that they stand on.
    """

    lines: Callable[[Sequence[str]], Mapping[str, Sequence[Line]]]
    billed: Callable[[Mapping[str, str]], None]


MORE: list[MoreLines] = []


@dataclass
class Due:
    """A subscription whose next period is billed."""

    id: str
    company_id: str
    is_active: bool
    """Otherwise it is past due, and billed anew: that gives no further grace."""
    plan: Plan
    interval: str
    currency: str
    seats: int | None
    period_end: datetime
    period_day: int | None
    ends_at: datetime | None
    scheduled: dict[str, Any] | None
    lines: tuple[Line, ...] = ()
    tax: Tax | None = None
    """What its lines are taxed by."""
    priced: bool = True
    """Whether its plan has a price for the interval."""

    @property
    def total(self) -> int:
        return sum(line.amount - line.discount + line.tax for line in self.lines)


@dataclass
class Facts:
    """What is known of the companies of a batch, each read once."""

    details: dict[str, BillingDetails]
    balances: dict[tuple[str, str], int]
    own_currency: dict[str, str]
    renews: dict[str, bool]
    taxes: dict[tuple[str, str], Tax] = field(default_factory=dict)

    @classmethod
    def read(cls, companies: Sequence[str]) -> Facts:
        """Read the companies' details, balances, currencies and policies. The scope is that of all companies."""
        found = {row.company_id: row for row in BillingDetails.objects.filter(company_id__in=companies)}
        missing = [id for id in companies if id not in found]
        for company in Company.objects.filter(pk__in=missing).only("name", "email"):
            found[company.pk] = BillingDetails(company_id=company.pk, name=company.name, email=company.email or "")
        sums = Posting.objects.filter(company_id__in=companies, account=BALANCE).order_by()
        balances = sums.values_list("company_id", "currency").annotate(sum=Sum("amount_minor"))
        rows = CompanySettings.objects.filter(company_id__in=companies)
        chosen = list(rows.values_list("company_id", "currency", "subscription_policies"))
        return cls(
            found,
            {(company, code): max(0, -amount) for company, code, amount in balances},
            {company: currency for company, currency, _ in chosen},
            {company: (policies or {}).get("autoRenew", True) for company, _, policies in chosen},
        )

    def tax(self, company: str, seller: Seller) -> Tax:
        """Return the tax on what the company pays today."""
        details = self.details[company]
        buyer = (details.country, details.vat_id)
        if buyer not in self.taxes:
            self.taxes[buyer] = tax_for(details, seller_country=seller.country, oss=seller.oss)
        return self.taxes[buyer]


def reckon(batch: Sequence[Due], facts: Facts) -> None:
    """Give each subscription its lines, tax included, and the currency that they are in."""
    seller = the_seller()
    prices: dict[tuple[str, str], dict[str, PlanPrice]] = {}
    plans = {due.plan.pk for due in batch}
    rows = PlanPrice.objects.filter(plan_id__in=plans, currency__is_active=True).select_related("currency")
    for row in rows.order_by("currency__code"):
        prices.setdefault((row.plan_id, row.interval), {})[row.currency.code] = row
    more: dict[str, list[Line]] = {}
    for source in MORE:
        for id, lines in source.lines([due.id for due in batch]).items():
            more.setdefault(id, []).extend(lines)
    for due in batch:
        priced = prices.get((due.plan.pk, due.interval), {})
        wanted = (due.currency, facts.own_currency.get(due.company_id, ""), FALLBACK, *priced)
        price = next((priced[code] for code in wanted if code in priced), None)
        due.priced = price is not None
        if price is None:
            continue
        due.currency = price.currency.code
        seats = max(due.plan.min_seats, due.seats or 0)
        lines = (*plan_lines(due.plan, price, seats), *more.get(due.id, ()))
        due.tax = facts.tax(due.company_id, seller)
        due.lines = taxed(lines, due.tax)
