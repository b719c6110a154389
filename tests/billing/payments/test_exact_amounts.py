"""Amounts that staff enter about a payment."""

from __future__ import annotations

from decimal import Decimal

import pytest

from billing.payments.admin import exact_minor
from core.errors import ValidationFailed


@pytest.mark.parametrize("amount", ["1e999", "9" * 40, "1.005", "1e-30"])
@pytest.mark.parametrize("currency", ["USD", "JPY", "KWD"])
def test_what_is_no_amount_is_refused(amount: str, currency: str) -> None:
    if (amount, currency) == ("1.005", "KWD"):
        assert exact_minor(Decimal(amount), currency) == 1005
        return
    with pytest.raises(ValidationFailed):
        exact_minor(Decimal(amount), currency)
