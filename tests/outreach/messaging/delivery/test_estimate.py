"""How long so many messages take."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from outreach.messaging.delivery.deciding.estimate import estimate
from outreach.messaging.delivery.limits.windows import Window
from outreach.models import Smtp

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = dt.datetime(2026, 11, 23, 8, 0, tzinfo=BERLIN)
OFFICE = Window(start=dt.time(9), end=dt.time(17))
NIGHT = Window(days=frozenset(range(7)), start=dt.time(22), end=dt.time(6))


@pytest.mark.parametrize(
    ("number", "limits", "window", "ends"),
    [
        (500, {}, None, "23 08:00"),
        (500, {}, OFFICE, "23 09:00"),
        (120, {"per_hour": 60}, None, "23 10:00"),
        (120, {"per_minute": 1}, OFFICE, "23 11:00"),
        (500, {"per_hour": 60}, OFFICE, "24 09:20"),
        (250, {"per_day": 100}, OFFICE, "25 09:00"),
        (250, {"per_day": 100, "per_hour": 50}, None, "25 01:00"),
        (60, {"per_day": 100, "ramp_start": 10, "ramp_step": 20}, OFFICE, "25 09:00"),
        (240, {"per_hour": 30}, NIGHT, "24 06:00"),
        (60 * 8 * 5 + 1, {"per_hour": 60}, OFFICE, "30 09:01"),
    ],
)
def test_limits_and_hours_say_when_the_last_one_goes(
    number: int, limits: dict[str, int], window: Window | None, ends: str
) -> None:
    found = estimate(number, Smtp(**limits), window=window, zone=BERLIN, now=MONDAY)
    assert found.ends_at is not None
    assert found.ends_at.astimezone(BERLIN).strftime("%d %H:%M") == ends


def test_what_never_ends_has_no_end() -> None:
    slow = estimate(10**9, Smtp(per_day=1), window=None, zone=BERLIN, now=MONDAY)
    assert (slow.per_day, slow.ends_at) == (1, None)
    assert estimate(5, None, window=None, zone=BERLIN, now=MONDAY).begins_at is None
