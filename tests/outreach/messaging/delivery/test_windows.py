"""delivery.limits.windows: sending hours on local clocks, checked against a plain walk over every minute."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outreach.messaging.delivery.limits.windows import Window, load_zone, next_opening, recipient_place
from tests.kit.examples import thorough

BERLIN = ZoneInfo("Europe/Berlin")
EVERY_DAY = frozenset(range(7))
NOW = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)


def utc(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)


def window(start: str, end: str, days: frozenset[int] = EVERY_DAY) -> Window:
    return Window(days, dt.time.fromisoformat(start), dt.time.fromisoformat(end))


@pytest.mark.parametrize(
    ("opened", "zone", "now", "opening"),
    [
        # Friday evening in Berlin: Monday at nine.
        (Window(), "Europe/Berlin", utc(2026, 6, 5, 15, 0), utc(2026, 6, 8, 7, 0)),
        # Open until just before the end.
        (Window(), "Europe/Berlin", utc(2026, 6, 5, 14, 59, 59), utc(2026, 6, 5, 14, 59, 59)),
        (Window(), "Europe/Berlin", utc(2026, 6, 5, 7, 0), utc(2026, 6, 5, 7, 0)),
        (Window(), "Asia/Kolkata", utc(2026, 6, 8, 2, 0), utc(2026, 6, 8, 3, 30)),
        # Past midnight: Friday's night reaches into Saturday, Saturday's own is shut.
        (window("22:00", "02:00", frozenset({4})), "UTC", utc(2026, 6, 6, 1, 30), utc(2026, 6, 6, 1, 30)),
        (window("22:00", "02:00", frozenset({4})), "UTC", utc(2026, 6, 6, 2, 0), utc(2026, 6, 12, 22, 0)),
        (window("22:00", "00:00"), "UTC", utc(2026, 6, 6, 0, 0), utc(2026, 6, 6, 22, 0)),
        # The whole of a day.
        (window("09:00", "09:00", frozenset({6})), "Europe/Berlin", utc(2026, 6, 6, 12), utc(2026, 6, 6, 22)),
        # 29 March 2026, Berlin: 02:00 becomes 03:00, so a window from 02:30 opens when the clock jumps into it.
        (window("02:30", "04:00"), "Europe/Berlin", utc(2026, 3, 29, 0, 0), utc(2026, 3, 29, 1, 0)),
        # A window inside the hour that is skipped opens the next day.
        (window("02:15", "02:45"), "Europe/Berlin", utc(2026, 3, 29, 0, 0), utc(2026, 3, 30, 0, 15)),
        (window("02:15", "02:45", frozenset({6})), "Europe/Berlin", utc(2026, 3, 29, 0, 0), utc(2026, 4, 5, 0, 15)),
        # 25 October 2026, Berlin: 03:00 becomes 02:00, so 02:15 to 02:45 comes twice.
        (window("02:15", "02:45"), "Europe/Berlin", utc(2026, 10, 25, 0, 0), utc(2026, 10, 25, 0, 15)),
        (window("02:15", "02:45"), "Europe/Berlin", utc(2026, 10, 25, 0, 45), utc(2026, 10, 25, 1, 15)),
        # Shut at 02:30, and open again as the clock falls back to 02:00.
        (window("01:00", "02:30"), "Europe/Berlin", utc(2026, 10, 25, 0, 40), utc(2026, 10, 25, 1, 0)),
        # Samoa had no 30 December 2011, which was a Friday.
        (window("09:00", "17:00", frozenset({4})), "Pacific/Apia", utc(2011, 12, 30, 12), utc(2012, 1, 5, 19)),
        # Lord Howe changes its clocks by half an hour.
        (window("02:10", "02:50"), "Australia/Lord_Howe", utc(2026, 10, 3, 15, 0), utc(2026, 10, 3, 15, 30)),
    ],
)
def test_next_opening(opened: Window, zone: str, now: dt.datetime, opening: dt.datetime) -> None:
    assert next_opening(opened, ZoneInfo(zone), now) == opening


@settings(max_examples=thorough(120), deadline=None)
@given(
    zone=st.sampled_from(
        ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo"]
    ),
    day=st.sampled_from(
        [
            utc(2026, 3, 28),
            utc(2026, 10, 24),
            utc(2026, 3, 7),
            utc(2026, 10, 31),
            utc(2026, 10, 3),
            utc(2018, 11, 3),
            utc(2026, 6, 1),
        ]
    ),
    minute=st.integers(0, 2879),
    start=st.integers(0, 95),
    end=st.integers(0, 95),
    days=st.frozensets(st.integers(0, 6), min_size=1),
)
def test_next_opening_is_what_a_walk_over_the_minutes_finds(
    zone: str, day: dt.datetime, minute: int, start: int, end: int, days: frozenset[int]
) -> None:
    opened = Window(days, dt.time(start // 4, start % 4 * 15), dt.time(end // 4, end % 4 * 15))
    place = ZoneInfo(zone)
    now = day + dt.timedelta(minutes=minute)
    walk = (now + dt.timedelta(minutes=5 * step) for step in range(16 * 288))
    aligned = now - dt.timedelta(minutes=now.minute % 5)
    if not opened.admits(now.astimezone(place)):
        walk = (aligned + dt.timedelta(minutes=5 * step) for step in range(1, 16 * 288))
    assert next_opening(opened, place, now) == next(
        moment for moment in walk if opened.admits(moment.astimezone(place))
    )


@pytest.mark.parametrize(
    ("days", "start"),
    [(frozenset(), dt.time(9)), (frozenset({7}), dt.time(9)), (frozenset({0}), dt.time(9, tzinfo=dt.UTC))],
)
def test_windows_that_make_no_sense(days: frozenset[int], start: dt.time) -> None:
    with pytest.raises(ValueError):
        Window(days, start)


@pytest.mark.parametrize(
    ("contact", "phone", "company", "zone", "source"),
    [
        ("Asia/Tokyo", "+4930123456", "Europe/Madrid", "Asia/Tokyo", "contact"),
        ("Nowhere/Land", "+493012345678", "Europe/Madrid", "Europe/Berlin", "phone"),
        (None, "+12125551234", "Europe/Madrid", "America/New_York", "phone"),
        # A number without a region fits many zones: the company's own when it is one of them.
        (None, "+18005551234", "America/Denver", "America/Denver", "phone"),
        (None, "not a number", "Europe/Madrid", "Europe/Madrid", "company"),
        (None, None, "Europe/Madrid", "Europe/Madrid", "company"),
        ("../../etc/passwd", "", "x\x00y", "UTC", "default"),
        (None, None, None, "UTC", "default"),
    ],
)
def test_recipient_place(contact: str | None, phone: str | None, company: str | None, zone: str, source: str) -> None:
    place = recipient_place(contact_zone=contact, phone=phone, company_zone=company, now=NOW)
    assert (place.zone.key, place.source) == (zone, source)


def test_a_number_of_a_wide_country_gets_a_middle_zone() -> None:
    place = recipient_place(contact_zone=None, phone="+79161234567", company_zone="Europe/Madrid", now=NOW)
    hours = NOW.astimezone(place.zone).utcoffset()
    assert place.source == "phone"
    assert dt.timedelta(hours=3) <= (hours or dt.timedelta()) <= dt.timedelta(hours=9)


@given(st.text(max_size=40))
def test_any_name_of_a_zone_is_harmless(name: str) -> None:
    zone = load_zone(name)
    assert zone is None or zone.key == name.strip()
