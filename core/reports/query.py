"""Reads of reports: one statement for each source, and two more for a source with more groups than are shown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import TruncDate

from core.access import Actor
from core.reports.declarations import DAY, Column, Grouping, Node, Report, Source, filter_condition
from core.reports.periods import Period
from core.text.json import dumps, format_iso
from core.types import JsonObject, Values

TOP = 50
"""So many groups have a row of their own; days have one each."""
OTHERS = "All others"
Number = int | float | None
KEY, LABEL = "report_key", "report_label"


@dataclass
class Row:
    """The numbers of a group."""

    key: Any
    label: str
    values: JsonObject = field(default_factory=dict)
    links: list[str | None] = field(default_factory=list)
    """The list of its records in each source."""
    is_other: bool = False

    @property
    def link(self) -> str | None:
        """The list of the records that it counts."""
        return self.links[0] if self.links else None


@dataclass
class Table:
    """A report that was read."""

    columns: list[Column]
    rows: list[Row]
    totals: dict[str, Number]
    overlaps: bool = False
    is_cut: bool = False
    """There were more groups than rows."""
    links: list[str | None] = field(default_factory=list)
    """The list of all records of each source."""


@dataclass
class _Part:
    """A source, read for one grouping and period. `groups` is key -> name and numbers."""

    source: Source
    by: Grouping
    actor: Actor
    period: Period
    groups: dict[Any, tuple[str, JsonObject]] = field(default_factory=dict)
    is_cut: bool = False

    @cached_property
    def values(self) -> JsonObject:
        return {f"number_{column.key}": column.value for column in self.source.columns}

    def rows(self) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.source.rows(self.actor).order_by()
        if self.source.at:
            at = self.source.at
            return rows.filter(**{f"{at}__gte": self.period.start, f"{at}__lt": self.period.end})
        return rows

    def groups_query(self) -> QuerySet[Any]:
        column = self.by.column
        if self.by.name == DAY:
            key: Any = TruncDate(self.source.at, tzinfo=self.period.zone)
        else:
            key = F(column) if isinstance(column, str) else column
        label: Any = self.by.label or Value("")
        columns = {KEY: key, LABEL: F(label) if isinstance(label, str) else label}
        rows: QuerySet[Any] = self.rows().annotate(**columns).values(KEY, LABEL).annotate(**self.values)
        return rows

    def read(self, most: int | None) -> None:
        """Read the largest groups, at most so many."""
        first = f"number_{self.source.columns[0].key}"
        rows = self.groups_query().order_by(F(first).desc(nulls_last=True), F(KEY).asc(nulls_last=True))
        groups = list(rows if most is None else rows[: most + 1])
        self.is_cut = most is not None and len(groups) > most
        self.add_rows(groups[:most] if self.is_cut else groups)

    def read_keys(self, keys: Sequence[Any]) -> None:
        """Read the groups with these keys."""
        where = Q(**{f"{KEY}__in": [key for key in keys if key is not None]})
        if None in keys:
            where |= Q(**{f"{KEY}__isnull": True})
        self.add_rows(self.groups_query().filter(where))

    def add_rows(self, rows: Any) -> None:
        for row in rows:
            numbers = {column.key: row[f"number_{column.key}"] or 0 for column in self.source.columns}
            self.groups[row[KEY]] = (row[LABEL] or "", numbers)

    def totals(self) -> JsonObject:
        if self.is_cut or self.by.overlaps:
            sums = self.rows().aggregate(**self.values)
            return {column.key: sums[f"number_{column.key}"] or 0 for column in self.source.columns}
        return {
            column.key: sum(values[column.key] for _, values in self.groups.values()) for column in self.source.columns
        }


def read_report(report: Report, actor: Actor, by: str, period: Period, *, top: int = TOP) -> Table:
    """Read a report by one of its groupings. The actor may read it (`Report.modules`)."""
    parts = [
        _Part(source, grouping, actor, period)
        for source in report.sources
        if (grouping := source.grouping(by)) is not None
    ]
    for part in parts:
        part.read(None if by == DAY else top)
    keys = list(period.days()) if by == DAY else _largest(parts, top)
    if parts[0].by.ordered:
        keys.sort(key=lambda key: (key is None, key or ""))
    for part in parts:
        missing = [key for key in keys if key not in part.groups]
        if part.is_cut and missing:
            part.read_keys(missing)
    totals = {name: number for part in parts for name, number in part.totals().items()}
    rows = [_row(parts, key) for key in keys]
    _name(rows, parts[0].by)
    is_cut = any(part.is_cut for part in parts) or len({key for part in parts for key in part.groups}) > len(keys)
    overlaps = parts[0].by.overlaps
    if is_cut and not overlaps:
        others = {name: number - sum(row.values[name] for row in rows) for name, number in totals.items()}
        rows.append(Row(None, OTHERS, others, is_other=True))
    columns = report.columns(by)
    for row in rows:
        row.values = _display_values(row.values, columns)
    links = [_link(part) for part in parts]
    return Table(report.visible_columns(by), rows, _display_values(totals, columns), overlaps, is_cut, links)


def read_totals(report: Report, actor: Actor, by: str, period: Period) -> dict[str, Number]:
    """Read the totals of a report alone: one statement for each source."""
    totals: JsonObject = {}
    for source in report.sources:
        if (grouping := source.grouping(by)) is not None:
            part = _Part(source, grouping, actor, period, is_cut=True)
            totals |= part.totals()
    return _display_values(totals, report.columns(by))


def read_changing_totals(report: Report, actor: Actor, by: str, period: Period) -> dict[str, Number]:
    """Read the totals of a period before. What is counted as it is now, whatever the period, is None."""
    fixed = {
        column.key for source in report.sources if source.grouping(by) and not source.at for column in source.columns
    }
    totals = read_totals(report, actor, by, period)
    return {key: None if key in fixed else number for key, number in totals.items()}


def _largest(parts: Sequence[_Part], top: int) -> list[Any]:
    """Return the keys of the groups to show: the first source's largest ones, then those of the next sources."""
    return list(dict.fromkeys(key for part in parts for key in part.groups))[:top]


