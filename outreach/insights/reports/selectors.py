"""Reads of reports: in the company's time zone, with the reader's permissions, in the form of the API."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Self
from zoneinfo import ZoneInfo

from django.utils import timezone

from accounts.models import Company, CompanySettings
from core.access import Actor, may_read
from core.errors import NamedError
from core.reports import REPORTS, Column, Period, Report, Table, read_report
from core.reports.query import read_changing_totals, read_totals
from core.tenancy import company_id
from core.text.timezones import zone_of
from core.types import JsonObject


@dataclass(frozen=True)
class Clock:
    """A company's time zone, its day, and the currency of its amounts."""

    zone: ZoneInfo
    today: dt.date
    currency: str

    @classmethod
    def load(cls) -> Self:
        """Read those of the active company."""
        name = Company.objects.values_list("timezone", flat=True).get(pk=company_id())
        currency = CompanySettings.objects.values_list("currency", flat=True).first() or "USD"
        zone = zone_of(name)
        return cls(zone, timezone.now().astimezone(zone).date(), currency)


def readable(report: Report, actor: Actor) -> bool:
    """Return whether the actor may read the records that the report counts."""
    return all(may_read(actor, module) for module in report.modules)


def check_readable(report: Report, actor: Actor) -> None:
    """Raise UnauthorizedAction_403 unless the actor may read the records that the report counts."""
    lacking = next((module for module in report.modules if not may_read(actor, module)), None)
    if lacking is not None:
        reason = f"the report {report.name} is for roles and plans with the permission {lacking}.GET"
        raise NamedError("UnauthorizedAction_403", reason, field="reportType")


def readable_reports(actor: Actor) -> list[JsonObject]:
    """Return the descriptions of the reports that the actor may read, in their order."""
    return [
        {
            "reportType": report.name,
            "title": report.title,
            "about": report.about,
            "by": [
                {"key": by, "title": title, "columns": [_column(entry) for entry in report.visible_columns(by)]}
                for by, title in report.order.items()
            ],
        }
        for report in sorted(REPORTS.values(), key=lambda entry: entry.place)
        if readable(report, actor)
    ]


def read(report: Report, actor: Actor, by: str, period: Period) -> Table:
    """Read a report."""
    return read_report(report, actor, by, period)


def totals_of(report: Report, actor: Actor, by: str, period: Period) -> Table:
    """Read the totals of a report, as one without rows."""
    return Table(report.visible_columns(by), [], read_totals(report, actor, by, period))


def answer_of(
    report: Report, by: str, period: Period, table: Table, clock: Clock, before: JsonObject | None = None
) -> JsonObject:
    """Return a report in the form of the API. `before` has the totals of the period before."""
    return {
        "reportType": report.name,
        "title": report.title,
        "dated": report.dated,
        "by": by,
        "byTitle": report.order[by],
        "startDate": period.first,
        "endDate": period.last,
        "timeZone": clock.zone.key,
        "currency": clock.currency,
        "columns": [_column(column) for column in table.columns],
        "rows": [
            {
                "key": None if row.key is None else _text(row.key),
                "label": row.label,
                "link": row.link,
                "lists": row.links,
                "isOther": row.is_other,
                **row.values,
            }
            for row in table.rows
        ],
        "totals": table.totals,
        "lists": table.links,
        "before": before,
    }


def before_of(report: Report, actor: Actor, by: str, period: Period) -> JsonObject:
    """Return the totals of the period before, with its days."""
    before = period.previous_period()
    totals = read_changing_totals(report, actor, by, before)
    shown = {column.key for column in report.visible_columns(by)}
    return {
        "startDate": before.first,
        "endDate": before.last,
        "totals": {key: number for key, number in totals.items() if key in shown},
    }


def warning_of(table: Table, top: int) -> str:
    """Return a warning about rows that are not shown one by one; "" if all are."""
    if not table.is_cut:
        return ""
    if table.overlaps:
        return f"rows: only the {top} largest groups have one; totals are of all"
    return f"rows: only the {top} largest groups have one of their own; the last row is the sum of all others"


def _column(column: Column) -> JsonObject:
    listed = None if column.part_filter is None else {"place": column.place, "filter": column.part_filter}
    return {
        "key": column.key,
        "title": column.title,
        "type": column.type,
        "filter": column.filter,
        "listed": listed,
        "isDated": column.is_dated,
    }


def _text(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
