"""The days that a report is about, on a company's clock."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from core.errors import shorten
from core.lists.values import refuse

MAX_DAYS = 366
DEFAULT_DAYS = 30
YEARS = (1970, 9990)
"""Range of valid years. Others are typing errors, and the ends of such a period would exceed the calendar."""
Range = Literal["last7", "last30", "last90", "thisMonth", "lastMonth", "thisQuarter", "custom"]
RANGES: tuple[Range, ...] = get_args(Range)


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, both included, in a time zone."""

    first: dt.date
    last: dt.date
    zone: ZoneInfo

    @property
    def start(self) -> dt.datetime:
        """Return the start of the first day."""
        return begin_of(self.first, self.zone)

    @property
    def end(self) -> dt.datetime:
        """Return the end of the last day."""
        return begin_of(self.last + dt.timedelta(days=1), self.zone)

    def days(self) -> Iterator[dt.date]:
        """Yield the days in order."""
        for number in range((self.last - self.first).days + 1):
            yield self.first + dt.timedelta(days=number)

    def before(self) -> Period:
        """Return the period of as many days that ends before this one."""
        last = self.first - dt.timedelta(days=1)
        return Period(last - (self.last - self.first), last, self.zone)

    def day(self, day: dt.date) -> Period:
        """Return the period of one day."""
        return Period(day, day, self.zone)


def begin_of(day: dt.date, zone: ZoneInfo) -> dt.datetime:
    """Return when a day begins, in UTC: at midnight, or when the clock is set forward over it."""
    return dt.datetime.combine(day, dt.time.min, zone).astimezone(dt.UTC)


NAMES = ("startDate", "endDate")


def read_period(start: str, end: str, today: dt.date, zone: ZoneInfo, *, names: tuple[str, str] = NAMES) -> Period:
    """Return the period between two texts, or the last 30 days if both are empty.

    Raises InvalidRequest_400 that names one of `names`, the parameters of the texts.
    """
    last = _day(end, names[1]) if end else None
    first = _day(start, names[0]) if start else None
    if last is None:
        last = today if first is None or first <= today else first
    if first is None:
        first = last - dt.timedelta(days=DEFAULT_DAYS - 1)
    return checked(Period(first, last, zone), names=names)


def checked(period: Period, *, names: tuple[str, str] = NAMES) -> Period:
    """Return the period. Raises InvalidRequest_400 if it ends before it begins, or is too long."""
    days = (period.last - period.first).days + 1
    if days < 1:
        raise refuse(names[0], f"is after {names[1]}, {period.last}")
    if days > MAX_DAYS:
        raise refuse(names[0], f"a report is about at most {MAX_DAYS} days, got {days:,}")
    return period


def _day(text: str, name: str) -> dt.date:
    try:
        day = dt.date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        day = None
    if day is None:
        raise refuse(name, f"needs a day, such as 2026-01-31, got {shorten(text, 40)!r}")
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise refuse(name, f"the years are {YEARS[0]} to {YEARS[1]}, got {day.year}")
    return day


def period_of(name: Range, today: dt.date, zone: ZoneInfo, first: dt.date | None, last: dt.date | None) -> Period:
    """Return the period of a name, as of today; `custom` has its own days."""
    if name == "custom" and first is not None and last is not None:
        return Period(first, last, zone)
    begin = today.replace(day=1)
    if name == "thisMonth":
        return Period(begin, today, zone)
    if name == "lastMonth":
        end = begin - dt.timedelta(days=1)
        return Period(end.replace(day=1), end, zone)
    if name == "thisQuarter":
        return Period(begin.replace(month=begin.month - (begin.month - 1) % 3), today, zone)
    days = {"last7": 7, "last90": 90}.get(name, DEFAULT_DAYS)
    return Period(today - dt.timedelta(days=days - 1), today, zone)
