"""Hours by the clocks of a zone: what clocks skip is no part of them, and an hour that comes twice is there twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.errors import ValidationFailed
from outreach.site.booking.hours import Hours, check_days, without

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


def openings(zone: ZoneInfo, days: list[tuple[int, str, str]], around: str) -> list[tuple[str, str, str]]:
    """The openings of an hour on a day, in UTC."""
    hours = Hours(zone, [{"day": day, "from": begins, "to": ends} for day, begins, ends in days])
    found = hours.openings(at(f"{around}T00:00"), at(f"{around}T23:59"), timedelta(hours=1))
    return [(f"{one.begins:%d %H:%M}", f"{one.last:%d %H:%M}", f"{one.ends:%d %H:%M}") for one in found]


def test_spans_that_touch_are_one_to_a_booking() -> None:
    night = [(1, "22:00", "24:00"), (2, "00:00", "02:00"), (2, "02:00", "03:00"), (2, "04:00", "05:00")]
    assert openings(ZoneInfo("UTC"), night, "2027-03-01") == [
        ("01 22:00", "02 00:00", "02 02:00"),  # what is over later than an hour after the end is not looked at
        ("02 00:00", "02 02:00", "02 02:00"),
    ]
    assert openings(ZoneInfo("UTC"), night, "2027-03-02") == [
        ("02 00:00", "02 02:00", "02 03:00"),
        ("02 02:00", "02 03:00", "02 03:00"),
        ("02 04:00", "02 05:00", "02 05:00"),
    ]


def test_they_touch_over_a_change_of_clocks_too() -> None:
    # Europe/Berlin, Sunday 31 October 2027: 02:00 to 03:00 comes twice, at 00:00 and at 01:00 UTC.
    repeated = [(7, "00:00", "02:00"), (7, "02:00", "04:00")]
    assert openings(BERLIN, repeated, "2027-10-31") == [
        ("30 22:00", "31 00:00", "31 03:00"),
        ("31 00:00", "31 03:00", "31 03:00"),
    ]
    # Sunday 28 March 2027: 02:00 becomes 03:00 at 01:00 UTC.
    skipped = [(7, "01:00", "02:30"), (7, "03:00", "04:00")]
    assert openings(BERLIN, skipped, "2027-03-28") == [
        ("28 00:00", "28 01:00", "28 02:00"),
        ("28 01:00", "28 02:00", "28 02:00"),
    ]
    # Africa/Cairo, Friday 30 April 2027: midnight becomes 01:00, at 22:00 UTC of the day before.
    cairo = [(4, "22:00", "24:00"), (5, "00:00", "02:00")]
    assert openings(ZoneInfo("Africa/Cairo"), cairo, "2027-04-29") == [
        ("29 20:00", "29 22:00", "29 23:00"),
        ("29 22:00", "29 23:00", "29 23:00"),
    ]


def test_a_day_away_ends_the_night() -> None:
    days = [{"day": 1, "from": "22:00", "to": "24:00"}, {"day": 2, "from": "00:00", "to": "02:00"}]
    hours = Hours(ZoneInfo("UTC"), days, [{"from": "2027-03-02", "to": "2027-03-02"}])
    [one] = hours.openings(at("2027-03-01T00:00"), at("2027-03-02T23:00"), timedelta(hours=1))
    assert (one.last, one.ends) == (at("2027-03-02T00:00"), at("2027-03-02T00:00"))


def test_a_time_is_cut_out_of_spans() -> None:
    whole = (at("2027-03-22T09:00"), at("2027-03-22T12:00"))
    inner = (at("2027-03-22T10:00"), at("2027-03-22T11:00"))
    assert without([whole], inner) == [(whole[0], inner[0]), (inner[1], whole[1])]
    assert without([inner], whole) == []
    assert without([inner], (whole[0], inner[0])) == [inner]
