"""Reports as pages show them: numbers with their change, charts, and tables whose numbers lead to lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby
from urllib.parse import parse_qs

from django.utils.translation import gettext, ngettext

from core.text.formats import Formats
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Option
from core.web.lists import WITHIN
from core.web.navigation.places import REPORTS, MenuItem
from core.web.pages import Page

LISTS = {
    "lead": "leads",
    "contact": "contacts",
    "organization": "organizations",
    "genie/send-jobs": "messages",
    "ai-usage": "ai-calls",
    "lead-activity": "activities",
    "form/lead": "submissions",
    "subscription/transactions": "transactions",
    "suppression": "suppressions",
    "contact/import": "imports",
    "lead/import": "lead-imports",
    "workflow/runs": "workflow-runs",
}
"""List of the API -> the page that shows it."""
RANGES = {
    "last7": gettext_lazy("Last 7 days"),
    "last30": gettext_lazy("Last 30 days"),
    "last90": gettext_lazy("Last 90 days"),
    "thisMonth": gettext_lazy("This month"),
    "lastMonth": gettext_lazy("Last month"),
    "thisQuarter": gettext_lazy("This quarter"),
    "custom": gettext_lazy("Custom dates"),
}
CUSTOM = "custom"
MANY = 1000
"""Percent of a change from which its exact size says nothing."""
FOLDED = 2
"""Rows of zeros in succession that become one row, at least."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a number against the period before: a sign, which may be empty, and the sentence."""

    sign: str
    text: str


def options(labels: Mapping[str, str]) -> list[Option]:
    """Return the options of value -> label."""
    return [Option(value, label) for value, label in labels.items()]


def number_text(value: float | None, type: str, formats: Formats) -> str:
    """Write a number as people read it."""
    if value is None:
        return "–"
    if type == "money":
        return formats.money(Decimal(str(value)))
    if type == "percent":
        return gettext("%(number)s%%") % {"number": f"{value:,.1f}"}
    if type == "days":
        return gettext("%(number)s days") % {"number": f"{value:,.1f}"}
    return f"{value:,}"


def change_of(value: float | None, before: float | None, type: str, days: int, earlier: str = "") -> Change | None:
    """Return the change of a number against as many days before, or against the days in `earlier`.

    It is None where they cannot be compared.
    """
    if value is None or before is None:
        return None
    if earlier:
        return _change_from(value, before, type, earlier)
    if _is_same(value, before, type):
        text = ngettext("No change from the day before", "No change from the %(days)s days before", days)
        return Change("=", text % {"days": days})
    is_more = value > before
    sign = "▲" if is_more else "▼"
    if type in ("percent", "days"):
        number = f"{abs(value - before):,.1f}"
        return Change(sign, _difference(type, days, is_more=is_more) % {"number": number, "days": days})
    if not before:
        return Change("", ngettext("None the day before", "None in the %(days)s days before", days) % {"days": days})
    percent = _percent(value, before)
    if percent >= MANY:
        text = ngettext("Over ten times the day before", "Over ten times the %(days)s days before", days)
        return Change(sign, text % {"days": days})
    if is_more:
        text = ngettext(
            "%(percent)s%% more than the day before", "%(percent)s%% more than the %(days)s days before", days
        )
    else:
        text = ngettext(
            "%(percent)s%% less than the day before", "%(percent)s%% less than the %(days)s days before", days
        )
    return Change(sign, text % {"percent": f"{percent:,}", "days": days})


def _percent(value: float, before: float) -> int:
    """Return the change of a number in whole percent of a former one that is not 0."""
    return round(100 * abs(value - before) / abs(before))


def _is_same(value: float, before: float, type: str) -> bool:
    """Return whether the change would read as 0."""
    if type in ("percent", "days"):
        return round(abs(value - before), 1) == 0
    return value == before or (before != 0 and _percent(value, before) == 0)


def _change_from(value: float, before: float, type: str, earlier: str) -> Change:
    """Return the change of a number against the days in `earlier`."""
    if _is_same(value, before, type):
        return Change("=", gettext("No change from %(period)s") % {"period": earlier})
    is_more = value > before
    sign = "▲" if is_more else "▼"
    number = f"{abs(value - before):,.1f}"
    if type == "percent":
        text = gettext("%(number)s points more than %(period)s")
        text = text if is_more else gettext("%(number)s points less than %(period)s")
        return Change(sign, text % {"number": number, "period": earlier})
    if type == "days":
        text = gettext("%(number)s days more than %(period)s")
        text = text if is_more else gettext("%(number)s days less than %(period)s")
        return Change(sign, text % {"number": number, "period": earlier})
    if not before:
        return Change("", gettext("None from %(period)s") % {"period": earlier})
    percent = _percent(value, before)
    if percent >= MANY:
        text = gettext("Over ten times %(period)s")
    elif is_more:
        text = gettext("%(percent)s%% more than %(period)s")
    else:
        text = gettext("%(percent)s%% less than %(period)s")
    return Change(sign, text % {"percent": f"{percent:,}", "period": earlier})


