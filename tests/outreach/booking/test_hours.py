"""Hours by the clocks of a zone: what clocks skip is no part of them, and an hour that comes twice is there twice."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.errors import ValidationFailed
from outreach.booking.hours import Hours, check_days, without

BERLIN, NEW_YORK, LORD_HOWE = map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def spans(zone: ZoneInfo, day: int, begins: str, ends: str, around: str) -> list[tuple[str, str]]:
    """The spans of a week around a moment, in UTC."""
    found = Hours(zone, [{"day": day, "from": begins, "to": ends}]).spans(at(f"{around}T00:00"), at(f"{around}T23:59"))
    return [tuple(f"{one.astimezone(UTC):%m-%d %H:%M}" for one in pair) for pair in found]  # type: ignore[misc]


def test_clocks_that_go_forward_leave_the_skipped_hour_out() -> None:
    # Europe/Berlin, Sunday 28 March 2027: 02:00 becomes 03:00 at 01:00 UTC.
    assert spans(BERLIN, 7, "01:00", "05:00", "2027-03-28") == [("03-28 00:00", "03-28 03:00")]
    assert spans(BERLIN, 7, "02:15", "04:00", "2027-03-28") == [("03-28 01:00", "03-28 02:00")]
    assert spans(BERLIN, 7, "01:00", "02:30", "2027-03-28") == [("03-28 00:00", "03-28 01:00")]
    assert spans(BERLIN, 7, "02:10", "02:50", "2027-03-28") == []


def test_clocks_that_go_back_have_the_hour_twice() -> None:
    # Europe/Berlin, Sunday 31 October 2027: 03:00 becomes 02:00 at 01:00 UTC.
    assert spans(BERLIN, 7, "01:00", "04:00", "2027-10-31") == [("10-30 23:00", "10-31 03:00")]
    assert spans(BERLIN, 7, "02:00", "03:00", "2027-10-31") == [("10-31 00:00", "10-31 02:00")]


def test_hours_stay_the_same_on_the_clock_in_summer_and_winter() -> None:
    assert spans(BERLIN, 1, "09:00", "17:00", "2027-03-22") == [("03-22 08:00", "03-22 16:00")]
    assert spans(BERLIN, 1, "09:00", "17:00", "2027-03-29") == [("03-29 07:00", "03-29 15:00")]
    assert spans(NEW_YORK, 1, "09:00", "24:00", "2027-03-15") == [("03-15 13:00", "03-16 04:00")]


def test_zones_that_move_by_half_an_hour() -> None:
    # Lord Howe, Sunday 3 October 2027: 02:00 becomes 02:30 at 15:30 UTC of the day before.
    assert spans(LORD_HOWE, 7, "01:30", "03:00", "2027-10-02") == [("10-02 15:00", "10-02 16:00")]
    assert spans(LORD_HOWE, 7, "02:10", "03:00", "2027-10-02") == [("10-02 15:30", "10-02 16:00")]


def test_days_away_are_left_out_by_the_members_own_calendar() -> None:
    away = [{"from": "2027-03-22", "to": "2027-03-23"}]
    days = [{"day": day, "from": "09:00", "to": "10:00"} for day in range(1, 8)]
    found = [one for one, _ in Hours(NEW_YORK, days, away).spans(at("2027-03-21T00:00"), at("2027-03-25T00:00"))]
    assert [f"{one.astimezone(NEW_YORK):%d}" for one in found] == ["21", "24"]


def test_spans_of_a_day_do_not_overlap() -> None:
    one, other = {"day": 1, "from": "09:00", "to": "12:00"}, {"day": 1, "from": "11:59", "to": "13:00"}
    with pytest.raises(ValidationFailed):
        check_days([other, one])
    assert check_days([{**other, "from": "12:00"}, one]) == [one, {**other, "from": "12:00"}]


def test_a_time_is_cut_out_of_spans() -> None:
    whole = (at("2027-03-22T09:00"), at("2027-03-22T12:00"))
    inner = (at("2027-03-22T10:00"), at("2027-03-22T11:00"))
    assert without([whole], inner) == [(whole[0], inner[0]), (inner[1], whole[1])]
    assert without([inner], whole) == []
    assert without([inner], (whole[0], inner[0])) == [inner]
