"""Columns of money for lists of the back office."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from django.contrib.admin import display
from django.db.models import Model

from billing.ledger.money import sum_text


def money_column(
    name: str, description: str, *, currency: str = "currency", sorts: bool = False
) -> Callable[[Any, Model], str]:
    """Return a column, to be assigned in a ModelAdmin: an amount in minor units with its currency.

    `currency` is the path to the currency; `sorts` lets people sort by the amount.
    """
    currency_of = attrgetter(currency)

    @display(description=description, ordering=name if sorts else None)
    def render_sum(page: Any, record: Model) -> str:
        return sum_text(getattr(record, name), currency_of(record))

    return render_sum
