"""Periods by the calendar, months of every length."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.subscriptions.periods import period_after


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "interval", "day", "end"),
    [
        ("2026-03-15T10:20:30", "month", 15, "2026-04-15T10:20:30"),
        ("2026-01-31T00:00:00", "month", 31, "2026-02-28T00:00:00"),
        ("2028-01-31T00:00:00", "month", 31, "2028-02-29T00:00:00"),
        ("2026-02-28T00:00:00", "month", 31, "2026-03-31T00:00:00"),
        ("2026-12-05T23:59:59", "month", 5, "2027-01-05T23:59:59"),
        ("2026-11-30T00:00:00", "month", 31, "2026-12-31T00:00:00"),
        ("2028-02-29T12:00:00", "year", 29, "2029-02-28T12:00:00"),
        ("2031-02-28T12:00:00", "year", 29, "2032-02-29T12:00:00"),
    ],
)
def test_period_after(start: str, interval: str, day: int, end: str) -> None:
    assert period_after(at(start), interval, day) == at(end)


@given(st.datetimes(datetime(2024, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC)))
def test_twelve_months_are_a_year(start: datetime) -> None:
    end = start
    for _ in range(12):
        end = period_after(end, "month", start.day)
    assert end == period_after(start, "year", start.day)
