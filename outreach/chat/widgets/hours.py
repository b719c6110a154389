"""Business hours of a widget: spans on days of the week, by the clock of a time zone."""

from __future__ import annotations

from datetime import datetime

from core.text.timezones import zone_of
from core.types import Values


def is_open(hours: Values, now: datetime) -> bool:
    """Return whether a member is available. Without days this is always so.

    `from` belongs to a span and `to` does not; "24:00" is the end of the day.
    """
    days = hours.get("days") or ()
    if not days:
        return True
    here = now.astimezone(zone_of(hours.get("timezone") or "UTC"))
    clock = f"{here:%H:%M}"
    return any(span["day"] == here.isoweekday() and span["from"] <= clock < span["to"] for span in days)
