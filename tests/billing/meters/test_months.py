"""The months of meters: on the subscription's day, whatever its interval, and cut at its edges."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from billing.meters.periods import month_at


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "start", "end", "anchor", "expected"),
    [
        ("2026-03-05", "2026-02-10", "2026-03-10", None, ("2026-02-10", "2026-03-10")),
        ("2026-03-10", "2026-02-10", "2026-03-10", None, ("2026-03-10", "2026-04-10")),  # past due goes on
        ("2026-02-28", "2026-01-31", "2026-02-28", 31, ("2026-02-28", "2026-03-31")),
        ("2026-03-30", "2026-02-28", "2026-03-31", 31, ("2026-02-28", "2026-03-31")),
        ("2026-08-20", "2026-01-15", "2027-01-15", None, ("2026-08-15", "2026-09-15")),  # a year has twelve
        ("2026-05-03", "2026-05-01", "2026-05-15", None, ("2026-05-01", "2026-05-15")),  # a trial is one
        ("2026-05-20", "2026-06-01", "2026-07-01", None, ("2026-05-01", "2026-06-01")),  # paid ahead
        ("2028-02-29", "2027-02-28", "2028-02-29", 29, ("2028-02-29", "2028-03-29")),
        ("2026-02-05", "2026-02-04", "2026-03-07", 7, ("2026-02-04", "2026-03-07")),  # after a pause of 20 days
        ("2030-01-01", "2026-01-20", None, None, ("2029-12-20", "2030-01-20")),
    ],
)
def test_month_at(now: str, start: str, end: str | None, anchor: int | None, expected: tuple[str, str]) -> None:
    found = month_at(day(now), start=day(start), end=day(end) if end else None, day=anchor)
    assert found == (day(expected[0]), day(expected[1]))


def test_months_follow_one_another_without_gap() -> None:
    start, end = day("2026-01-31"), day("2027-01-31")
    moment, seen = start, [start]
    while moment < day("2028-06-01"):
        begins, ends = month_at(moment, start=start, end=end, day=31)
        assert begins == seen[-1] <= moment < ends
        assert timedelta(days=27) < ends - begins < timedelta(days=32)
        seen.append(ends)
        moment = ends
    assert len(seen) > 28
