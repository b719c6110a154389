"""The values that lists compare, read from JSON, records and cursors by the type of their field."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from core.errors import InvalidFormat, NamedError, shorten
from core.ids import is_id

Kind = Literal["text", "number", "boolean", "date", "id"]
VALUE_TYPES: tuple[Kind, ...] = ("text", "number", "boolean", "date", "id")

MAX_TEXT = 10_000
MAX_EXPONENT = 300
"""Beyond 1e±300 PostgreSQL would fail to compare with a double precision column."""

_DAY = timedelta(days=1)
_MILLISECOND = timedelta(milliseconds=1)
_MICROSECOND = timedelta(microseconds=1)
_FINE_FRACTION = re.compile(r"\.\d{4,}")


UNKNOWN_FIELD = "unknownField"
"""Code of a refusal because the list has no such field."""


def refuse(parameter: str, problem: str, code: str = "") -> NamedError:
    """Return the error of a malformed list request: the parameter, the problem and the correct form."""
    return NamedError("InvalidRequest_400", problem, field=parameter, code=code)


@dataclass(frozen=True)
class Span:
    """A time range, `start` included and `end` excluded. `end` is None where the calendar ends."""

    start: datetime
    end: datetime | None


def clean_text(value: str, where: str, limit: int = MAX_TEXT) -> str:
    """Return the text, if PostgreSQL can store it."""
    if len(value) > limit:
        raise refuse(where, f"the text is {len(value)} characters long, at most {limit} are allowed")
    if "\0" in value:
        raise refuse(where, "the text holds a NUL character, which no record can contain")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse(where, "the text is not valid Unicode (it holds half a surrogate pair)") from None
    return value


def read_value(kind: Kind, raw: Any, where: str, field: str, zone: tzinfo = UTC) -> Any:
    """Convert a JSON value to the type that the field is compared with: str, int or Decimal, bool, or Span for dates.

    `where` names the parameter and the field in the error for a value of another type. A date without time is a day of
    `zone`.
    """
    return _read_date(raw, where, zone) if kind == "date" else _READERS[kind](raw, where, field)


def _read_text(raw: Any, where: str, field: str) -> str:
    if not isinstance(raw, str):
        raise refuse(where, f"needs a text, got {_describe(raw)}")
    return clean_text(raw, where)


def _read_number(raw: Any, where: str, field: str) -> int | Decimal:
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise refuse(where, f"needs a number, got {_describe(raw)}")
    # repr gives the shortest digits that mean the float; Decimal(raw) would give all of its binary digits.
    return _require_range(Decimal(repr(raw)) if isinstance(raw, float) else raw, where)


def _require_range(number: int | Decimal, where: str) -> int | Decimal:
    if isinstance(number, int):
        # Before Decimal, which takes quadratic time over long numbers.
        if number.bit_length() > 1000:
            raise refuse(where, f"the number is out of range, at most 1e{MAX_EXPONENT} is allowed")
        number = Decimal(number)
    if not number.is_finite() or abs(number.adjusted()) > MAX_EXPONENT or len(number.as_tuple().digits) > MAX_EXPONENT:
        raise refuse(where, f"the number is out of range, at most 1e{MAX_EXPONENT} is allowed")
    # A whole number stays an int, so that PostgreSQL can use the index of an integer column.
    return int(number) if number == number.to_integral_value() else number


def _read_boolean(raw: Any, where: str, field: str) -> bool:
    if not isinstance(raw, bool):
        raise refuse(where, f"needs true or false, got {_describe(raw)}")
    return raw


def _read_id(raw: Any, where: str, field: str) -> str:
    if not is_id(raw):
        raise InvalidFormat(field, raw, f"needs an id of 24 hex characters, got {_describe(raw)}", field=where)
    return raw


def _read_date(raw: Any, where: str, zone: tzinfo) -> Span:
    if not isinstance(raw, str):
        raise refuse(where, f"needs a date such as 2026-01-31 or 2026-01-31T09:30:00Z, got {_describe(raw)}")
    try:
        return parse_span(raw, zone)
    except (ValueError, OverflowError):
        raise refuse(where, f"needs a date such as 2026-01-31 or 2026-01-31T09:30:00Z, got {_describe(raw)}") from None


def parse_span(raw: str, zone: tzinfo = UTC) -> Span:
    """Parse ISO 8601 text as a time range: a date is its whole day in the zone, a time is the millisecond that answers
    show.

    A time without offset is in UTC. Raises ValueError or OverflowError.
    """
    try:
        day = date.fromisoformat(raw)
    except ValueError:
        start = as_utc(datetime.fromisoformat(raw))
        # With more digits than answers show, the caller means that very microsecond.
        length = _MICROSECOND if _FINE_FRACTION.search(raw) else _MILLISECOND
    else:
        return _day_span(day, zone)
    try:
        return Span(start, start + length)
    except OverflowError:
        return Span(start, None)


def _day_span(day: date, zone: tzinfo) -> Span:
    start = _start_of(day, zone)
    try:
        return Span(start, _start_of(day + _DAY, zone))
    except OverflowError:
        return Span(start, None)


def _start_of(day: date, zone: tzinfo) -> datetime:
    """Return the start of a day in the zone: the first time, if clocks skip or repeat midnight."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def as_utc(moment: datetime) -> datetime:
    """Convert a time to UTC. One without an offset is in UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


_READERS: dict[Kind, Callable[[Any, str, str], Any]] = {
    "text": _read_text,
    "number": _read_number,
    "boolean": _read_boolean,
    "id": _read_id,
}


def _describe(raw: Any) -> str:
    if raw is None:
        return "null"
    if isinstance(raw, dict | list):
        return "an object" if isinstance(raw, dict) else "an array"
    return f"{shorten(raw, 60)!r}" if isinstance(raw, str) else str(raw).lower()[:60]


def record_value(kind: Kind, value: Any, zone: tzinfo = UTC) -> Any:
    """Convert a record's value to the comparable form, or None if it isn't of that kind.

    A day is its start in the zone.
    """
    try:
        return _record_date(value, zone) if kind == "date" else _RECORD_VALUES[kind](value)
    except (ValueError, OverflowError, InvalidOperation):
        return None


def _record_number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _record_date(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, datetime):
        return as_utc(value)
    if isinstance(value, date):
        return _start_of(value, zone)
    return parse_span(value, zone).start if isinstance(value, str) else None


_RECORD_VALUES: dict[Kind, Callable[[Any], Any]] = {
    "text": lambda value: value if isinstance(value, str) else None,
    "number": _record_number,
    "boolean": lambda value: value if isinstance(value, bool) else None,
    "id": lambda value: value if isinstance(value, str) else None,
}


def pack(value: Any) -> Any:
    """Convert a sort value to JSON from which `unpack` restores exactly the same value."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, date):
        return value.isoformat()
    # So that exactly the same float comes back.
    return repr(value) if isinstance(value, float) else str(value)


