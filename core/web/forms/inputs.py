"""Values of records in the inputs of forms, and untouched values that browsers send back.

Browsers change values that an input cannot represent: one-line inputs lose line breaks, a date input drops a time. A
value therefore gets an input that can represent it. The value sent back is compared with what a browser makes of the
rendered one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from core.text.json import format_iso

ONE_LINE = frozenset({"text", "email", "tel", "url", "search"})
TYPED = frozenset({*ONE_LINE, "textarea", "number", "date", "datetime", "datetime-local", "time"})
"""Kinds of fields that people type into."""
_LINE_ENDS = re.compile(r"\r\n?")
_BREAK = re.compile(r"[\r\n]")
_NUMBER = re.compile(r"-?(\d+|\d*\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""A number that an input of type number holds."""
_WHOLE = 10**21


class BadMoment(ValueError):
    """A local time that the company's clocks never show."""


def option_text(value: Any) -> str:
    """Write a value as options do: true and false, the JSON of lists and objects."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | Mapping) else str(value)


def input_text(value: Any) -> str:
    """Write a value as people type it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    return option_text(value)


def widget_of(kind: str, value: Any, zone: tzinfo) -> str:
    """Return the input that holds the value whole, for a field of this kind; "fixed" if no input does."""
    if kind == "lines":
        return "textarea" if _are_lines(value) else "fixed"
    if isinstance(value, list | Mapping) and (kind in TYPED or kind in ("select", "radio")):
        return "fixed"
    if kind in ("date", "datetime"):
        return _date_input_type(kind, value, zone)
    text = input_text(value)
    if kind in ONE_LINE and _BREAK.search(text):
        return "textarea"
    return "text" if kind == "number" and text and not _NUMBER.fullmatch(text) else kind


def _are_lines(value: Any) -> bool:
    """Return whether a textarea shows a list of texts whole, each in a line."""
    if value is None or value == "":
        return True
    return isinstance(value, list) and all(
        isinstance(item, str) and item == item.strip() != "" and not _BREAK.search(item) for item in value
    )


def _date_input_type(kind: str, value: Any, zone: tzinfo) -> str:
    text = input_text(value)
    if kind == "date" and (not text or _is_day(text)):
        return "date"
    return "datetime-local" if not text or local_text(text, zone) else "text"


def _is_day(text: str) -> bool:
    return len(text) == 10 and bool(_read(date, text))


def _read(kind: type[Any], text: str) -> Any:
    try:
        return kind.fromisoformat(text)
    except ValueError:
        return None


def local_text(text: str, zone: tzinfo) -> str:
    """Write a time in local time of the zone, in the shortest form, as browsers do; a day by its first minute.

    Empty for text that is no time, or one outside of the calendar.
    """
    moment: datetime | None = _read(datetime, text)
    if moment is None:
        return ""
    try:
        local = moment.astimezone(zone) if moment.tzinfo else moment
    except OverflowError:
        return ""
    clock = "minutes"
    if local.microsecond:
        clock = "milliseconds"
    elif local.second:
        clock = "seconds"
    return local.replace(tzinfo=None).isoformat(timespec=clock)


def read_local(text: str, zone: tzinfo, held: Any = None) -> str:
    """Read the local time of an input in the zone, in the API's form.

    Of a time that occurs twice it is the occurrence of the stored one, else the first. Raises BadMoment for one that
    the clocks skip. Returns other text as it is, for the API to refuse.
    """
    local: datetime | None = _read(datetime, text)
    if local is None or local.tzinfo:
        return text
    before: datetime | None = _read(datetime, held) if isinstance(held, str) else None
    fold = before.astimezone(zone).fold if before and before.tzinfo else 0
    try:
        moment = local.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    except OverflowError:
        return text
    if moment.astimezone(zone).replace(tzinfo=None) != local:
        raise BadMoment(_("The clocks of %(zone)s skip this time. Enter another one.") % {"zone": zone})
    return format_iso(moment)


def shown_text(widget: str, value: Any, zone: tzinfo) -> str:
    """Return the text of an input of this kind."""
    if widget == "textarea" and isinstance(value, list):
        return "\n".join(map(option_text, value))
    text = input_text(value)
    return local_text(text, zone) or text if widget == "datetime-local" else text


def with_newlines(text: str) -> str:
    """Return the text with \\n at the end of each line. Browsers send \\r\\n, whatever the page has."""
    return _LINE_ENDS.sub("\n", text)


def same_text(widget: str, shown: str, sent: str) -> bool:
    """Return whether a browser sends this for an untouched input."""
    shown, sent = with_newlines(shown), with_newlines(sent)
    if widget == "number":
        shown = shown if _NUMBER.fullmatch(shown) else ""
    elif widget in ONE_LINE:
        shown, sent = _BREAK.sub("", shown), _BREAK.sub("", sent)
    elif widget == "date":
        shown = shown if _is_day(shown) else ""
    elif widget == "datetime-local":
        return bool(_read(datetime, shown) == _read(datetime, sent))
    if widget in ("email", "url"):
        shown, sent = shown.strip(), sent.strip()
    return shown == sent


def typed_like(held: Any, text: str) -> Any:
    """Read a text as the kind of value that was held: a number for a number, true or false for one of them."""
    if isinstance(held, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    return read_number(text) if isinstance(held, int | float) and text else text


def read_number(text: str) -> Any:
    """Return the number in the text, None for an empty text, or the text itself if a number would differ from it.

    The API refuses the text with a reason.
    """
    if not text:
        return None
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return text
    return _exact_number(text)


def _exact_number(text: str) -> float | str:
    number = float(text)
    try:
        return number if Decimal(repr(number)) == Decimal(text) else text
    except ArithmeticError:
        return text


def merge_lists(opened: list[Any], typed: list[Any], current: list[Any]) -> list[Any]:
    """Merge a person's additions and removals into the current list."""
    remaining = [item for item in current if item in typed or item not in opened]
    return [*remaining, *(item for item in typed if item not in opened and item not in current)]


def is_nothing(value: Any) -> bool:
    """Return whether a field holds nothing, in any of its forms; 0 and false are something."""
    return value is None or value in ("", [])


def values_differ(left: Any, other: Any) -> bool:
    """Return whether two values of a field differ. Nothing is the same in each of its forms; lists have no order."""
    if isinstance(left, list) and isinstance(other, list):
        return sorted(map(option_text, left)) != sorted(map(option_text, other))
    if is_nothing(left) or is_nothing(other):
        return is_nothing(left) != is_nothing(other)
    return bool(left != other or isinstance(left, bool) != isinstance(other, bool))


def fold_label(text: str) -> str:
    """Return a label or value of an option for comparison."""
    return text.replace("_", " ").casefold()
