"""The filters of expressions: pure functions of a value and its arguments, in a closed list."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from core.errors import NamedError
from core.text.json import dumps
from core.text.persons import first_name_of

MOST = 10_000
"""The longest text that an expression gives."""
DAYS = {"minutes": 1 / 1440, "hours": 1 / 24, "days": 1, "weeks": 7}


class TooLarge(NamedError):
    """A text that is longer than MOST: it fails the step, rather than being cut."""

    def __init__(self) -> None:
        super().__init__("tooLarge", f"an expression gives a text of more than {MOST:,} characters")


def text(value: Any) -> str:
    """Return the value as it stands in a text. Raises TooLarge."""
    return bounded(_words(value))


def bounded(found: str) -> str:
    """Return the text. Raises TooLarge."""
    if len(found) > MOST:
        raise TooLarge
    return found


def _words(value: Any) -> str:
    """Return the value as a text, however long."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return dumps(value).decode()
    return str(value)


def number(value: Any) -> int | float | None:
    """Return the number that the value is or says, or None."""
    if isinstance(value, bool):
        return int(value)
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    if not found.is_finite() or abs(found.adjusted()) > 300:
        return None
    return int(found) if found == found.to_integral_value() else float(found)


def moment(value: Any) -> datetime | None:
    """Return the time that the value is or says, or None. One without an offset is in UTC."""
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _round(value: Any, places: Any = 0) -> Any:
    found, digits = number(value), number(places)
    if found is None or digits is None or not 0 <= digits <= 10:
        return None
    return number(Decimal(str(found)).quantize(Decimal(1).scaleb(-int(digits)), ROUND_HALF_UP))


def _add(value: Any, other: Any) -> Any:
    first, second = number(value), number(other)
    return None if first is None or second is None else number(Decimal(str(first)) + Decimal(str(second)))


def _date_add(value: Any, amount: Any, unit: Any = "days") -> str | None:
    start, count = moment(value), number(amount)
    if start is None or count is None or unit not in DAYS:
        return None
    try:
        return (start + timedelta(days=float(count) * DAYS[unit])).isoformat()
    except OverflowError:
        return None


def _date(value: Any, pattern: Any = "%Y-%m-%d") -> str | None:
    found = moment(value)
    return None if found is None else found.strftime(text(pattern)[:60])[:200]


def _zone(value: Any, name: Any) -> str | None:
    found = moment(value)
    try:
        return None if found is None else found.astimezone(ZoneInfo(text(name))).isoformat()
    except (KeyError, ValueError, OSError):
        return None


def _replace(value: Any, old: Any, new: Any) -> Any:
    return bounded(_words(value).replace(_words(old), _words(new), 1000)) if old else value


FILTERS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "default": (lambda value, other: other if value in (None, "", []) else value, 1, 1),
    "upper": (lambda value: _words(value).upper(), 0, 0),
    "lower": (lambda value: _words(value).lower(), 0, 0),
    "title": (lambda value: _words(value).title(), 0, 0),
    "trim": (lambda value: _words(value).strip(), 0, 0),
    "truncate": (lambda value, most: _words(value)[: max(0, int(number(most) or 0))], 1, 1),
    "replace": (_replace, 2, 2),
    "split": (lambda value, by: _words(value).split(text(by) or ",")[:1000], 1, 1),
    "join": (lambda value, by: bounded(_words(by).join(_words(item) for item in _items(value))), 1, 1),
    "first": (lambda value: next(iter(_items(value)), None), 0, 0),
    "last": (lambda value: next(iter(_items(value)[::-1]), None), 0, 0),
    "length": (lambda value: len(value) if isinstance(value, str | list | dict) else 0, 0, 0),
    "number": (number, 0, 0),
    "round": (_round, 0, 1),
    "add": (_add, 1, 1),
    "date": (_date, 0, 1),
    "dateAdd": (_date_add, 1, 2),
    "tz": (_zone, 1, 1),
    "json": (lambda value: bounded(dumps(value).decode()), 0, 0),
    "urlencode": (lambda value: bounded(quote(_words(value), safe="")), 0, 0),
    "sha256": (lambda value: hashlib.sha256(_words(value).encode()).hexdigest(), 0, 0),
    "firstName": (lambda value: first_name_of(_words(value)), 0, 0),
}
"""Name -> function, and the fewest and most arguments."""
