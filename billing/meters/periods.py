"""The months of meters: counted from the day of the subscription's period, for every interval."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta

MONTH = timedelta(days=31)


def month_at(
    now: datetime, *, start: datetime, end: datetime | None = None, day: int | None = None
) -> tuple[datetime, datetime]:
    """Return the month around `now` of a subscription whose period has this start and end, on `day` of months.

    A month never crosses the start or end of the period. A period of at most a month is one month, even if a pause has
    moved its end to another day of the month. Months continue before and after the period.
    """
    # A period that a pause has moved would otherwise fall into two months by the calendar.
    if end is not None and start <= now < end <= start + MONTH:
        return start, end
    day = day or start.day

    def nth_start(number: int) -> datetime:
        years, month = divmod(start.month - 1 + number, 12)
        year, month = start.year + years, month + 1
        return start.replace(year=year, month=month, day=min(day, monthrange(year, month)[1]))

    number = (now.year - start.year) * 12 + now.month - start.month
    if nth_start(number) > now:
        number -= 1
    begins, ends = nth_start(number), nth_start(number + 1)
    for edge in (start, end):
        if edge is not None and begins < edge < ends:
            begins, ends = (edge, ends) if edge <= now else (begins, edge)
    return begins, ends
