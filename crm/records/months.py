"""Months of the company's calendar, by which reports group records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from django.db.models import Func, TextField, Value
from django.db.models.functions import TruncMonth
from django.utils.formats import date_format

from core.reports import filter_condition
from core.reports.periods import begin_of
from core.text.json import format_iso
from core.text.timezones import zone_of
from core.types import JsonObject
from crm.records.datetimes import company_timezone


def month_of(column: str) -> Func:
    """Return the expression for the month of a time, as 2027-03."""
    month = TruncMonth(column, tzinfo=zone_of(company_timezone()))
    return Func(month, Value("YYYY-MM"), function="to_char", output_field=TextField())


def month_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return month -> its name with the year."""
    return {key: date_format(first_day(key), "F Y") for key in keys}


def first_day(month: str) -> date:
    """Return the first day of a month, which is written as 2027-03."""
    return date.fromisoformat(f"{month}-01")


def in_month(field: str, month: str | None) -> JsonObject:
    """Return the condition of a list's field that is within the month; of none: that is empty."""
    if month is None:
        return filter_condition(field, "isEmpty")
    zone = zone_of(company_timezone())
    first = first_day(month)
    following = (first + timedelta(days=32)).replace(day=1)
    begins = filter_condition(field, "greaterThanOrEqual", format_iso(begin_of(first, zone)))
    ends = filter_condition(field, "lessThan", format_iso(begin_of(following, zone)))
    return {"operator": "and", "conditions": [begins, ends]}
