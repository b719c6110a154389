"""Dates as people write them in files."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache

from core.errors import shorten
from crm.field_types.base import BadValue

_PARTS = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
SUCH_AS = "Write one such as 2026-01-31 or 31.01.2026."
_TOKENS = (
    ("YYYY", "%Y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH", "%H"),
    ("hh", "%I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("YY", "%y"),
    ("A", "%p"),
)


@lru_cache(maxsize=256)
def pattern_of(date_format: str) -> str:
    """Convert a format such as DD.MM.YYYY HH:mm for strptime; lower-case dd/mm/yyyy works too.

    Raises ValueError for an invalid one.
    """
    text = date_format.strip()
    if "YY" not in text and "yy" in text:
        head, space, clock = text.partition(" ")
        text = head.upper() + space + clock.replace("a", "A")
    if "%" in text or not re.fullmatch(r"[YMDHhmsA./:, T-]+", text):
        raise ValueError(
            f"{shorten(date_format, 40)!r} is no date format; write it such as DD.MM.YYYY or MM/DD/YYYY HH:mm"
        )
    for token, directive in _TOKENS:
        text = text.replace(token, directive)
    if not {"%d", "%m"} <= set(re.findall("%.", text)) or not re.search("%[Yy]", text):
        raise ValueError(f"{shorten(date_format, 40)!r} lacks a day, a month or a year; write it such as DD.MM.YYYY")
    return text


def parse_date_text(text: str, date_format: str = "") -> date | datetime:
    """Parse a date, or a datetime where the text has a time.

    Without a format, it accepts ISO 8601, day.month.year and unambiguous slashes.
    """
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        pass
    if date_format:
        pattern = pattern_of(date_format)
        try:
            found = datetime.strptime(text, pattern)
        except ValueError:
            raise BadValue(f"{shorten(text, 40)} is no date of the form {date_format}. {_such_as(pattern)}") from None
        return found if "%H" in pattern or "%I" in pattern else found.date()
    match = _PARTS.fullmatch(text)
    if match is None:
        raise BadValue(f"{shorten(text, 40)} is no date. {SUCH_AS}")
    try:
        return _from_parts(match)
    except BadValue:
        raise  # it may be two dates
    except (ValueError, OverflowError):
        raise BadValue(f"there is no day {shorten(text, 40)}. {SUCH_AS}") from None


def _such_as(pattern: str) -> str:
    """Return what to write in a format, for strptime."""
    return f"Write one such as {datetime(2026, 1, 31, 9, 30).strftime(pattern)}."


def _from_parts(match: re.Match[str]) -> date | datetime:
    first, separator, second, third, hour, minute, seconds = match.groups()
    if len(first) == 4:
        year, month, day = int(first), int(second), int(third)
    else:
        year = int(third) if len(third) == 4 else 2000 + int(third) if int(third) < 70 else 1900 + int(third)
        month, day = _month_and_day(int(first), int(second), separator, match[0])
    found = date(year, month, day)
    return datetime(year, month, day, int(hour), int(minute), int(seconds or 0)) if hour else found


def _month_and_day(first: int, second: int, separator: str, text: str) -> tuple[int, int]:
    if separator == "." or first > 12 or first == second:
        return second, first
    if second > 12:
        return first, second
    raise BadValue(
        f"{text} may be day and month or month and day. Write it such as 2026-01-31, or set the date format, for"
        " example DD/MM/YYYY"
    )
