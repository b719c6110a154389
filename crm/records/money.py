"""Amounts of money, within the columns of leads and products, in currencies that are in use."""

from __future__ import annotations

from decimal import Decimal

from core.text.formats import is_currency
from crm.field_types import BadValue

DIGITS, PLACES = 18, 4
_STEP = Decimal(1).scaleb(-PLACES)
_END = Decimal(10) ** (DIGITS - PLACES)


def read_amount(value: float | int) -> Decimal:
    """Round a number to a column of 18 digits with 4 places. Raises BadValue for a negative or too large one."""
    amount = Decimal(repr(value)).quantize(_STEP) if abs(value) < _END else _END
    if amount >= _END:
        raise BadValue(f"enter at most {DIGITS - PLACES} digits before the point")
    if amount < 0:
        raise BadValue("enter 0 or more")
    return amount


def read_currency(value: str) -> str:
    """Return the ISO 4217 code of a currency in capitals. Raises BadValue for one that is not in use today."""
    code = value.strip().upper()
    if not is_currency(code):
        raise BadValue("enter the code of a currency, such as EUR")
    return code
