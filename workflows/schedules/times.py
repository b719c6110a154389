"""The times of schedules."""

from __future__ import annotations

from calendar import isleap
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from accounts.models import Company
from core.spans import add_span, from_clock
from core.tenancy import company_id
from core.types import JsonObject, Values
from workflows.graphs.cron import read_cron
from workflows.graphs.settings import FieldDate, Schedule

OLDEST = 150
"""Years for which a date comes again."""
MAX_MISSED = 100
"""The most missed times that are made up for."""


def zone_of(schedule: Schedule) -> ZoneInfo:
    """Return the schedule's time zone: its own or the company's."""
    name = schedule.timezone or Company.objects.values_list("timezone", flat=True).get(pk=company_id())
    return ZoneInfo(name)


def first_time(raw: Values, now: datetime) -> datetime | None:
    """Return the first time of a schedule from now on; None if there is none."""
    return next_time(Schedule.model_validate(raw), now)


def next_time(schedule: Schedule, moment: datetime) -> datetime | None:
    """Return the first time of the schedule after this one; None if there is none."""
    begin = schedule.starts.astimezone(UTC) if schedule.starts else None
    if schedule.type == "dates":
        next_at = min((at for at in schedule.at or () if at > moment), default=None)
    elif schedule.type == "cron":
        # The start itself may be a time of the schedule.
        start = moment if begin is None or begin <= moment else begin - _INSTANT
        next_at = read_cron(schedule.cron or "").next_after(start, zone_of(schedule))
    elif schedule.type == "field" and schedule.field is not None:
        start = moment if begin is None or begin <= moment else begin - _INSTANT
        at = schedule.field.at
        next_at = read_cron(f"{at.minute} {at.hour} * * *").next_after(start, zone_of(schedule))
    else:
        next_at = _next_interval(schedule, moment, begin)
    if next_at is None or (schedule.until is not None and next_at > schedule.until):
        return None
    # Local times repeat and are missing when clocks change; stored times must not.
    return next_at.astimezone(UTC)


_INSTANT = datetime.resolution


FIRST_CLOCK = datetime(2020, 1, 1)
"""Reference time of intervals without a start, in local time of the zone."""
LENGTHS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800, "months": 2_678_400}
"""Unit -> its greatest length in seconds, apart from changes of clocks."""


def _next_interval(schedule: Schedule, moment: datetime, begin: datetime | None) -> datetime:
    """Return the next of `begin`, or else of FIRST_CLOCK, plus whole spans.

    Each time is counted from the beginning, so that the 31st comes again after a shorter month.
    """
    zone = zone_of(schedule)
    span: JsonObject = schedule.every.as_json() if schedule.every else {"amount": 1, "unit": "days"}
    start = begin or from_clock(FIRST_CLOCK, zone)
    if start > moment:
        return start
    # Too few by at most the changes of clocks and the lengths of months, so that few steps remain.
    length = LENGTHS[span["unit"]] * span["amount"]
    number = max(0, int(((moment - start).total_seconds() - MAX_CLOCK_CHANGE) // length))
    at = start
    while at <= moment:
        number += 1
        at = add_span(start, {"amount": number * span["amount"], "unit": span["unit"]}, zone)
    return at


MAX_CLOCK_CHANGE = 86_400
"""Seconds by which a zone's clocks may have changed: islands have left out a day."""


def due_times(schedule: Schedule, due_at: datetime, now: datetime) -> tuple[list[datetime], datetime | None]:
    """Return the times that have come, from `due_at` on, which a firing makes up for; and the next one ahead."""
    times = [due_at]
    following = next_time(schedule, due_at)
    while following is not None and following <= now:
        times.append(following)
        if len(times) > MAX_MISSED:
            following = next_time(schedule, now)
            break
        following = next_time(schedule, following)
    late = (now - due_at).total_seconds() > 60
    if schedule.misfire == "all" or (schedule.type == "field" and schedule.misfire == "once"):
        # Of a field, each day has records of its own: none of them may be left out.
        return times[-MAX_MISSED:], following
    if schedule.misfire == "skip" and late:
        recent = [at for at in times if (now - at).total_seconds() <= 60]
        return recent[-1:], following
    return times[-1:], following


def dates_of(field: FieldDate, day: date) -> list[date]:
    """Return the dates whose records are due on a local day, the latest first."""
    try:
        due_date = day - timedelta(days=field.offset)
    except OverflowError:
        return []
    if not field.yearly:
        return [due_date]
    dates = []
    for year in range(due_date.year, max(0, due_date.year - OLDEST), -1):
        # A birthday on 29 February has no date in other years.
        if (due_date.month, due_date.day) != (2, 29) or isleap(year):
            dates.append(due_date.replace(year=year))
        if (due_date.month, due_date.day) == (2, 28) and isleap(year) and not isleap(due_date.year):
            dates.append(date(year, 2, 29))  # who was born then is not left out for three years
    return dates
