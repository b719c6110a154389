"""The filters of expressions: pure functions of a value and its arguments, in a closed list."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from core.errors import NamedError, shorten
from core.spans import add_span, read_moment
from core.text.json import dumps
from core.text.persons import first_name_of
from crm.field_types import BadValue
from crm.field_types.numbers import AmbiguousNumber
from crm.field_types.numbers import read_number as read_written_number

MAX_TEXT_LENGTH = 10_000
"""The longest text that an expression gives."""
UNITS: dict[str, int | None] = {"minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800, "months": None}
"""Unit of dateAdd -> its seconds, for parts of it; a month has no parts."""
MAX_INTEGER = 2**63 - 1
"""The largest whole number that JSON of the database takes."""


class ExpressionFailed(NamedError):
    """A value that an expression cannot use. It fails the step by the node's policy."""


class TooLarge(ExpressionFailed):
    """A text that is longer than MAX_TEXT_LENGTH: it fails the step, rather than being cut."""

    def __init__(self) -> None:
        super().__init__("tooLarge", f"an expression gives a text of more than {MAX_TEXT_LENGTH:,} characters")


class BadNumber(ExpressionFailed):
    """A value that is no number, or that may be one of two."""

    def __init__(self, detail: str) -> None:
        super().__init__("badValue", detail)


def text_value(value: Any) -> str:
    """Return the value as text. Raises TooLarge."""
    return check_size(_words(value))


def check_size(string: str) -> str:
    """Return the text. Raises TooLarge."""
    if len(string) > MAX_TEXT_LENGTH:
        raise TooLarge
    return string


