"""Cron expressions: five fields, read by Celery's parser, walked in local time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from celery.schedules import ParseException, crontab

HORIZON = dt.timedelta(days=366 * 5)
"""How far ahead a time is looked for: a 29th of February comes within it, but for the year 2100."""


@dataclass(frozen=True)
class Cron:
    """A parsed expression. As in cron, a day needs one of both, if day and weekday are restricted."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    def _on(self, day: dt.date) -> bool:
        if day.month not in self.months:
            return False
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return in_month or in_week if len(self.days) < 31 and len(self.weekdays) < 7 else in_month and in_week

    def next_after(self, moment: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
        """Return the first time after the moment, in UTC; None if there is none within HORIZON.

        A local time that a clock change skips comes at the change; one that it repeats comes once.
        """
        local = moment.astimezone(zone)
        day, last = local.date(), (local + HORIZON).date()
        while day <= last:
            if self._on(day):
                for hour in self.hours:
                    for minute in self.minutes:
                        at = _exact(dt.datetime.combine(day, dt.time(hour, minute)), zone)
                        if at > moment:
                            return at
            day += dt.timedelta(days=1)
        return None


def _exact(local: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return the local time in UTC: the first of two, and the moment of the change for one that is skipped."""
    aware = local.replace(tzinfo=zone)
    utc = aware.astimezone(dt.UTC)
    if utc.astimezone(zone).replace(tzinfo=None) == local:
        return utc
    before, after = utc - dt.timedelta(hours=3), utc + dt.timedelta(hours=3)
    old = before.astimezone(zone).utcoffset()
    while after - before > dt.timedelta(seconds=1):
        middle = before + (after - before) / 2
        before, after = (middle, after) if middle.astimezone(zone).utcoffset() == old else (before, middle)
    return after.replace(microsecond=0)


def read_cron(text: str) -> Cron:
    """Parse an expression. Raises ValueError."""
    fields = text.split()
    if len(fields) != 5:
        raise ValueError("cron: needs five fields: minute hour day month weekday")
    minute, hour, day, month, weekday = fields
    try:
        found = crontab(minute=minute, hour=hour, day_of_month=day, month_of_year=month, day_of_week=weekday)
    except (ParseException, ValueError, TypeError, ZeroDivisionError) as error:
        raise ValueError(f"cron: {error}") from None
    return Cron(
        tuple(sorted(found.minute)),
        tuple(sorted(found.hour)),
        frozenset(found.day_of_month),
        frozenset(found.month_of_year),
        frozenset(found.day_of_week),
    )
