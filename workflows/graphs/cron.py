"""Cron expressions of five fields, read by cronsim, which follows Debian's cron."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from pydantic_core import PydanticCustomError


@dataclass(frozen=True)
class Cron:
    """A checked expression."""

    text: str

    def next_after(self, moment: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
        """Return the first time after this one, in UTC; None if there is none within 50 years.

        A fixed local time that the clocks skip occurs at the change, and one that they repeat occurs once. An
        expression whose minute or hour begins with a star follows real time.
        """
        # CronSim handles changes of clocks only in the zone itself.
        occurrence = next(CronSim(self.text, moment.astimezone(zone)), None)
        return None if occurrence is None else occurrence.astimezone(dt.UTC)


def read_cron(text: str) -> Cron:
    """Parse an expression. Raises ValueError."""
    if len(text.split()) != 5:
        raise PydanticCustomError("badCron", "enter five parts: minute hour day month weekday")
    try:
        CronSim(text, dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    except CronSimError as error:
        raise PydanticCustomError("badCron", "{error}", {"error": str(error)}) from None
    return Cron(text)
