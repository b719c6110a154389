"""The back office's page of the operator's revenue, with bars that need no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from billing.ledger.money import sum_text
from billing.revenue.selectors import (
    aged_receivables,
    churn_by_month,
    earned_by_month,
    last_months,
    recurring_revenue,
)
from core.backoffice.panels import render_table
from core.text.formats import month_text
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


def sections() -> list[JsonObject]:
    """Return the titled parts of the page."""
    return [
        {"title": _("Monthly recurring revenue"), "html": _recurring_table()},
        *(
            {"title": _("Revenue by month in %(currency)s") % {"currency": code}, "html": _earned_table(sums)}
            for code, sums in _earned_by_currency()
        ),
        {"title": _("Subscriptions and churn"), "html": _churn()},
        {"title": _("Outstanding invoices"), "html": _receivables_table()},
    ]


def _recurring_table() -> SafeString:
    rows = [
        (
            revenue.currency,
            f"{revenue.subscriptions:,}",
            sum_text(revenue.minor, revenue.currency),
            sum_text(revenue.year_minor, revenue.currency),
        )
        for revenue in recurring_revenue()
    ]
    return render_table(
        (_("Currency"), _("Subscriptions"), _("Per month"), _("Per year")), rows, empty=_("No paid subscriptions yet.")
    )


def _earned_by_currency() -> Iterable[tuple[str, list[tuple[str, int, str]]]]:
    for code, sums in earned_by_month().items():
        yield code, [(month_text(month), sums.get(month, 0), code) for month in last_months()]


def _earned_table(sums: Sequence[tuple[str, int, str]]) -> SafeString:
    most = max((minor for _, minor, _ in sums), default=0)
    rows = [(month, sum_text(minor, code), _bar(minor, most)) for month, minor, code in sums]
    return render_table((_("Month"), _("Net of tax and credit notes"), ""), rows)


def _churn() -> SafeString:
    months = churn_by_month()
    most = max((max(month.begun, month.ended) for month in months), default=0)
    rows = [
        (
            month_text(month.month),
            f"{month.held:,}",
            f"{month.begun:,}",
            f"{month.ended:,}",
            "–" if month.percent is None else f"{month.percent}%",
            _bar(month.ended, most),
        )
        for month in months
    ]
    return render_table((_("Month"), _("At the start"), _("New"), _("Ended"), _("Churn"), ""), rows)


def _receivables_table() -> SafeString:
    receivables = aged_receivables()
    most = max((receivable.minor for receivable in receivables), default=0)
    rows = [
        (
            receivable.currency,
            receivable.age,
            f"{receivable.invoices:,}",
            sum_text(receivable.minor, receivable.currency),
            _bar(receivable.minor, most),
        )
        for receivable in receivables
    ]
    return render_table(
        (_("Currency"), _("Overdue by"), _("Invoices"), _("Amount"), ""), rows, empty=_("No outstanding invoices.")
    )


def _bar(value: int, most: int) -> SafeString:
    """Draw a number as a part of the largest one."""
    percent = 100 * max(0, value) // most if most > 0 else 0
    return format_html(
        '<div class="backoffice-progress backoffice-bar" aria-hidden="true"><span style="width: {}%"></span></div>',
        percent,
    )