def _row(parts: Sequence[_Part], key: Any) -> Row:
    row = Row(key, "", links=[_link_to_group(part, key) for part in parts])
    for part in parts:
        label, values = part.groups.get(key, ("", {}))
        row.label = row.label or label
        row.values |= {column.key: values.get(column.key, 0) for column in part.source.columns}
    return row


def _name(rows: Sequence[Row], by: Grouping) -> None:
    """Give the rows their names."""
    labels = by.labels
    names = labels([row.key for row in rows if row.key is not None]) if callable(labels) else labels or {}
    for row in rows:
        if row.key is None:
            row.label = by.empty
        elif isinstance(row.key, dt.date):
            row.label = row.key.isoformat()
        else:
            row.label = names.get(row.key) or row.label or (by.empty if by.label else str(row.key))


def _link_to_group(part: _Part, key: Any) -> str | None:
    """Return the list that has exactly the rows of the group; None if no list can express it."""
    by = part.by
    if by.name == DAY:
        return _link(replace(part, period=part.period.day(key)))
    if by.node is not None:
        return _link(part, by.node(key))
    if not by.field:
        return None
    return _link(
        part, filter_condition(by.field, "isEmpty") if key is None else filter_condition(by.field, "equals", key)
    )


def _link(part: _Part, *group: Node) -> str | None:
    """Return the list that has exactly the rows of the part, below the API's address; None if there is none."""
    source, period = part.source, part.period
    if not source.path:
        return None
    nodes = [*source.filters, *group]
    if source.at:
        nodes.append(filter_condition(source.at_field, "greaterThanOrEqual", format_iso(period.start)))
        nodes.append(filter_condition(source.at_field, "lessThan", format_iso(period.end)))
    tree = dumps({"operator": "and", "conditions": nodes}).decode()
    return f"{source.path}?{urlencode({'advancedFilters': tree})}"


def _display_values(values: Values, columns: Sequence[Column]) -> dict[str, Number]:
    """Return the numbers that people see, quotients included; None for one by nothing and for missing values."""
    numbers: dict[str, Number] = {}
    for column in columns:
        if column.value is not None:
            if column.hidden:
                continue
            is_known = not column.known_by or values[column.known_by]
            numbers[column.key] = _number(values[column.key], column) if is_known else None
            continue
        part, whole = (values[name] for name in column.ratio)
        numbers[column.key] = (
            round(float(part) / float(whole) * (100 if column.type == "percent" else 1), 2) if whole else None
        )
    return numbers


def _number(value: Any, column: Column) -> Number:
    if column.type == "count":
        return int(value)
    return float(value) if isinstance(value, Decimal | float) else int(value)
