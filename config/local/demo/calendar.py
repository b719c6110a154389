"""Times of the demo's history: on working days of the last ninety, with a rhythm of the week and growth."""

from __future__ import annotations

from bisect import bisect
from datetime import datetime, timedelta
from itertools import accumulate

DAYS = 90
NEWEST = 2
"""Days since the last contact of the history came: later messages of the demo go to people who were there."""
GROWTH = 1.2
"""So many times more people come on the last day than on the first, in addition to those of the first."""
RHYTHM = (0.8, 1.2, 1.3, 1.1, 0.6)
"""Share of a working day in its week, from Monday on."""
SATURDAY = 5


def arrivals(count: int, now: datetime) -> list[datetime]:
    """Return the times of `count` arrivals on working days, the oldest first: most in midweek, and more towards the
    end."""
    days = [now - timedelta(days=days_ago) for days_ago in range(DAYS - 1, NEWEST - 1, -1)]
    days = [day for day in days if day.weekday() < SATURDAY]
    weights = [(1 + GROWTH * place / len(days)) * RHYTHM[day.weekday()] for place, day in enumerate(days)]
    ends = list(accumulate(weights))
    places = [bisect(ends, ends[-1] * (place + 0.5) / count) for place in range(count)]
    return sorted(working_time(days[day], place) for place, day in enumerate(places))


def working_time(moment: datetime, place: int) -> datetime:
    """Return a time between 8 and 17 on the working day of the time, or on the Friday before a weekend."""
    weekend = max(0, moment.weekday() - SATURDAY + 1)
    day = moment.replace(hour=8, minute=0, second=0, microsecond=0) - timedelta(days=weekend)
    return day + timedelta(minutes=37 * place % 540)


def next_working_day(moment: datetime) -> datetime:
    """Return the same time on the next working day."""
    later = moment + timedelta(days=1)
    return later + timedelta(days=max(0, 7 - later.weekday()) if later.weekday() >= SATURDAY else 0)
