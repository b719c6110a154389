"""Arithmetic of clock times: property tests against dateutil, and the cases that calendars make hard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil import tz
from dateutil.relativedelta import relativedelta
from hypothesis import given, settings
from hypothesis import strategies as st

from core.spans import add_span, from_clock, read_moment
from tests.kit.examples import thorough

ZONES = ("Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")
# dateutil knows no changes of clocks after 2037.
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))


@pytest.mark.hypothesis
@settings(max_examples=thorough(600))
@given(
    moment=MOMENTS,
    zone=st.sampled_from(ZONES),
    unit=st.sampled_from(("seconds", "minutes", "hours", "days", "weeks", "months")),
    amount=st.integers(-80, 80),
)
def test_spans_are_those_of_dateutil(moment: datetime, zone: str, unit: str, amount: int) -> None:
    span: dict[str, Any] = {unit: amount}
    if unit in ("seconds", "minutes", "hours"):
        expected = moment + relativedelta(**span)
    else:
        local = moment.astimezone(tz.gettz(zone)).replace(tzinfo=None) + relativedelta(**span)
        expected = tz.resolve_imaginary(local.replace(tzinfo=tz.gettz(zone)))
    assert add_span(moment, {"amount": amount, "unit": unit}, ZoneInfo(zone)) == expected.astimezone(UTC)


@pytest.mark.parametrize(
    ("start", "amount", "unit", "zone", "end"),
    [
        ("2027-03-27T09:00+01:00", 1, "days", "Europe/Berlin", "2027-03-28T09:00+02:00"),
        ("2027-03-27T02:30+01:00", 1, "days", "Europe/Berlin", "2027-03-28T03:30+02:00"),
        ("2027-10-30T02:30+02:00", 1, "days", "Europe/Berlin", "2027-10-31T02:30+02:00"),
        ("2027-10-30T12:00+02:00", 24, "hours", "Europe/Berlin", "2027-10-31T11:00+01:00"),
        ("2027-01-31T00:30+01:00", 1, "months", "Europe/Berlin", "2027-02-28T00:30+01:00"),
        ("2028-01-31T00:30+01:00", 1, "months", "Europe/Berlin", "2028-02-29T00:30+01:00"),
        ("2026-11-26T22:50Z", 1, "weeks", "Pacific/Auckland", "2026-12-03T22:50Z"),
    ],
)
def test_a_span_keeps_the_clock(start: str, amount: int, unit: str, zone: str, end: str) -> None:
    found = add_span(datetime.fromisoformat(start), {"amount": amount, "unit": unit}, ZoneInfo(zone))
    assert found == datetime.fromisoformat(end)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-20", "2026-12-20T08:00Z"),
        ("2026-12-20T09:00", "2026-12-20T17:00Z"),
        ("2026-12-20T09:00Z", "2026-12-20T09:00Z"),
        ("2026-07-01T09:00:00", "2026-07-01T16:00Z"),
        ("2026-11-01T01:30", "2026-11-01T08:30Z"),
        ("2026-03-08T02:30", "2026-03-08T10:30Z"),
    ],
)
def test_a_time_without_offset_is_in_the_zone(text: str, moment: str) -> None:
    assert read_moment(text, ZoneInfo("America/Los_Angeles")) == datetime.fromisoformat(moment)


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", None, 5, "9999-12-31T23:59"])
def test_what_is_no_time_is_none(text: Any) -> None:
    assert read_moment(text, ZoneInfo("America/Los_Angeles")) is None


def test_a_clock_beyond_the_calendar_overflows() -> None:
    with pytest.raises(OverflowError):
        from_clock(datetime(9999, 12, 31, 23), ZoneInfo("America/Los_Angeles"))