def unpack(kind: Kind, packed: Any) -> Any:
    """Restore a sort value from a cursor. Raises ValueError for anything that `pack` cannot have written."""
    if packed is None:
        return None
    if kind == "boolean":
        if not isinstance(packed, bool):
            raise ValueError("not a boolean")
        return packed
    if not isinstance(packed, str) or "\0" in packed:
        raise ValueError("not text")
    if kind == "number":
        return _unpack_number(packed)
    if kind == "date":
        return date.fromisoformat(packed) if len(packed) == 10 else _as_aware(datetime.fromisoformat(packed))
    packed.encode()
    return packed


def _unpack_number(packed: str) -> int | Decimal:
    try:
        # The same bounds as in filters: a forged cursor reaches PostgreSQL as well.
        return _require_range(Decimal(packed), "cursor")
    except (InvalidOperation, NamedError):
        raise ValueError("not a number") from None


def _as_aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time without offset")
    return moment.astimezone(UTC)


_SIMPLE_UPPER: dict[str, str] = {}


def upper_text(text: str) -> str:
    """Convert the text to upper case, character by character, exactly as upper() in the database (ß stays ß)."""
    upper = text.upper()
    if len(upper) == len(text):
        return upper
    return "".join(_SIMPLE_UPPER.get(character) or _simple_upper(character) for character in text)


def _simple_upper(character: str) -> str:
    candidates = (character.upper(), character.title(), character)
    simple = next(candidate for candidate in candidates if len(candidate) == 1)
    return _SIMPLE_UPPER.setdefault(character, simple)
