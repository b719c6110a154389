"""Time zones of the tz database."""

from __future__ import annotations

import zoneinfo
from functools import lru_cache

NOT_PLACES = frozenset({"Factory", "localtime"})
UTC = zoneinfo.ZoneInfo("UTC")


@lru_cache(maxsize=1)
def timezone_names() -> frozenset[str]:
    """The names that a company may choose from; reading them takes a walk through the database's folders."""
    return frozenset(zoneinfo.available_timezones() - NOT_PLACES)


def is_timezone(name: object) -> bool:
    """Whether the tz database has a zone of exactly this name."""
    return isinstance(name, str) and name in timezone_names()


def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """The zone of this name; UTC for one that is no longer in the database."""
    return zoneinfo.ZoneInfo(name) if is_timezone(name) else UTC
