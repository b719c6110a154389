"""The back office's page of the operator's revenue, with bars that need no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from billing.ledger.money import to_amount
from billing.revenue.selectors import (
    aged_receivables,
    churn_by_month,
    earned_by_month,
    last_months,
    recurring_revenue,
)
from core.backoffice.panels import table


def sections() -> list[dict[str, Any]]:
    """Return the titled parts of the page."""
    return [
        {"title": "Revenue that comes back each month", "html": _recurring()},
        *({"title": f"Revenue by month, in {code}", "html": _earned(sums)} for code, sums in _earned_by_currency()),
        {"title": "Subscriptions that began and ended", "html": _churn()},
        {"title": "What companies owe", "html": _owed()},
    ]


def _recurring() -> SafeString:
    rows = [
        (
            one.currency,
            f"{one.subscriptions:,}",
            _amount(one.minor, one.currency),
            _amount(one.year_minor, one.currency),
        )
        for one in recurring_revenue()
    ]
    return table(("Currency", "Subscriptions", "A month", "A year"), rows, empty="Nobody pays yet.")


def _earned_by_currency() -> Iterable[tuple[str, list[tuple[str, int, str]]]]:
    for code, sums in earned_by_month().items():
        yield code, [(f"{month:%B %Y}", sums.get(month, 0), code) for month in last_months()]


def _earned(sums: Sequence[tuple[str, int, str]]) -> SafeString:
    most = max((minor for _, minor, _ in sums), default=0)
    rows = [(month, _amount(minor, code), _bar(minor, most)) for month, minor, code in sums]
    return table(("Month", "Net of tax and credit notes", ""), rows)


def _churn() -> SafeString:
    found = churn_by_month()
    most = max((max(one.begun, one.ended) for one in found), default=0)
    rows = [
        (
            f"{one.month:%B %Y}",
            f"{one.held:,}",
            f"{one.begun:,}",
            f"{one.ended:,}",
            "–" if one.percent is None else f"{one.percent} %",
            _bar(one.ended, most),
        )
        for one in found
    ]
    return table(("Month", "At its beginning", "Began", "Ended", "Ended of those before", ""), rows)


def _owed() -> SafeString:
    found = aged_receivables()
    most = max((one.minor for one in found), default=0)
    rows = [
        (one.currency, one.age, f"{one.invoices:,}", _amount(one.minor, one.currency), _bar(one.minor, most))
        for one in found
    ]
    return table(("Currency", "Due for", "Invoices", "Owed", ""), rows, empty="Nobody owes anything.")


def _amount(minor: int, code: str) -> str:
    return f"{to_amount(minor, code):,} {code}"


def _bar(value: int, most: int) -> SafeString:
    """Draw a number as a part of the largest one."""
    percent = 100 * max(0, value) // most if most > 0 else 0
    return format_html(
        '<div class="backoffice-progress backoffice-bar" aria-hidden="true"><span style="width: {}%"></span></div>',
        percent,
    )
