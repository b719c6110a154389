"""The times of schedules over changes of clocks and ends of months."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from workflows.graphs.cron import read_cron
from workflows.graphs.settings import Schedule
from workflows.schedules.times import next_time


def local_times(schedule: dict[str, Any], count: int) -> list[str]:
    """Return the schedule's first times, by its clock."""
    checked = Schedule.model_validate(schedule)
    moment = checked.starts or datetime.fromisoformat("2027-01-01T00:00Z")
    found = [] if checked.starts is None else [moment]
    while len(found) < count:
        moment = next_time(checked, moment) or moment
        found.append(moment)
    return [f"{one.astimezone(ZoneInfo(checked.timezone)):%Y-%m-%d %H:%M}" for one in found]


def interval(amount: int, unit: str, begin: str | None, zone: str = "Europe/Berlin") -> dict[str, Any]:
    schedule: dict[str, Any] = {"type": "interval", "every": {"amount": amount, "unit": unit}, "timezone": zone}
    return schedule if begin is None else {**schedule, "from": begin}


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        (
            interval(1, "months", "2027-01-31T00:30+01:00"),
            ["2027-01-31 00:30", "2027-02-28 00:30", "2027-03-31 00:30", "2027-04-30 00:30", "2027-05-31 00:30"],
        ),
        (
            interval(1, "days", "2027-10-29T09:00+02:00"),
            ["2027-10-29 09:00", "2027-10-30 09:00", "2027-10-31 09:00", "2027-11-01 09:00"],
        ),
        (interval(1, "weeks", "2027-03-22T09:00+01:00"), ["2027-03-22 09:00", "2027-03-29 09:00"]),
        (interval(3, "months", "2026-11-30T08:00+01:00"), ["2026-11-30 08:00", "2027-02-28 08:00", "2027-05-30 08:00"]),
        (interval(2, "weeks", "2026-10-20T06:00-04:00", "America/New_York"), ["2026-10-20 06:00", "2026-11-03 06:00"]),
        (interval(13, "hours", "2027-03-27T20:00+01:00"), ["2027-03-27 20:00", "2027-03-28 10:00"]),
        (interval(1, "days", None, "Asia/Kolkata"), ["2027-01-02 00:00", "2027-01-03 00:00"]),
        (interval(1, "months", None, "America/Los_Angeles"), ["2027-01-01 00:00", "2027-02-01 00:00"]),
    ],
)
def test_intervals_keep_the_clock_of_their_zone(schedule: dict[str, Any], times: list[str]) -> None:
    assert local_times(schedule, len(times)) == times


def test_an_interval_finds_its_next_time_far_from_its_beginning() -> None:
    daily = Schedule.model_validate(interval(1, "days", "1990-01-01T09:00+01:00"))
    assert next_time(daily, datetime.fromisoformat("2027-07-01T07:00Z")) == datetime.fromisoformat("2027-07-02T07:00Z")
    monthly = Schedule.model_validate(interval(1, "months", "1990-01-31T09:00+01:00"))
    found = next_time(monthly, datetime.fromisoformat("2027-06-30T07:00Z"))
    assert found == datetime.fromisoformat("2027-07-31T07:00Z")


@pytest.mark.parametrize(
    ("cron", "after", "times"),
    [
        ("0 9 * * 7", "2027-01-01T00:00Z", ["2027-01-03T08:00Z", "2027-01-10T08:00Z"]),
        ("0 9 * * 5-7", "2027-01-01T09:00Z", ["2027-01-02T08:00Z", "2027-01-03T08:00Z", "2027-01-08T08:00Z"]),
        ("*/15 * * * *", "2027-10-31T00:45Z", ["2027-10-31T01:00Z", "2027-10-31T01:15Z"]),
        ("0 * * * *", "2027-10-31T00:00Z", ["2027-10-31T01:00Z", "2027-10-31T02:00Z"]),
        ("30 2 * * *", "2027-10-30T12:00Z", ["2027-10-31T00:30Z", "2027-11-01T01:30Z"]),
        ("0 8 L * *", "2027-02-01T00:00Z", ["2027-02-28T07:00Z", "2027-03-31T06:00Z"]),
    ],
)
def test_cron_in_berlin(cron: str, after: str, times: list[str]) -> None:
    found = [datetime.fromisoformat(after)]
    for _ in times:
        found.append(read_cron(cron).next_after(found[-1], ZoneInfo("Europe/Berlin")) or found[-1])
    assert found[1:] == [datetime.fromisoformat(one) for one in times]