def _difference(type: str, days: int, *, is_more: bool) -> str:
    """Return the sentence about the difference of a percentage, or of a mean of days."""
    if type == "percent" and is_more:
        return ngettext(
            "%(number)s points more than the day before", "%(number)s points more than the %(days)s days before", days
        )
    if type == "percent":
        return ngettext(
            "%(number)s points less than the day before", "%(number)s points less than the %(days)s days before", days
        )
    if is_more:
        return ngettext(
            "%(number)s days more than the day before", "%(number)s days more than the %(days)s days before", days
        )
    return ngettext(
        "%(number)s days less than the day before", "%(number)s days less than the %(days)s days before", days
    )


def grouped_title(title: str, data: Values) -> str:
    """Return the title of numbers with that of their grouping."""
    text = gettext("%(title)s by day") if data["by"] == "day" else gettext("%(title)s · %(grouping)s")
    return text % {"title": title, "grouping": data["byTitle"]}


class ReportPage(Page):
    """Shared parts of the pages of reports and dashboards."""

    module = "report"
    menu = MenuItem(
        gettext_lazy("Reports"),
        REPORTS,
        10,
        "chart-column",
        keywords=gettext_lazy("analytics statistics charts numbers"),
    )

    def picture(self, data: Values, chart: str, metric: str, most: int | None = None) -> JsonObject:
        """Return a report as templates/web/reports/picture.html draws it, with at most so many rows."""
        columns, formats = data["columns"], self.reader.formats
        shown = next((column for column in columns if column["key"] == metric), columns[0])
        by_day = data["by"] == "day"
        rows = [self.row(row, columns, shown, formats) for row in data["rows"]]
        bars = [] if by_day else [row for row in rows if row["value"]]
        lines = fold_empty_days(rows) if by_day else rows
        most = None if by_day and chart != "table" else most  # a chart has all days
        return {
            "by": data["byTitle"],
            "by_day": by_day,
            "chart": chart,
            "title": data["title"],
            "heading": grouped_title(shown["title"], data),
            "caption": grouped_title(data["title"], data),
            "names": [shown["title"]],
            "total": number_text(data["totals"][shown["key"]], shown["type"], formats),
            "days": [(date.fromisoformat(row["key"]), [row["value"]]) for row in rows] if by_day else [],
            "all": rows,
            "any": any(row["value"] for row in rows),
            "most": max((row["value"] for row in rows), default=0) or 1,
            "columns": [column["title"] for column in columns],
            "bars": bars[:most],
            "rows": lines[:most],
            "left": max(len(bars if chart == "bar" else lines) - most, 0) if most is not None else 0,
            "totals": self.numbers(data["totals"], data["lists"], columns, formats),
        }

    def row(self, row: Values, columns: Sequence[Values], shown: Values, formats: Formats) -> JsonObject:
        """Return a row as formatted text, with the lists of the records that its numbers count."""
        numbers = self.numbers(row, row["lists"], columns, formats)
        return {
            "key": row["key"],
            "label": row["label"],
            "address": self.list_of(row["link"], {}),
            "value": row[shown["key"]] or 0,
            "said": number_text(row[shown["key"]], shown["type"], formats),
            "numbers": numbers,
            "is_empty": not any(row[column["key"]] for column in columns),
        }

    def numbers(
        self, values: Values, lists: Sequence[str | None], columns: Sequence[Values], formats: Formats
    ) -> list[tuple[str, str]]:
        """Return (text, address of the counted records) of each column."""
        return [
            (
                number_text(values[column["key"]], column["type"], formats),
                self.counted_list(lists, column) if values[column["key"]] else "",
            )
            for column in columns
        ]

    def counted_list(self, lists: Sequence[str | None], column: Values) -> str:
        """Return the page with the records that a column counts; "" if there is none."""
        listed = column["listed"]
        if listed is None or listed["place"] >= len(lists):
            return ""
        return self.list_of(lists[listed["place"]], listed["filter"])

    def list_of(self, link: str | None, condition: Values) -> str:
        """Return the page of a list of the API, with one more condition; "" if there is none."""
        path, _, query = (link or "").partition("?")
        trees = parse_qs(query).get("advancedFilters")
        if path not in LISTS or not trees:
            return ""
        tree = json.loads(trees[0])
        if condition:
            tree = {"operator": "and", "conditions": [*tree["conditions"], condition]}
        return self.address(LISTS[path], **{WITHIN: json.dumps(tree, separators=(",", ":"))})


def fold_empty_days(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Return the rows of days, with one row in place of several in succession without data."""
    lines: list[JsonObject] = []
    for is_empty, group in groupby(rows, key=lambda row: bool(row["is_empty"])):
        days = list(group)
        if is_empty and len(days) >= FOLDED:
            lines.append({"folded": len(days), "first": days[0]["key"], "last": days[-1]["key"]})
        else:
            lines += days
    return lines
