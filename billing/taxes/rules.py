"""Tax of a sale by the countries of seller and buyer (docs/payments.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property

from stdnum import get_cc_module

from billing.taxes.europe import EU
from billing.taxes.models import BillingDetails, TaxRate
from billing.taxes.services import tax_rate
from core.types import JsonObject

REVERSE_CHARGE = "Reverse charge: VAT is to be accounted for by the recipient (Article 196 of Directive 2006/112/EC)."


@dataclass(frozen=True, kw_only=True)
class Tax:
    """The tax of a sale, and why it is this one."""

    rule: str
    """domestic, reverse_charge, oss (the consumer's country), home (the seller's rate for consumers of the EU), or
    abroad."""
    country: str = ""
    """Country of the rate."""
    name: str = ""
    percent: Decimal = Decimal(0)
    note: str = ""
    """Note for the invoice."""
    vat_id: str = ""

    @cached_property
    def basis(self) -> JsonObject:
        """Return the form in which invoices store it."""
        return {**asdict(self), "percent": f"{self.percent.normalize():f}"}


Rates = Callable[[str], TaxRate | None]
"""Country -> its rate today."""


def tax_for(details: BillingDetails, *, seller_country: str, oss: bool, rates: Rates = tax_rate) -> Tax:
    """Return the tax on the buyer's payments today. For many buyers the caller passes `rates` with a cache.

    A buyer without a country is treated as one in the seller's country.
    """
    # Without a country the sale counts as domestic: charging no tax by mistake is the operator's loss.
    home = seller_country
    country = details.country or seller_country
    if country == home:
        return _tax_at_rate("domestic", country, rates)
    if home in EU and country in EU:
        # A valid id is what makes the buyer a business that accounts for the tax itself (Article 196).
        if is_vat_id(details.vat_id, country):
            return Tax(rule="reverse_charge", country=country, note=REVERSE_CHARGE, vat_id=details.vat_id)
        # Below the EU's threshold a seller may charge its own rate. With the one
        # stop shop it charges the consumer's.
        return _tax_at_rate("oss", country, rates) if oss else _tax_at_rate("home", home, rates)
    return _tax_at_rate("abroad", country, rates)


def is_vat_id(text: str, country: str) -> bool:
    """Return whether it can be a VAT id of the country, by its form and check digits."""
    module = get_cc_module(country.lower(), "vat") if text and country else None
    return module is not None and bool(module.is_valid(text))


def _tax_at_rate(rule: str, country: str, rates: Rates) -> Tax:
    rate = rates(country) if country else None
    if rate is None:
        return Tax(rule=rule, country=country)
    return Tax(rule=rule, country=country, name=rate.name, percent=rate.percent)
