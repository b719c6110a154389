"""Time zones of the tz database."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

NOT_PLACES = frozenset({"Factory", "localtime"})
QUARTER = 900
"""The seconds that offsets are cached for: clocks change at quarters of an hour."""
UTC = zoneinfo.ZoneInfo("UTC")


@lru_cache(maxsize=1)
def timezone_names() -> frozenset[str]:
    """Return the names that a company may choose. Cached, since it reads the database's folders."""
    return frozenset(zoneinfo.available_timezones() - NOT_PLACES)


def is_timezone(name: object) -> bool:
    """Return whether the tz database has a zone of exactly this name."""
    return isinstance(name, str) and name in timezone_names()


def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """Return the zone of this name; UTC for one that is no longer in the database."""
    return zoneinfo.ZoneInfo(name) if is_timezone(name) else UTC


@dataclass(frozen=True, slots=True)
class ZoneGroup:
    """Zones to choose from, under the label of their region; those without a region come first."""

    region: str
    names: Sequence[str]

    @property
    def options(self) -> list[tuple[str, str]]:
        """Return the zones' names, each with its label below the region's."""
        return [(name, name.removeprefix(f"{self.region}/").replace("_", " ")) for name in self.names]


@lru_cache(maxsize=1)
def zone_groups() -> tuple[ZoneGroup, ...]:
    """Return the zones by region, each place once: those of the database's list of places, without its old names."""
    lines = resources.files("tzdata.zoneinfo").joinpath("zone.tab").read_text().splitlines()
    places = {line.split("\t")[2] for line in lines if line and not line.startswith("#")} & timezone_names()
    regions: dict[str, list[str]] = {}
    for name in sorted(places):
        regions.setdefault(name.partition("/")[0], []).append(name)
    return (*(ZoneGroup(region, names) for region, names in regions.items()), ZoneGroup("UTC", ["UTC"]))


@dataclass(frozen=True, slots=True)
class Offset:
    """A zone and its offset from UTC in minutes at some time."""

    name: str
    minutes: int

    @property
    def label(self) -> str:
        """The label in lists of time zones: (UTC+05:30) Asia/Kolkata."""
        hours, minutes = divmod(abs(self.minutes), 60)
        return f"(UTC{'-' if self.minutes < 0 else '+'}{hours:02}:{minutes:02}) {self.name}"


def offsets(now: dt.datetime) -> tuple[Offset, ...]:
    """Return every zone with its offset at the time, from west to east."""
    return _offsets(int(now.timestamp() // QUARTER))


@lru_cache(maxsize=2)
def _offsets(quarter: int) -> tuple[Offset, ...]:
    moment = dt.datetime.fromtimestamp(quarter * QUARTER, dt.UTC)
    zones = (
        Offset(
            name, int((moment.astimezone(zoneinfo.ZoneInfo(name)).utcoffset() or dt.timedelta()).total_seconds() // 60)
        )
        for name in timezone_names()
    )
    return tuple(sorted(zones, key=lambda zone: (zone.minutes, zone.name)))
