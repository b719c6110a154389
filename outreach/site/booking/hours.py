"""Weekly hours in a time zone, and their times on days of a calendar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from core.errors import ValidationFailed
from core.types import JsonObject, Values

CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d|24:00")
DAY = timedelta(days=1)
MAX_SPANS, MAX_AWAY = 28, 100
WORKING: list[JsonObject] = [{"day": day, "from": "09:00", "to": "17:00"} for day in range(1, 6)]
"""The default hours of a member."""
Span = tuple[datetime, datetime]
"""A time range with an exclusive end."""


@dataclass(frozen=True)
class Opening:
    """A time in which bookings may begin, from `begins` to before `last`, if they are over when it `ends`."""

    begins: datetime
    last: datetime
    ends: datetime


@dataclass(frozen=True)
class Hours:
    """Hours when a member can be booked."""

    zone: ZoneInfo
    days: Sequence[Values]
    away: Sequence[Mapping[str, str]] = ()

    def spans(self, start: datetime, end: datetime) -> Iterator[Span]:
        """Return the spans that overlap with the given time, in their order.

        A skipped hour of a clock change is not part of a span; an hour that occurs twice is included twice.
        """
        # A span may begin on the day before and end after midnight.
        day, last = start.astimezone(self.zone).date() - DAY, end.astimezone(self.zone).date()
        while day <= last:
            if not self._is_away(day):
                yield from self._spans_on(day, start, end)
            day += DAY

    def openings(self, start: datetime, end: datetime, length: timedelta) -> list[Opening]:
        """Return when bookings of a length may begin between two moments, in their order.

        Spans that touch, over midnight too, are one to a booking. The slots of each span start at its beginning.
        """
        merged: list[Opening] = []
        # From the end, so that each span meets the one that may follow it.
        for begins, ends in reversed([*self.spans(start, end + length)]):
            following = merged[-1] if merged else None
            if following is not None and ends >= following.begins:
                merged.append(Opening(begins, following.begins, max(ends, following.ends)))
            else:
                merged.append(Opening(begins, ends, ends))
        return merged[::-1]

    def _spans_on(self, day: date, start: datetime, end: datetime) -> Iterator[Span]:
        here = sorted((span for span in self.days if span["day"] == day.isoweekday()), key=lambda span: span["from"])
        for span in here:
            begins, ends = self._moment(day, span["from"], 0), self._moment(day, span["to"], 1)
            if begins < ends and begins < end and ends > start:
                yield begins, ends

    def _is_away(self, day: date) -> bool:
        text = day.isoformat()
        return any(span["from"] <= text <= span["to"] for span in self.away)

    def _moment(self, day: date, clock: str, fold: int) -> datetime:
        """Return the local time in UTC. `fold` chooses one of two; a skipped time becomes the moment of the skip."""
        if clock == "24:00":
            return self._moment(day + DAY, "00:00", 0)
        local = datetime.combine(day, time.fromisoformat(clock))
        moment = local.replace(tzinfo=self.zone, fold=fold).astimezone(UTC)
        # A local time that the clocks skip does not come back the same.
        if moment.astimezone(self.zone).replace(tzinfo=None, fold=0) == local:
            return moment
        before, after = (local.replace(tzinfo=self.zone, fold=which).astimezone(UTC) for which in (1, 0))
        return _clock_change(self.zone, before, after)


def _clock_change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the time of the zone's clock change between two times."""
    offset = zone.utcoffset(before.astimezone(zone))
    low, high = before, after
    # zoneinfo does not tell when clocks change, so that the moment is searched for.
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if zone.utcoffset(middle.astimezone(zone)) == offset:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)


def check_days(days: Sequence[Values]) -> list[JsonObject]:
    """Return the spans of a week, sorted. Raises ValidationFailed for spans of a day that overlap."""
    spans = sorted(({name: span[name] for name in ("day", "from", "to")} for span in days), key=_place)
    for span, following in zip(spans, spans[1:], strict=False):
        if span["day"] == following["day"] and following["from"] < span["to"]:
            detail = f"the spans from {span['from']} and from {following['from']} of day {span['day']} overlap"
            raise ValidationFailed("days overlap", detail, field="days")
    return spans


def _place(span: Values) -> tuple[int, str]:
    return span["day"], span["from"]


def overlaps(spans: Sequence[Span], start: datetime, end: datetime) -> bool:
    """Return whether a time overlaps one of the spans; one that begins when another ends does not."""
    return any(begins < end and ends > start for begins, ends in spans)


def without(spans: Sequence[Span], taken: Span) -> list[Span]:
    """Return the spans without the part in `taken`."""
    remaining: list[Span] = []
    for begins, ends in spans:
        if ends <= taken[0] or begins >= taken[1]:
            remaining.append((begins, ends))
            continue
        remaining += [(begins, taken[0])] if begins < taken[0] else []
        remaining += [(taken[1], ends)] if ends > taken[1] else []
    return remaining
