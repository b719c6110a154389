"""Billing periods by the calendar: a month later is the same day, or the last of a month that is shorter."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime

MONTHS = {"month": 1, "year": 12}
"""PlanPrice.Interval -> months."""


def period_after(start: datetime, interval: str, day: int) -> datetime:
    """The end of the period that begins at `start`: a month or a year later, on the `day` of the month or the last one before it.

    The day is kept apart from the start, so that a subscription of the 31st comes back to it after February. All in UTC.
    """
    years, month = divmod(start.month - 1 + MONTHS[interval], 12)
    year, month = start.year + years, month + 1
    return start.replace(year=year, month=month, day=min(day, monthrange(year, month)[1]))
