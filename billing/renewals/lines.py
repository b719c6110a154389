"""Prices of next periods: the lines of many subscriptions, calculated in the same way as quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Sum

from accounts.models import Company, CompanySettings
from billing.addons.holdings import Holdings
from billing.addons.services import Chosen, Item
from billing.charges.services import bill_pending, line_of
from billing.checkout.lines import add_tax, item_lines, plan_lines
from billing.checkout.quote import FALLBACK
from billing.invoices.services import Line, get_seller
from billing.ledger.services import BALANCE
from billing.models import BillingDetails, Charge, Currency, Plan, PlanPrice, PlanVersion, Posting, Seller
from billing.plans.versions import prices_in
from billing.taxes.models import TaxRate
from billing.taxes.rules import Tax, tax_for
from billing.taxes.services import tax_rate
from core.types import JsonObject


@dataclass(kw_only=True)
class Due:
    """A subscription whose next period is billed."""

    id: str
    company_id: str
    is_active: bool
    """Otherwise it is past due and billed again, which gives no further grace period."""
    plan: Plan
    interval: str
    currency: str
    seats: int | None
    period_end: datetime
    period_day: int | None
    ends_at: datetime | None
    scheduled: JsonObject | None
    version: PlanVersion | None = None
    """The terms that it keeps; None: the plan's present ones."""
    is_same: bool = True
    """The subscription keeps its plan and interval, so its add-ons keep their prices."""
    items: Sequence[Item] = ()
    """The add-ons of the period."""
    charges: Sequence[Charge] = ()
    """Pending charges that its lines include."""
    lines: tuple[Line, ...] = ()
    tax: Tax | None = None
    """The tax on its lines."""
    priced: bool = True
    """The plan has a price for the interval."""

    @property
    def chosen(self) -> Chosen | None:
        """Return the add-ons that were chosen for the period; None: those that it has."""
        return (self.scheduled or {}).get("addOns")

    @property
    def total(self) -> int:
        return sum(line.amount - line.discount + line.tax for line in self.lines)


@dataclass(kw_only=True)
class CompanyDetails:
    """Data of the companies in a batch, each read once."""

    details: dict[str, BillingDetails]
    balances: dict[tuple[str, str], int]
    own_currency: dict[str, str]
    renews: dict[str, bool]
    taxes: dict[tuple[str, str], Tax] = field(default_factory=dict)
    rates: dict[str, TaxRate | None] = field(default_factory=dict)

    @classmethod
    def read(cls, companies: Sequence[str]) -> CompanyDetails:
        """Read the companies' details, balances, currencies and policies. The scope is that of all companies."""
        # Companies without billing details are billed by name and address of
        # mail: a missing form must not stop it.
        details = {row.company_id: row for row in BillingDetails.objects.filter(company_id__in=list(companies))}
        without_details = [id for id in companies if id not in details]
        for company in Company.objects.filter(pk__in=list(without_details)).only("name", "email"):
            details[company.pk] = BillingDetails(company_id=company.pk, name=company.name, email=company.email or "")
        sums = Posting.objects.filter(company_id__in=list(companies), account=BALANCE).order_by()
        balances = sums.values_list("company_id", "currency").annotate(sum=Sum("amount_minor"))
        rows = CompanySettings.objects.filter(company_id__in=list(companies))
        settings_rows = list(rows.values_list("company_id", "currency", "subscription_policies"))
        return cls(
            details=details,
            # The books hold a company's credit as a negative amount, since it is the operator's debt.
            balances={(company, code): max(0, -amount) for company, code, amount in balances},
            own_currency={company: currency for company, currency, _ in settings_rows},
            # Renewal is the default. Only a company that has turned it off is left to end.
            renews={company: (policies or {}).get("autoRenew", True) for company, _, policies in settings_rows},
        )

    def tax(self, company: str, seller: Seller) -> Tax:
        """Return the tax on the company's payments today."""
        details = self.details[company]
        buyer = (details.country, details.vat_id)
        if buyer not in self.taxes:
            self.taxes[buyer] = tax_for(details, seller_country=seller.country, oss=seller.oss, rates=self._rate)
        return self.taxes[buyer]

    def _rate(self, country: str) -> TaxRate | None:
        if country not in self.rates:
            self.rates[country] = tax_rate(country)
        return self.rates[country]


def compute_lines(batch: Sequence[Due], companies: CompanyDetails) -> None:
    """Give each subscription its lines, tax included, the currency that they are in, and what they bill."""
    seller = get_seller()
    ids = [renewal.id for renewal in batch]
    prices = _prices(batch)
    holdings = Holdings.read({renewal.id: renewal.chosen for renewal in batch})
    charges = bill_pending(ids)
    for renewal in batch:
        priced = prices[renewal.id]
        # The present currency comes first: the company's balance is in it, and it expects no other.
        currencies = (renewal.currency, companies.own_currency.get(renewal.company_id, ""), FALLBACK, *priced)
        price = next((priced[code] for code in currencies if code in priced), None)
        renewal.priced = price is not None
        if price is None:
            continue
        code = price.currency.code
        seats = max(renewal.plan.min_seats, renewal.seats or 0)
        # An add-on keeps the price that it was bought at. In another plan or
        # currency that price means nothing.
        keeps = renewal.is_same and code == renewal.currency
        renewal.currency = code
        renewal.items = holdings.items(
            renewal.id, renewal.chosen, interval=renewal.interval, currency=code, keeps=keeps
        )
        # An invoice has one currency. Charges in another one wait for an order that has it.
        renewal.charges = [charge for charge in charges.get(renewal.id, ()) if charge.currency == code]
        bought = plan_lines(renewal.plan, price, seats) + item_lines(renewal.items, code, renewal.interval)
        renewal.tax = companies.tax(renewal.company_id, seller)
        renewal.lines = add_tax((*bought, *(line_of(charge) for charge in renewal.charges)), renewal.tax)


def _prices(batch: Sequence[Due]) -> dict[str, dict[str, PlanPrice]]:
    """Return subscription -> currency -> the price of its next period: of the terms that it keeps, or the present."""
    present: dict[tuple[str, str], dict[str, PlanPrice]] = {}
    plans = {renewal.plan.pk for renewal in batch}
    rows = PlanPrice.objects.filter(plan_id__in=plans, currency__is_active=True).select_related("currency")
    for row in rows.order_by("currency__code"):
        present.setdefault((row.plan_id, row.interval), {})[row.currency.code] = row
    keep = any(renewal.version is not None for renewal in batch)
    currencies = list(Currency.objects.filter(is_active=True).order_by("code")) if keep else []
    prices = {}
    for renewal in batch:
        if renewal.version is None:
            prices[renewal.id] = present.get((renewal.plan.pk, renewal.interval), {})
        else:
            prices[renewal.id] = prices_in(renewal.version, renewal.plan, renewal.interval, currencies)
    return prices
