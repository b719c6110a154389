"""The times of recurring tasks, on the clock of the company's time zone."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from core.spans import from_clock, to_clock
from crm.activities.models import FollowUp

Recurrence = FollowUp.Recurrence
MAX_DAYS = 800
"""Days that are searched for the next occurrence; those of a yearly task are at most 366 days apart."""


def first_time(due_at: datetime, zone: ZoneInfo) -> str:
    """Return the local time of a first occurrence, as `FollowUp.recurrence_start` keeps it."""
    return to_clock(due_at, zone).isoformat(timespec="minutes")


def next_time(recurrence: str, start: str, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first occurrence later than `after`, in UTC.

    A day that a month lacks becomes its last day. A clock time that the zone skips moves by the skipped time.
    """
    first = datetime.fromisoformat(start)
    day = max(to_clock(after, zone).date(), first.date())
    for _ in range(MAX_DAYS):
        due_at = from_clock(datetime.combine(day, first.time()), zone)
        if due_at > after and _is_day_of(recurrence, first.date(), day):
            return due_at
        day += timedelta(days=1)
    raise AssertionError("unreachable")


def _is_day_of(recurrence: str, first: date, day: date) -> bool:
    """Return whether the task occurs on the day."""
    is_day_of_month = day.day == min(first.day, monthrange(day.year, day.month)[1])
    match recurrence:
        case Recurrence.WEEKDAYS:
            return day.weekday() < 5
        case Recurrence.WEEKLY:
            return (day - first).days % 7 == 0
        case Recurrence.MONTHLY:
            return is_day_of_month
        case Recurrence.YEARLY:
            return is_day_of_month and day.month == first.month
    return True
