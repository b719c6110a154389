"""Positions of meetings and follow-ups in a calendar, in local time of a zone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from itertools import groupby
from zoneinfo import ZoneInfo

from core.text.formats import weekday_text
from core.types import Values

DAY = timedelta(days=1)
WORK = (8, 18)
"""The hours that a week shows at least."""
SLOT, QUARTER = 30, 15
MINUTES = 24 * 60
FINE = 20
"""The quarters up to which a length is exact; a longer one counts full hours, which keeps the style small."""
LANES = 4
"""Maximum number of entries side by side; further ones cover the last."""
SHORT_DAY = 3
"""Number of entries that a day of a month shows; a link leads to the rest."""


@dataclass(frozen=True)
class Entry:
    """A meeting, or a follow-up, with its times on the clocks of the zone."""

    kind: str
    record: Values
    start: datetime
    end: datetime

    @classmethod
    def of_meeting(cls, record: Values, zone: ZoneInfo) -> Entry:
        start, end = (datetime.fromisoformat(record[name]).astimezone(zone) for name in ("startsAt", "endsAt"))
        return cls("meeting", record, start, end)

    @classmethod
    def of_follow_up(cls, record: Values, zone: ZoneInfo) -> Entry:
        start = datetime.fromisoformat(record["dueAt"]).astimezone(zone)
        return cls("follow-up", record, start, start)

    @property
    def start_input(self) -> str:
        """Return the start, in the format of a time input."""
        return f"{self.start:%Y-%m-%dT%H:%M}"

    @property
    def days(self) -> list[date]:
        """Return the days of the entry."""
        last = max(self.end.replace(tzinfo=None) - timedelta(microseconds=1), self.start.replace(tzinfo=None)).date()
        return [self.start.date() + number * DAY for number in range((last - self.start.date()).days + 1)]


@dataclass(frozen=True)
class Piece:
    """The part of an entry on one day, in minutes since midnight in local time."""

    entry: Entry
    begin: int
    end: int
    begins: bool
    """The entry starts here, so that it can be dragged from here."""
    lane: int = 0
    lanes: int = 1

    @property
    def css(self) -> str:
        """The classes that place it: its quarter of the slot, its quarters, its lane and how many lanes there are."""
        quarters = -(-(self.end - self.begin) // QUARTER)
        if quarters > FINE:
            quarters = -(-quarters // 4) * 4
        return f"from-{self.begin % SLOT // QUARTER} for-{quarters} lane-{self.lane}-{self.lanes}"


@dataclass(frozen=True)
class Slot:
    """Half an hour of a day; `at` is empty where clocks skip it."""

    label: str
    at: str
    pieces: Sequence[Piece]


@dataclass
class Day:
    day: date
    zone: ZoneInfo
    is_today: bool
    entries: list[Entry] = field(default_factory=list)
    outside: bool = False
    """The day belongs to another month."""

    @property
    def name(self) -> str:
        return weekday_text(self.day)

    @property
    def short_name(self) -> str:
        return weekday_text(self.day, short=True)

    @property
    def month_entries(self) -> list[Entry]:
        """Return the entries of the day that a month shows."""
        return self.entries[:SHORT_DAY]

    @property
    def rest(self) -> int:
        return max(len(self.entries) - SHORT_DAY, 0)

    @cached_property
    def pieces(self) -> list[Piece]:
        return in_lanes(
            sorted((piece_of(piece, self.day) for piece in self.entries), key=lambda piece: (piece.begin, piece.end))
        )

    def slots(self, hours: range) -> list[Slot]:
        hour_slots = []
        for minute in range(hours.start * 60, hours.stop * 60, SLOT):
            local = datetime.combine(self.day, time(minute // 60, minute % 60))
            here = [piece for piece in self.pieces if piece.begin // SLOT * SLOT == minute]
            at = f"{local:%Y-%m-%dT%H:%M}" if on_clock(local, self.zone) else ""
            hour_slots.append(Slot(f"{self.name} {local:%H:%M}", at, here))
        return hour_slots


def on_clock(local: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the time for a local time in the zone, the first one of two; None for one that the clocks skip."""
    moment = local.replace(tzinfo=zone)
    there = moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    return moment if there == local else None


def read_moment(text: str, zone: ZoneInfo) -> datetime | None:
    """Read a time without an offset, as forms send it. None for text that is no time, and for one that clocks skip."""
    try:
        local = datetime.fromisoformat(text)
        return on_clock(local, zone) if local.tzinfo is None and 1970 < local.year < 9000 else None
    except ValueError:
        return None


def piece_of(entry: Entry, day: date) -> Piece:
    """Return the part of the entry on the day. If clocks go back, its length is the real one."""
    begins, ends = entry.start.date() == day, entry.end.date() == day
    begin = entry.start.hour * 60 + entry.start.minute if begins else 0
    end = entry.end.hour * 60 + entry.end.minute if ends else MINUTES
    if begins and ends and end <= begin:
        end = begin + int((entry.end.astimezone(UTC) - entry.start.astimezone(UTC)).total_seconds() // 60)
    begin = min(begin, MINUTES - SLOT)
    return Piece(entry, begin, min(max(end, begin + SLOT), MINUTES), begins)


def in_lanes(pieces: Iterable[Piece]) -> list[Piece]:
    """Put pieces that overlap side by side."""
    groups: list[list[Piece]] = []
    until = -1
    for piece in pieces:
        if piece.begin >= until:
            groups.append([])
        groups[-1].append(piece)
        until = max(until, piece.end) if len(groups[-1]) > 1 else piece.end
    arranged = []
    for group in groups:
        ends: list[int] = []
        placed = []
        for piece in group:
            free = next((lane for lane, end in enumerate(ends) if end <= piece.begin), len(ends))
            ends[free : free + 1] = [piece.end]
            placed.append((piece, free))
        lanes = min(len(ends), LANES)
        arranged += [replace(piece, lane=min(lane, lanes - 1), lanes=lanes) for piece, lane in placed]
    return arranged


def hours_of(days: Sequence[Day]) -> range:
    """Return the hours that a week shows: those of work, and those in which there is something."""
    pieces = [piece for day in days for piece in day.pieces]
    first = min([WORK[0], *(block.begin // 60 for block in pieces)])
    return range(first, max([WORK[1], *(-(-block.end // 60) for block in pieces)]))


def days_of(entries: Iterable[Entry], first: date, count: int, zone: ZoneInfo, today: date) -> list[Day]:
    """Return the days from the first, each with its entries by time."""
    days = {first + number * DAY: Day(first + number * DAY, zone, False) for number in range(count)}
    placed = sorted(
        ((day, entry) for entry in entries for day in entry.days), key=lambda pair: (pair[0], pair[1].start)
    )
    for day, pairs in groupby(placed, key=lambda pair: pair[0]):
        if day in days:
            days[day].entries = [entry for _, entry in pairs]
    if today in days:
        days[today].is_today = True
    return list(days.values())
