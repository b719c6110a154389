"""Arithmetic of clock times in a time zone, and spans as requests write them: {"amount": 3, "unit": "days"}.

All that means a day or a clock time is computed here, so that a change of clocks or the end of a month means the same
everywhere.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any

from core.errors import NamedError
from core.lists.operators import shift
from core.types import JsonObject, Values

UNITS = ("seconds", "minutes", "hours", "days", "weeks", "months")
MAX_AMOUNT = 100_000
"""The largest amount."""
HINT = f'needs {{"amount": 3, "unit": "days"}}; units: {", ".join(UNITS)}'


def read_span(raw: Any, where: str) -> JsonObject:
    """Return the checked span. Raises InvalidPayload_400, which names `where`."""
    if not isinstance(raw, dict) or set(raw) != {"amount", "unit"}:
        raise NamedError("InvalidPayload_400", HINT, field=where)
    amount, unit = raw["amount"], raw["unit"]
    if not isinstance(amount, int) or isinstance(amount, bool) or not 1 <= amount <= MAX_AMOUNT:
        raise NamedError(
            "InvalidPayload_400", f"enter a whole number from 1 to {MAX_AMOUNT:,}", field=f"{where}.amount"
        )
    if unit not in UNITS:
        raise NamedError("InvalidPayload_400", f"must be one of {', '.join(UNITS)}", field=f"{where}.unit")
    return {"amount": amount, "unit": unit}


CLOCK_UNITS = frozenset(("days", "weeks", "months"))
"""Units that keep the clock time. The others are exact."""


def add_span(moment: datetime, span: Values, zone: tzinfo) -> datetime:
    """Return the time a span later, in UTC.

    Days, weeks and months keep the clock time of the zone. A day that the month lacks becomes its last day. Raises
    OverflowError beyond the calendar.
    """
    amount, unit = span["amount"], span["unit"]
    if unit not in CLOCK_UNITS:
        return shift(moment.astimezone(UTC), amount, unit)
    return from_clock(shift(to_clock(moment, zone), amount, unit), zone)


def to_clock(moment: datetime, zone: tzinfo) -> datetime:
    """Return the local time in the zone, without offset."""
    return moment.astimezone(zone).replace(tzinfo=None)


def from_clock(clock: datetime, zone: tzinfo) -> datetime:
    """Return the time of a local time in the zone, in UTC.

    A local time that occurs twice is the first of both. One that the clocks skip moves by the skipped time: 02:30
    becomes 03:30.
    """
    return clock.replace(tzinfo=zone, fold=0).astimezone(UTC)


def read_moment(value: Any, zone: tzinfo) -> datetime | None:
    """Return the time of a value, which may be text in ISO 8601, or None.

    A time without offset is a local time of the zone, and a day begins at its midnight.
    """
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        return from_clock(moment, zone) if moment.tzinfo is None else moment
    except (ValueError, OverflowError):
        return None
