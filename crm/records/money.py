"""Amounts of money: as many digits as the columns of leads and products hold, in currencies that are in use."""

from __future__ import annotations

from decimal import Decimal

from core.text.formats import is_currency
from crm.field_types import BadValue

DIGITS, PLACES = 18, 4
_STEP = Decimal(1).scaleb(-PLACES)
_END = Decimal(10) ** (DIGITS - PLACES)


def read_amount(value: float | int) -> Decimal:
    """A number as a column of 18 digits with 4 places holds it, rounded to these; raises BadValue for one that is negative or too large."""
    amount = Decimal(repr(value)).quantize(_STEP) if abs(value) < _END else _END
    if amount >= _END:
        raise BadValue(f"is out of range: at most {DIGITS - PLACES} digits before the point")
    if amount < 0:
        raise BadValue("cannot be negative")
    return amount


def read_currency(value: str) -> str:
    """The code of a currency of ISO 4217, in capitals; raises BadValue for one that is legal tender nowhere today."""
    code = value.strip().upper()
    if not is_currency(code):
        raise BadValue("needs the ISO 4217 code of a currency in use, such as EUR")
    return code
