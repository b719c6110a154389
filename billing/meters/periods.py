"""The months that meters count in: from the day of the subscription's period on, whatever its interval."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime


def month_at(
    now: datetime, *, start: datetime, end: datetime | None = None, day: int | None = None
) -> tuple[datetime, datetime]:
    """Return the month around `now` of a subscription whose period begins and ends then, on `day` of months.

    A month goes neither over the period's start nor over its end. Before and after the period the months go on.
    """
    day = day or start.day

    def nth(number: int) -> datetime:
        years, month = divmod(start.month - 1 + number, 12)
        year, month = start.year + years, month + 1
        return start.replace(year=year, month=month, day=min(day, monthrange(year, month)[1]))

    number = (now.year - start.year) * 12 + now.month - start.month
    if nth(number) > now:
        number -= 1
    begins, ends = nth(number), nth(number + 1)
    for edge in (start, end):
        if edge is not None and begins < edge < ends:
            begins, ends = (edge, ends) if edge <= now else (begins, edge)
    return begins, ends
