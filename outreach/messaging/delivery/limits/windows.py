"""Sending windows in the recipient's time zone, exact at daylight-saving changes."""

import datetime as dt
import functools
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass

import phonenumbers
from phonenumbers.timezone import time_zones_for_number

# Two weeks and a day: a window on one weekday that a clock change skips opens again a week later.
_HORIZON_DAYS = 16
_MINUTE = dt.timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Window:
    """Weekdays (Monday is 0) and local hours in which mail may be sent: from `start` until before `end`.

    When `end` is earlier, the window ends on the next day. `start` equal to `end` means the whole day.
    """

    days: frozenset[int] = frozenset({0, 1, 2, 3, 4})
    start: dt.time = dt.time(9)
    end: dt.time = dt.time(17)

    def __post_init__(self) -> None:
        if not self.days or not self.days <= set(range(7)):
            raise ValueError("a window needs weekdays from 0 (Monday) to 6 (Sunday)")
        if self.start.tzinfo or self.end.tzinfo:
            raise ValueError("a window's hours are local, without a time zone")

    def admits(self, local: dt.datetime) -> bool:
        """Return whether the window is open at this local time."""
        clock = local.time()
        if self.start == self.end:
            return local.weekday() in self.days
        if self.start < self.end:
            return local.weekday() in self.days and self.start <= clock < self.end
        if clock >= self.start:
            return local.weekday() in self.days
        return clock < self.end and (local.weekday() - 1) % 7 in self.days


def next_opening(window: Window, zone: dt.tzinfo, now: dt.datetime) -> dt.datetime:
    """Return the first time from `now` on at which the window is open, in UTC; `now` itself when it is open.

    The window opens when the local clock reaches its start or jumps into it. An hour that a clock change repeats opens
    the window twice; an hour that it skips is not waited for.
    """
    now = now.astimezone(dt.UTC)
    if window.admits(now.astimezone(zone)):
        return now
    later = (time for time in _candidates(window, zone, now) if time > now and window.admits(time.astimezone(zone)))
    return min(later, default=now + dt.timedelta(days=_HORIZON_DAYS))


def _candidates(window: Window, zone: dt.tzinfo, now: dt.datetime) -> Iterator[dt.datetime]:
    """Yield times at which the window may open: its start on each day (twice if repeated) and clock changes."""
    first = now.astimezone(zone).date()
    opening = dt.time(0) if window.start == window.end else window.start
    for offset in range(-1, _HORIZON_DAYS):
        day = first + dt.timedelta(days=offset)
        for fold in (0, 1):
            yield dt.datetime.combine(day, opening, zone).replace(fold=fold).astimezone(dt.UTC)
        begin = now + dt.timedelta(days=offset)
        end = begin + dt.timedelta(days=1)
        if begin.astimezone(zone).utcoffset() != end.astimezone(zone).utcoffset():
            yield _clock_change(zone, begin, end)


def _clock_change(zone: dt.tzinfo, before: dt.datetime, after: dt.datetime) -> dt.datetime:
    """Find the first minute with another UTC offset than `before`. Clocks change at whole minutes of UTC."""
    offset = before.astimezone(zone).utcoffset()
    low = before.replace(second=0, microsecond=0)
    high = after.replace(second=0, microsecond=0) + _MINUTE
    while high - low > _MINUTE:
        middle = low + ((high - low) // (2 * _MINUTE)) * _MINUTE
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Place:
    """A time zone and its source: contact, phone, company or default."""

    zone: zoneinfo.ZoneInfo
    source: str


def recipient_place(
    *, contact_zone: str | None, phone: str | None, company_zone: str | None, now: dt.datetime
) -> Place:
    """Return the recipient's time zone: of the contact, else the phone number (E.164), else the company, else UTC."""
    if contact_zone and (zone := load_zone(contact_zone)):
        return Place(zone, "contact")
    home = load_zone(company_zone) if company_zone else None
    zones = [zone for name in _phone_zones(phone or "") if (zone := load_zone(name))]
    if home in zones:
        return Place(home, "phone")
    if zones:
        # A number of a large country fits many zones; the middle one has the smallest error.
        zones.sort(key=lambda zone: (now.astimezone(zone).utcoffset() or dt.timedelta(), zone.key))
        return Place(zones[len(zones) // 2], "phone")
    return Place(home, "company") if home else Place(zoneinfo.ZoneInfo("UTC"), "default")


def load_zone(name: str) -> zoneinfo.ZoneInfo | None:
    """Return the time zone with this IANA name, or None."""
    try:
        return zoneinfo.ZoneInfo(name.strip())
    except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
        return None


@functools.lru_cache(maxsize=10_000)
def _phone_zones(phone: str) -> tuple[str, ...]:
    try:
        return tuple(time_zones_for_number(phonenumbers.parse(phone, None)))
    except phonenumbers.NumberParseException:
        return ()