def _words(value: Any) -> str:
    """Return the value as a text, however long."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        # As JSON, so that a list in a text can be parsed again.
        return dumps(value).decode()
    return str(value)


def number(value: Any) -> int | float | None:
    """Return the number that the value is or says; None for none. Raises BadNumber for anything else."""
    if isinstance(value, bool):
        return int(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, dict | list):
        raise BadNumber(f"{shorten(_words(value), 60)} is no number")
    decimal = read_number(str(value))
    is_whole = decimal == decimal.to_integral_value() and abs(decimal) <= MAX_INTEGER
    return int(decimal) if is_whole else float(decimal)


def read_number(text: str) -> Decimal:
    """Return the number that a text says: as programs write it (1234.5), else as imports read it (1.234,50 or €5).

    Raises BadNumber, also for a text such as 1,234, which may be either of two numbers.
    """
    try:
        decimal = Decimal(text.strip())
    except InvalidOperation:
        try:
            decimal = read_written_number(text)
        except AmbiguousNumber as error:
            advice = """leave the mark of thousands out, as by | replace: ",", "" before it"""
            raise BadNumber(f"{error.meanings}; {advice}") from None
        except BadValue as error:
            raise BadNumber(str(error)) from None
    # A float holds no more, and 1e999999 would take all memory as a whole number.
    if not decimal.is_finite() or abs(decimal.adjusted()) > 300:
        raise BadNumber(f"{shorten(text, 60)!r} is out of the range of numbers")
    return decimal


class LocalTime(str):
    """The text of a time that the filter tz has put into a zone, whose clock further filters keep."""

    zone: tzinfo

    @classmethod
    def from_datetime(cls, moment: datetime, zone: tzinfo) -> LocalTime:
        """Return the time as ISO 8601 in the zone."""
        local_time = cls(moment.astimezone(zone).isoformat())
        local_time.zone = zone
        return local_time


def _zone_for(value: Any, zone: tzinfo) -> tzinfo:
    return value.zone if isinstance(value, LocalTime) else zone


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _round(value: Any, places: Any = 0) -> Any:
    amount, digits = number(value), number(places)
    # A place beyond that would make a text of a million digits.
    if amount is None or digits is None or not 0 <= digits <= 10:
        return None
    try:
        return number(Decimal(str(amount)).quantize(Decimal(1).scaleb(-int(digits)), ROUND_HALF_UP))
    except InvalidOperation:
        return amount  # it has more digits than a fraction could add to


def _add(value: Any, other: Any) -> Any:
    first, second = number(value), number(other)
    # By decimals: 0.1 + 0.2 of floats shows up in mails as 0.30000000000000004.
    return None if first is None or second is None else number(Decimal(str(first)) + Decimal(str(second)))


def _date_add(value: Any, amount: Any, unit: Any = "days", *, zone: tzinfo) -> str | None:
    zone = _zone_for(value, zone)
    start = read_moment(value, zone)
    count = number(amount)
    if start is None or count is None or unit not in UNITS:
        return None
    seconds = UNITS[unit]
    try:
        if isinstance(count, int):
            moment = add_span(start, {"amount": count, "unit": unit}, zone)
        elif seconds is not None:
            moment = start.astimezone(UTC) + timedelta(seconds=count * seconds)
        else:
            return None
    except (OverflowError, ValueError):
        return None
    return LocalTime.from_datetime(moment, zone) if isinstance(value, LocalTime) else moment.isoformat()


def _date(value: Any, pattern: Any = "%Y-%m-%d", *, zone: tzinfo) -> str | None:
    zone = _zone_for(value, zone)
    moment = read_moment(value, zone)
    try:
        # strftime repeats widths, so a short pattern can give a very long text.
        return None if moment is None else moment.astimezone(zone).strftime(text_value(pattern)[:60])[:200]
    except (OverflowError, ValueError):
        return None


def _zone(value: Any, name: Any, *, zone: tzinfo) -> str | None:
    moment = read_moment(value, _zone_for(value, zone))
    try:
        return None if moment is None else LocalTime.from_datetime(moment, ZoneInfo(text_value(name)))
    except (KeyError, ValueError, OSError, OverflowError):
        return None


def _replace(value: Any, old: Any, new: Any) -> Any:
    # Bounded like the text: each replacement may make it longer.
    return check_size(_words(value).replace(_words(old), _words(new), 1000)) if old else value


FILTERS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "default": (lambda value, other: other if value in (None, "", []) else value, 1, 1),
    "upper": (lambda value: _words(value).upper(), 0, 0),
    "lower": (lambda value: _words(value).lower(), 0, 0),
    "title": (lambda value: _words(value).title(), 0, 0),
    "trim": (lambda value: _words(value).strip(), 0, 0),
    "truncate": (lambda value, most: _words(value)[: max(0, int(number(most) or 0))], 1, 1),
    "replace": (_replace, 2, 2),
    "split": (lambda value, by: _words(value).split(text_value(by) or ",")[:1000], 1, 1),
    "join": (lambda value, by: check_size(_words(by).join(_words(item) for item in _items(value))), 1, 1),
    "first": (lambda value: next(iter(_items(value)), None), 0, 0),
    "last": (lambda value: next(iter(_items(value)[::-1]), None), 0, 0),
    "length": (lambda value: len(value) if isinstance(value, str | list | dict) else 0, 0, 0),
    "number": (number, 0, 0),
    "round": (_round, 0, 1),
    "add": (_add, 1, 1),
    "date": (_date, 0, 1),
    "dateAdd": (_date_add, 1, 2),
    "tz": (_zone, 1, 1),
    "json": (lambda value: check_size(dumps(value).decode()), 0, 0),
    "urlencode": (lambda value: check_size(quote(_words(value), safe="")), 0, 0),
    "sha256": (lambda value: hashlib.sha256(_words(value).encode()).hexdigest(), 0, 0),
    "firstName": (lambda value: first_name_of(_words(value)), 0, 0),
}
"""Name -> function, and the fewest and most arguments."""
ZONED = frozenset({"date", "dateAdd", "tz"})
"""Filters that also take the company's `zone`."""
