"""The free times of a booking page, as visitors see them: a week by the clocks of a zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from accounts.settings.formats import formats_of
from core.text.formats import Formats, weekday_text
from core.text.timezones import ZoneGroup, is_timezone, zone_groups, zone_of
from outreach.site.booking.models import Booking, BookingPage
from outreach.site.booking.slots import booking_window, free_slots, zone_name

SHOWN_DAYS = 7


@dataclass(frozen=True)
class OfferedDay:
    """A day with its offered times: each as a time and its local text."""

    day: date
    words: str
    slots: list[tuple[str, str]]


@dataclass(frozen=True)
class Times:
    """The days of a page with the times that they offer, by the clocks of a zone."""

    zone: ZoneInfo
    first: date
    days: list[OfferedDay]
    before: date | None
    after: date | None
    later: date | None = None
    """The next day that offers something, where these days offer nothing."""
    later_words: str = ""


def times_of(page: BookingPage, zone: ZoneInfo, start: str, besides: str = "", members: Any = None) -> Times:
    """Return the free times of a week; of one that has none, where the next ones are."""
    begins, ends = (moment.astimezone(zone).date() for moment in booking_window(page))
    try:
        # A date in an address may be anything.
        first = min(max(date.fromisoformat(start[:10]), begins), ends)
    except ValueError:
        first = begins
    last = first + timedelta(days=SHOWN_DAYS)
    formats = formats_in(zone, page)
    days = _by_day(free_slots(page, *_utc_bounds(first, last, zone), besides=besides, members=members), zone, formats)
    later = None
    if not days and last <= ends:
        rest = free_slots(page, *_utc_bounds(last, ends + timedelta(days=1), zone), besides=besides, members=members)
        later = min((at.astimezone(zone).date() for at in rest), default=None)
    before = max(first - timedelta(days=SHOWN_DAYS), begins) if first > begins else None
    after = last if last <= ends else None
    return Times(zone, first, days, before, after, later, _day_words(later, formats) if later else "")


def _utc_bounds(first: date, last: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    start, end = (datetime.combine(day, time(), zone).astimezone(UTC) for day in (first, last))
    return start, end


def _by_day(slots: dict[datetime, list[str]], zone: ZoneInfo, formats: Formats) -> list[OfferedDay]:
    times: dict[date, list[tuple[str, str]]] = {}
    for at in slots:
        here = at.astimezone(zone)
        # When clocks go back, two times would have the same label.
        twice = here.utcoffset() != here.replace(fold=1 - here.fold).utcoffset()  # an hour that comes twice
        label = f"{formats.time(at)} {here:%Z}" if twice else formats.time(at)
        times.setdefault(here.date(), []).append((at.isoformat(), label))
    return [OfferedDay(day, _day_words(day, formats), here) for day, here in sorted(times.items())]


def _day_words(day: date, formats: Formats) -> str:
    return f"{weekday_text(day)}, {formats.date(day)}"


def span_words(start: datetime, end: datetime, formats: Formats) -> str:
    """Write when something is, by the clocks of the formats' zone."""
    zone = zone_of(formats.timezone)
    return f"{weekday_text(start.astimezone(zone))}, {formats.span(start, end)}"


def zone_for(name: str, page: BookingPage) -> ZoneInfo:
    """Return the zone that a visitor asks for, or else the page's."""
    return zone_of(name if is_timezone(name) else zone_name(page))


def formats_in(zone: ZoneInfo, record: BookingPage | Booking) -> Formats:
    """Return how the record's company writes times, by the clocks of the zone."""
    formats = formats_of(record.company_id)
    return Formats(zone.key, formats.date_format, formats.time_format, formats.currency)


def zones_to_choose(page: BookingPage, chosen: ZoneInfo) -> list[ZoneGroup]:
    """Return the zones to choose from: the company's, the page's and the chosen one first, then each region's."""
    first = (formats_of(page.company_id).timezone, zone_name(page), chosen.key)
    return [ZoneGroup("", list(dict.fromkeys(first))), *zone_groups()]
