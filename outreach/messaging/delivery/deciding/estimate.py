"""Estimates when the last of so many messages goes, from a sender's limits and the sending hours."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.decision import ramp_limit
from outreach.messaging.delivery.limits.windows import Window, next_opening

MAX_STEPS = 4000
"""Maximum number of days, or parts of them, in an estimate; longer sending is not estimated."""
UNLIMITED = 2**31


@dataclass(frozen=True)
class Estimate:
    """Estimated speed of messages. A rate is None without a limit."""

    per_hour: int | None
    per_day: int | None
    begins_at: dt.datetime | None
    ends_at: dt.datetime | None
    """Time of the last message; None if none is sent, or if that takes many years."""


def estimate(
    number: int, sender: Sender | None, *, window: Window | None, zone: ZoneInfo, now: dt.datetime
) -> Estimate:
    """Estimate how long the messages take, as if the sender had nothing else to send. Hours are the company's."""
    if sender is None or not number:
        return Estimate(None, None, None, None)
    rates = [rate for rate in ((sender.per_minute or 0) * 60, sender.per_hour) if rate]
    per_hour = min(rates, default=None)
    moment = now
    begins = None
    left = number
    day, used = now.astimezone(zone).date(), 0
    for _ in range(MAX_STEPS):
        # Reckoned window by window: a rate over calendar days would promise mails on Sundays.
        opens = next_opening(window, zone, moment) if window else moment
        begins = begins or opens
        local = opens.astimezone(zone)
        if local.date() != day:
            day, used = local.date(), 0
        closes = _closing(window, local)
        capacity = UNLIMITED if per_hour is None else math.floor((closes - opens).total_seconds() / 3600 * per_hour)
        allowed = max(0, _day_limit(sender, now.astimezone(zone).date(), day) - used)
        taken = min(left, capacity, allowed)
        if taken == left:
            last = opens + dt.timedelta(hours=left / per_hour if per_hour else 0)
            return Estimate(per_hour, sender.per_day, begins, last)
        left, used = left - taken, used + taken
        # The day's limit is used up: nothing goes before midnight, even if the window stays open.
        moment = _midnight(local) if taken == allowed else closes
    return Estimate(per_hour, sender.per_day, begins, None)


def _day_limit(sender: Sender, today: dt.date, day: dt.date) -> int:
    most = sender.per_day or UNLIMITED
    if not sender.ramp_start:
        return most
    return ramp_limit(sender.first_sent_on or today, day, start=sender.ramp_start, step=sender.ramp_step or 0, cap=most)


def _closing(window: Window | None, local: dt.datetime) -> dt.datetime:
    """Return when the window closes that is open at this local time, at midnight at the latest."""
    midnight = _midnight(local)
    if window is None or window.start == window.end:
        return midnight
    closing = dt.datetime.combine(local.date(), window.end, local.tzinfo).astimezone(dt.UTC)
    return closing if local.astimezone(dt.UTC) < closing < midnight else midnight


def _midnight(local: dt.datetime) -> dt.datetime:
    """Return the next midnight of the local time, in UTC."""
    return dt.datetime.combine(local.date() + dt.timedelta(days=1), dt.time(0), local.tzinfo).astimezone(dt.UTC)
