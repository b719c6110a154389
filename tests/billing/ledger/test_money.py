"""Minor units, and sharing without losing one."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction
from hypothesis import given
from hypothesis import strategies as st

from billing.ledger.money import share, to_amount, to_minor
from billing.ledger.services import balance_of, post_transaction
from tests.kit.cast import make_cast


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [("12.345", "KWD", 12345), ("1500", "JPY", 1500), ("0.005", "USD", 1), ("9.99", "EUR", 999), ("5", "AFN", 500)],
)
def test_minor_units_are_those_of_iso_4217(amount: str, currency: str, minor: int) -> None:
    assert to_minor(Decimal(amount), currency) == minor
    assert to_minor(to_amount(minor, currency), currency) == minor


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**9), min_size=1, max_size=20))
def test_shares_add_up(total: int, weights: list[int]) -> None:
    parts = share(total, weights)
    assert sum(parts) == (total if sum(weights) else 0)
    whole, pairs = sum(weights), zip(parts, weights, strict=True)
    assert all(abs(part * whole - total * weight) < max(1, whole) for part, weight in pairs)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "legs", [[("receivable", 1)], [("receivable", 5), ("revenue", -4)], [("balance", -1), ("balance", -1)]]
)
def test_what_does_not_balance_is_refused(legs: list[tuple[str, int]]) -> None:
    cast = make_cast()
    with cast.scope():
        with pytest.raises(DatabaseError, match="do not add up"), transaction.atomic():
            post_transaction("inv:1", "EUR", legs)
        post_transaction("inv:1", "EUR", [("cash:bank", 5), ("balance", -5)])
        with pytest.raises(DatabaseError), transaction.atomic():
            post_transaction("inv:1", "EUR", [("cash:bank", 5), ("balance", -5)])
        assert (balance_of("EUR"), balance_of("USD")) == (5, 0)
