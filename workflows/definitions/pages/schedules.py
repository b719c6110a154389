"""Times of the clock as people choose them, each day or each week at a time, and the cron expression for them."""

from __future__ import annotations

import json
import re

from django.http import QueryDict
from django.utils.translation import gettext as _

from core.text.labels.weekdays import DAYS
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import BoundField, Field, Option, options_of, standalone_field

RHYTHM = "rhythm"
AT = "rhythm.at"
WEEKDAY = "rhythm.weekday"
DAY = "rhythm.day"
OWN = "cron"
"""The rhythm that is written as a cron expression."""
WORDS = {
    "daily": gettext_lazy("Every day"),
    "weekdays": gettext_lazy("Monday to Friday"),
    "weekly": gettext_lazy("Every week"),
    "monthly": gettext_lazy("Every month"),
    OWN: gettext_lazy("Cron expression"),
}
PARTS = {"daily": "* * *", "weekdays": "* * 1-5", "weekly": "* * {weekday}", "monthly": "{day} * *"}
"""Rhythm -> day, month and weekday of its expression."""
SHAPES = (
    ("daily", re.compile(r"\* \* \*")),
    ("weekdays", re.compile(r"\* \* 1-5")),
    ("weekly", re.compile(r"\* \* (?P<weekday>[0-7])")),
    ("monthly", re.compile(r"(?P<day>[1-9]|[12]\d|3[01]) \* \*")),
)


def rhythm_of(cron: str) -> dict[str, str]:
    """Return the choices equivalent to an expression; OWN if there are none."""
    match = re.fullmatch(r"(\d|[1-5]\d) (\d|1\d|2[0-3]) (.+)", " ".join(cron.split()))
    if match:
        for name, shape in SHAPES:
            days = shape.fullmatch(match[3])
            if days:
                parts = days.groupdict()
                weekday = str((int(parts.get("weekday") or 1) - 1) % 7 + 1)
                at = f"{int(match[2]):02}:{int(match[1]):02}"
                return {RHYTHM: name, AT: at, WEEKDAY: weekday, DAY: parts.get("day") or "1"}
    return {RHYTHM: OWN if cron else "daily", AT: "09:00", WEEKDAY: "1", DAY: "1"}


def cron_from(form_data: QueryDict) -> str | None:
    """Return the expression of the choices; None if it was typed, or not requested."""
    days = PARTS.get(form_data.get(RHYTHM, ""))
    time = re.fullmatch(r"(\d\d):(\d\d)(:\d\d)?", form_data.get(AT, ""))
    if days is None:
        return None
    hour, minute = (int(time[1]), int(time[2])) if time else (9, 0)
    weekday, day = (re.fullmatch(r"\d{1,2}", form_data.get(name, "")) for name in (WEEKDAY, DAY))
    day_numbers = {"weekday": int(weekday[0]) % 7 if weekday else 1, "day": int(day[0]) if day else 1}
    return f"{minute} {hour} {days.format(**day_numbers)}"


def rhythm_fields(schedule: Values) -> list[tuple[BoundField, str]]:
    """Return the fields of a rhythm, each with the choices with which it matters, in the form of settings."""
    cron = schedule.get("cron")
    rhythm = rhythm_of(cron if isinstance(cron, str) else "")
    days = [Option(str(place), day) for place, day in enumerate(DAYS, 1)]
    fields = (
        (Field(RHYTHM, _("How often"), "select", required=True, options=options_of(WORDS.items())), ()),
        (Field(WEEKDAY, _("On"), "select", required=True, options=days), ("weekly",)),
        (
            Field(DAY, _("On day"), "number", help_text=_("From 1 to 31. Months without that day are skipped.")),
            ("monthly",),
        ),
        (Field(AT, _("At"), "time"), tuple(PARTS)),
    )
    pairs = []
    for entry, rhythms in fields:
        entry.initial = rhythm[entry.name]
        pairs.append(
            (standalone_field(entry), json.dumps({"schedule.type": ["cron"], **({RHYTHM: rhythms} if rhythms else {})}))
        )
    return pairs
