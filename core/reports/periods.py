"""The days that a report is about, on a company's clock."""

from __future__ import annotations

import datetime as dt
from calendar import monthrange
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
MONTHS = {"thisMonth": 1, "lastMonth": 1, "thisQuarter": 3}
"""Range of the calendar -> its months."""


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, both included, in a time zone."""

    first: dt.date
    last: dt.date
    zone: ZoneInfo
    months: int = 0
    """Months of a period of the calendar, of which the last may not have ended; 0: its days alone matter."""

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

    def previous_period(self) -> Period:
        """Return the period before: as many days, or as many months, up to the same day if they have not ended."""
        last = self.first - dt.timedelta(days=1)
        if self.months:
            first = _months_earlier(self.first, self.months)
            has_ended = _months_earlier(self.last + dt.timedelta(days=1), self.months) == self.first
            return Period(first, last if has_ended else _months_earlier(self.last, self.months), self.zone, self.months)
        return Period(last - (self.last - self.first), last, self.zone)

    def day(self, day: dt.date) -> Period:
        """Return the period of one day."""
        return Period(day, day, self.zone)


def _months_earlier(day: dt.date, months: int) -> dt.date:
    """Return the same day of an earlier month, or its last day if it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return dt.date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


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
    return check_period(Period(first, last, zone), names=names)


def check_period(period: Period, *, names: tuple[str, str] = NAMES) -> Period:
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
        return Period(begin, today, zone, MONTHS[name])
    if name == "lastMonth":
        end = begin - dt.timedelta(days=1)
        return Period(end.replace(day=1), end, zone, MONTHS[name])
    if name == "thisQuarter":
        return Period(begin.replace(month=begin.month - (begin.month - 1) % 3), today, zone, MONTHS[name])
    days = {"last7": 7, "last90": 90}.get(name, DEFAULT_DAYS)
    return Period(today - dt.timedelta(days=days - 1), today, zone)
