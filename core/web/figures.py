"""Figures of reports: periods by name, numbers as people read them, and how they have changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby

from django.utils.translation import gettext

from core.text.formats import Formats
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

RANGES = {
    "last7": gettext_lazy("Last 7 days"),
    "last30": gettext_lazy("Last 30 days"),
    "last90": gettext_lazy("Last 90 days"),
    "thisMonth": gettext_lazy("This month"),
    "lastMonth": gettext_lazy("Last month"),
    "custom": gettext_lazy("Custom dates"),
}
PERIODS = {**RANGES, "thisQuarter": gettext_lazy("This quarter")}
"""Periods of the report page."""
DAYS_OF = {"last7": 7, "last30": 30, "last90": 90}
MIN_FOLDED = 3
"""So many days without data, or more, are one row of a table."""


def dates_of(period: str, today: date) -> dict[str, str]:
    """Return the first and the last day of a period that has a name; none for dates of one's own."""
    if period in DAYS_OF:
        first, last = today - timedelta(days=DAYS_OF[period] - 1), today
    elif period == "thisMonth":
        first, last = today.replace(day=1), today
    elif period == "lastMonth":
        last = today.replace(day=1) - timedelta(days=1)
        first = last.replace(day=1)
    elif period == "thisQuarter":
        first, last = today.replace(month=today.month - (today.month - 1) % 3, day=1), today
    else:
        return {}
    return {"startDate": first.isoformat(), "endDate": last.isoformat()}


def dates_before(data: Values) -> dict[str, str]:
    """Return the days before a report's period, as many as it has."""
    first, last = (date.fromisoformat(str(data[name])) for name in ("startDate", "endDate"))
    days = last - first + timedelta(days=1)
    return {"startDate": (first - days).isoformat(), "endDate": (last - days).isoformat()}


def change_text(now: float | None, before: float | None, before_text: str, days: int, *, in_points: bool) -> str:
    """Describe how a number has changed since the period before, which had so many days.

    `before_text` is the number before as people read it; `in_points` for numbers that are percentages themselves.
    """
    named = {"days": days, "before": before_text}
    if now is None or before is None or now == before:
        return gettext("%(before)s in the %(days)s days before") % named
    if in_points:
        named["change"] = f"{abs(now - before):.1f}"
        if now > before:
            return gettext("▲ %(change)s points more than in the %(days)s days before (%(before)s)") % named
        return gettext("▼ %(change)s points less than in the %(days)s days before (%(before)s)") % named
    if not before:
        return gettext("▲ None in the %(days)s days before") % named
    named["change"] = f"{abs(now - before) / abs(before) * 100:.0f} %"
    if now > before:
        return gettext("▲ %(change)s more than in the %(days)s days before (%(before)s)") % named
    return gettext("▼ %(change)s less than in the %(days)s days before (%(before)s)") % named


def number_text(value: float | None, type: str, formats: Formats) -> str:
    """Write a number as people read it."""
    if value is None:
        return gettext("Unknown") if type == "percent" else "–"
    if type == "money":
        return formats.money(Decimal(str(value)))
    unit = {"percent": " %", "days": " days"}.get(type, "")
    return f"{value:,.1f}{unit}" if unit else f"{value:,}"


def folded(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the rows with each sequence of many days without data as one row that has their number."""
    table: list[JsonObject] = []
    for has_data, group in groupby(rows, key=lambda row: row["has_data"]):
        days = list(group)
        table += days if has_data or len(days) < MIN_FOLDED else [{"days_without_data": len(days)}]
    return table
