"""Billing periods by the calendar: a month later is the same day, or the last day of a shorter month."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime

MONTHS = {"month": 1, "year": 12}
"""PlanPrice.Interval -> months."""


def period_after(start: datetime, interval: str, day: int) -> datetime:
    """Return the end of the period that begins at `start`: a month or a year later, on `day` or the month's last day.

    `day` is stored apart from the start, so that a subscription of the 31st returns to it after February. All in UTC.
    """
    return months_after(start, MONTHS[interval], day)


def months_after(start: datetime, months: int, day: int) -> datetime:
    """Return the time this number of months later, on `day` or the month's last day."""
    years, month = divmod(start.month - 1 + months, 12)
    year, month = start.year + years, month + 1
    return start.replace(year=year, month=month, day=min(day, monthrange(year, month)[1]))
