"""The lines of quotes and their sums.

Money is rounded half up to the decimals of the currency (ISO 4217): each line's price and amount, and each rate's tax
on the sum of the rate's lines. Totals are sums of rounded amounts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TypedDict

from core.errors import NamedError
from core.text.currencies import exponent
from core.types import JsonObject, Values
from crm.activities.text import one_line, several_lines
from crm.products.models import ProductService
from crm.products.selectors import live_products

MAX_LINES = 200
MAX_DESCRIPTION = 2000
MAX_AMOUNT = Decimal(10) ** 10
HUNDRED = Decimal(100)


class Line(TypedDict):
    """A line of a quote as it is stored. Amounts are decimal texts, so that none loses digits."""

    product: str | None
    name: str
    description: str
    quantity: str
    unit: str
    unitPrice: str
    discount: str
    tax: str
    amount: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of a quote, in its currency."""

    subtotal: Decimal
    discount: Decimal
    net: Decimal
    taxes: dict[Decimal, Decimal]
    """Tax rate in percent -> tax."""

    @property
    def tax(self) -> Decimal:
        return sum(self.taxes.values(), Decimal(0))

    @property
    def total(self) -> Decimal:
        return self.net + self.tax


def read_lines(given: Sequence[Values], currency: str, company_currency: str) -> list[Line]:
    """Return the given lines as they are stored. Name, description, unit and price of a product fill what is missing.

    Raises InvalidInput_400 for a line without name or with a sum that is too large, and ProductServiceNotFound_400.
    """
    if len(given) > MAX_LINES:
        raise NamedError("InvalidInput_400", f"a quote has at most {MAX_LINES} lines", field="lines")
    # One statement for the products of all lines.
    ids = {line["product"] for line in given if line.get("product")}
    products = {product.pk: product for product in live_products().filter(pk__in=ids)} if ids else {}
    lines: list[Line] = []
    for position, line in enumerate(given):
        product_id = line.get("product")
        if product_id and product_id not in products:
            raise NamedError(
                "ProductServiceNotFound_400",
                f"there is no product {product_id} in this company",
                field=f"lines.{position}.product",
            )
        usual = _usual(products[product_id], currency, company_currency) if product_id else {}
        # null means that nothing was entered, so the product fills it in.
        values = {**usual, **{name: value for name, value in line.items() if value is not None}}
        lines.append(_read_line(values, currency, f"lines.{position}"))
    return lines


def _usual(product: ProductService, currency: str, company_currency: str) -> JsonObject:
    """Return the values of a line about a product. A price in another currency is no price of the quote."""
    is_priced = product.price is not None and (product.currency or company_currency) == currency
    return {
        "name": product.name,
        "description": product.description[:MAX_DESCRIPTION],
        "unit": product.unit,
        "unit_price": product.price if is_priced else Decimal(0),
    }


def _read_line(values: Values, currency: str, place: str) -> Line:
    name = one_line(values.get("name", ""))
    if not name:
        raise NamedError("InvalidInput_400", "enter a name or choose a product", field=f"{place}.name")
    quantity: Decimal = values.get("quantity", Decimal(1))
    unit_price: Decimal = values.get("unit_price", Decimal(0))
    discount: Decimal = values.get("discount", Decimal(0))
    # Sums of 200 lines have to fit into the columns, which have 18 digits.
    if abs(quantity * unit_price) >= MAX_AMOUNT:
        raise NamedError("InvalidInput_400", "enter a smaller quantity or price", field=f"{place}.quantity")
    return Line(
        product=values.get("product"),
        name=name[:300],
        description=several_lines(values.get("description", "")),
        quantity=plain(quantity),
        unit=one_line(values.get("unit", ""))[:40],
        unitPrice=plain(unit_price),
        discount=plain(discount),
        tax=plain(values.get("tax", Decimal(0))),
        amount=plain(amount_of(quantity, unit_price, discount, currency)),
    )


def given_line(line: Values) -> JsonObject:
    """Return a stored line as requests give lines."""
    return {
        **{name: line[name] for name in ("product", "name", "description", "unit")},
        "quantity": Decimal(line["quantity"]),
        "unit_price": Decimal(line["unitPrice"]),
        "discount": Decimal(line["discount"]),
        "tax": Decimal(line["tax"]),
    }


def amount_of(quantity: Decimal, unit_price: Decimal, discount: Decimal, currency: str) -> Decimal:
    """Return the amount of a line after its discount in percent, without tax."""
    return rounded(quantity * unit_price * (HUNDRED - discount) / HUNDRED, currency)


def totals_of(lines: Sequence[Line], currency: str) -> Totals:
    """Return the sums of the stored lines."""
    subtotal = Decimal(0)
    bases: dict[Decimal, Decimal] = {}
    for line in lines:
        # Rounded by line as people check it on paper: the sum of what they see is the sum.
        subtotal += rounded(Decimal(line["quantity"]) * Decimal(line["unitPrice"]), currency)
        rate = Decimal(line["tax"])
        bases[rate] = bases.get(rate, Decimal(0)) + Decimal(line["amount"])
    net = sum(bases.values(), Decimal(0))
    # By rate and not by line, so that a rate is rounded once.
    taxes = {rate: rounded(base * rate / HUNDRED, currency) for rate, base in sorted(bases.items()) if rate}
    return Totals(subtotal, subtotal - net, net, taxes)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Round an amount half up to the decimals of the currency."""
    return amount.quantize(Decimal(1).scaleb(-exponent(currency)), ROUND_HALF_UP)


def plain(number: Decimal) -> str:
    """Write a number without trailing zeros and without an exponent."""
    return f"{number.normalize():f}" if number else "0"
