"""The periods of reports, and the ones before."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from core.reports.periods import Range, period_of


@pytest.mark.parametrize(
    ("name", "today", "first", "last"),
    [
        ("thisMonth", "2026-11-28", "2026-10-01", "2026-10-28"),
        ("thisMonth", "2026-11-30", "2026-10-01", "2026-10-31"),
        ("thisMonth", "2026-03-30", "2026-02-01", "2026-02-28"),
        ("thisMonth", "2028-03-30", "2028-02-01", "2028-02-29"),
        ("thisMonth", "2026-02-28", "2026-01-01", "2026-01-31"),
        ("thisMonth", "2026-01-01", "2025-12-01", "2025-12-01"),
        ("lastMonth", "2026-11-28", "2026-09-01", "2026-09-30"),
        ("lastMonth", "2026-02-10", "2025-12-01", "2025-12-31"),
        ("thisQuarter", "2026-11-28", "2026-07-01", "2026-08-28"),
        ("thisQuarter", "2026-05-31", "2026-01-01", "2026-02-28"),
        ("thisQuarter", "2026-12-31", "2026-07-01", "2026-09-30"),
        ("last7", "2026-11-28", "2026-11-15", "2026-11-21"),
        ("last30", "2026-11-30", "2026-10-02", "2026-10-31"),
    ],
)
def test_the_period_before(name: Range, today: str, first: str, last: str) -> None:
    before = period_of(name, date.fromisoformat(today), ZoneInfo("Europe/Berlin"), None, None).previous_period()
    assert (before.first.isoformat(), before.last.isoformat()) == (first, last)
