"""Dates and times as people write them in files.

"3/9/2024" may be two days. A text alone is ambiguous; the other values of its column may decide
(crm.imports.columns.evidence).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

from core.errors import shorten
from core.text.json import format_iso
from core.text.timezones import zone_of
from crm.field_types.base import BadValue, TextFormat
from crm.field_types.months import fold_word, month_numbers, weekday_names

SUCH_AS = "Enter a date, for example 2026-01-31 or 31.01.2026."
MAX_CHARS = 200
ORDERS = ("DMY", "MDY", "YMD")
FIRST_DAY_NUMBER, LAST_DAY_NUMBER = 10000, 73415
"""The day numbers of 1927-05-18 and 2100-12-31 in spreadsheets; others are numbers rather than days."""
FIRST_EARLY_NUMBER = 2101
"""The day number of 1905-10-01. Those from here on are days in a column of days; smaller ones look like years."""
PIVOT = 70
"""Two-digit years from here on are of the last century."""
_EPOCH = datetime(1899, 12, 30)
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?(?:[:.](?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
    r"\s*(?P<half>[ap]\.?\s?m\.?)?\s*(?:h|uhr|hrs|o'clock)?\s*(?P<zone>z|(?:utc|gmt)?\s?[+-]\d{1,2}(?::?\d{2})?|utc|gmt)?"
    r"(?<=\S)(?:(?<=\d)\s*\([a-z]{2,5}\))?"
)
_TIME = re.compile(_CLOCK, re.ASCII | re.IGNORECASE)
NUMERIC_DATE = re.compile(r"(\d{1,4})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{1,4})\.?(?:(?:[ T]+|, *)(\S.*))?", re.ASCII)
_EAST_ASIAN = re.compile(r"(\d{2,4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일号]?\s*(\S.*)?")
_ZONE_NAME = re.compile(r".*\d\s*(?:[ap]\.?m\.?)?\s*\(?([a-z]{2,5})\)?", re.ASCII | re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+\.?|\d+|[:,/+.\-]|\S")
_ORDINALS = frozenset(
    {"st", "nd", "rd", "th", "er", "e", "º", "ª", "o", "a", "de", "del", "den", "of", "the", "di", "d", "г"}
)
_DAY_NUMBER = re.compile(r"\d{4,5}(?:\.\d+)?", re.ASCII)


def parse_date(text: str, how: TextFormat) -> str:
    """Parse a date, or a time, into its stored form: 2026-01-31, or ISO 8601 in UTC with milliseconds.

    A time without an offset is in the zone of `how`. Raises BadValue.
    """
    return _stored(text, how.date_format, how.date_order, how.day_numbers, how.time_zone)


@lru_cache(maxsize=50_000)
def _stored(text: str, date_format: str, order: str, day_numbers: bool, zone: str) -> str:
    if day_numbers and (is_day_number(text) or is_early_day_number(text)):
        parsed: date | datetime = _day_of(float(text))
    else:
        parsed = parse_date_text(text, date_format, order)
    if not isinstance(parsed, datetime):
        return parsed.isoformat()
    try:
        return format_iso(parsed if parsed.tzinfo is not None else in_zone(parsed, zone, text))
    except OverflowError:
        raise BadValue(f"{_shown(text)} is not a real time. {SUCH_AS}") from None


def in_zone(moment: datetime, zone: str, text: str = "") -> datetime:
    """Return a time without offset as a time of the zone. Raises BadValue where clocks skip or repeat it."""
    if zone == "UTC":
        return moment.replace(tzinfo=UTC)
    here = moment.replace(tzinfo=zone_of(zone))
    first, second = here.utcoffset(), here.replace(fold=1).utcoffset()
    if first == second:
        return here
    shown = _shown(text or moment.isoformat(" "))
    if first < second:  # type: ignore[operator]
        raise BadValue(f"{shown} does not exist in {zone}: clocks skip it. Enter another time.")
    raise BadValue(
        f"{shown} exists twice in {zone}: clocks go back. Add the offset, such as {here.isoformat(timespec='minutes')}."
    )


def is_day_number(text: str) -> bool:
    """Return whether the text may be a spreadsheet's number of a day from 1927 to 2100."""
    return bool(_DAY_NUMBER.fullmatch(text)) and FIRST_DAY_NUMBER <= float(text) <= LAST_DAY_NUMBER


def is_early_day_number(text: str) -> bool:
    """Return whether the text may be a spreadsheet's number of a day from 1905 to 1927, in a column of days."""
    return bool(_DAY_NUMBER.fullmatch(text)) and FIRST_EARLY_NUMBER <= float(text) < FIRST_DAY_NUMBER


def _day_of(number: float) -> date | datetime:
    moment = _EPOCH + timedelta(milliseconds=round(number * 86_400_000))
    return moment.date() if moment.time() == time.min else moment


def parse_date_text(text: str, date_format: str = "", order: str = "") -> date | datetime:
    """Parse a date, or a datetime where the text has a time.

    Without a format or an order of the parts, it accepts ISO 8601, day.month.year, names of months and other
    unambiguous texts. With a format, numbers must have its order and separators. Raises BadValue.
    """
    if len(text) > MAX_CHARS:
        raise BadValue(f"{_shown(text)} is not a date. {SUCH_AS}")
    parsed = _iso(text)
    if parsed is not None:
        return parsed
    text = " ".join(text.replace("\u200e", "").split())
    form = format_of(date_format) if date_format else None
    try:
        return _parse(text, form, order)
    except BadValue:
        raise
    except (ValueError, OverflowError):
        advice = form.such_as if form else SUCH_AS
        raise BadValue(f"{_shown(text)} does not exist. {advice}") from None


def _iso(text: str) -> date | datetime | None:
    if len(text) < 8 or (text[4] != "-" and not text[:8].isdecimal()):
        return None
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        return None


def _parse(text: str, form: DateFormat | None, order: str) -> date | datetime:
    if form is not None:
        match = form.pattern.fullmatch(text)
        if match is not None:
            return _with_time(_formed(match), match["clock"], text)
    numeric = NUMERIC_DATE.fullmatch(text)
    if numeric is not None:
        if form is not None and len(numeric[1]) < 3:
            raise BadValue(f"{_shown(text)} is not a date of the form {form.text}. {form.such_as}")
        return _with_time(_from_numbers(numeric, order, text), numeric[5], text)
    eastern = _EAST_ASIAN.fullmatch(text)
    if eastern is not None:
        day = date(_year(eastern[1]), int(eastern[2]), int(eastern[3]))
        return _with_time(day, eastern[4], text)
    return _from_words(text, form)


def _formed(match: re.Match[str]) -> date:
    parts = match.groupdict()
    month = parts.get("month") or month_numbers().get(fold_word(parts.get("name") or ""))
    if month is None:
        raise ValueError("no month")
    return date(_year(parts["year"]), int(month), int(parts["day"]))


def _from_numbers(match: re.Match[str], order: str, text: str) -> date:
    parts = (match[1], match[3], match[4])
    orders = orders_of(*parts, match[2])
    if order in orders:
        orders = (order,)
    days = {day for each in orders if (day := _in_order(parts, each)) is not None}
    if not days:
        raise ValueError("no day")
    if order and order not in orders and len(days) > 1:
        raise ValueError("no day")
    if len(days) > 1:
        raise BadValue(
            f"{_shown(text)} may be day and month or month and day. Write it such as 2026-01-31, or set the date format"
            " (the option dateFormat), for example DD/MM/YYYY"
        )
    return days.pop()


def orders_of(first: str, second: str, third: str, separator: str) -> tuple[str, ...]:
    """Return the orders of day, month and year in which three numbers are a date."""
    if len(first) == 4:
        return ("YMD",) if _in_order((first, second, third), "YMD") else ()
    if len(first) == 3 or len(third) == 3:
        return ()
    fits = [order for order in ORDERS if _in_order((first, second, third), order)]
    if len(third) > 2 and "YMD" in fits:
        fits.remove("YMD")
    if separator == "." and "DMY" in fits:
        return ("DMY",)
    if separator == "/" and len(fits) > 1 and "YMD" in fits:
        fits.remove("YMD")  # years of two digits stand first in dates with hyphens
    return tuple(fits)


def _in_order(parts: tuple[str, str, str], order: str) -> date | None:
    place = dict(zip(order, parts, strict=True))
    if len(place["D"]) > 2 or len(place["M"]) > 2 or len(place["Y"]) == 1:
        return None
    try:
        return date(_year(place["Y"]), int(place["M"]), int(place["D"]))
    except ValueError:
        return None


def _year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return 2000 + year if year < PIVOT else 1900 + year


def _from_words(text: str, form: DateFormat | None) -> date | datetime:
    """Read a date with the name of its month: 14 Feb 2024, March 9, 2024, Sat 9-Mar-24 2:30 PM."""
    words = _WORD.findall(text)
    names = month_numbers()
    place = next((place for place, word in enumerate(words) if fold_word(word) in names), None)
    if place is None:
        raise _no_date(text, form)
    month = names[fold_word(words[place])]
    before = [word for word in words[:place] if word.isdecimal()]
    rest = words[place + 1 :]
    if any(not _is_filler(word) for word in words[:place] if not word.isdecimal()):
        raise _no_date(text, form)
    numbers, end = list(before), 0
    while end < len(rest) and len(numbers) < 2:
        if rest[end].isdecimal() and not (end + 1 < len(rest) and rest[end + 1] == ":"):
            numbers.append(rest[end])
        elif not _is_filler(rest[end]):
            break
        end += 1
    if len(numbers) != 2 or len(before) > 1:
        raise _no_date(text, form)
    first, second = numbers
    year_first = len(first) == 4 and bool(before)
    day, year = (second, first) if year_first else (first, second)
    if len(day) > 2 or len(year) not in (2, 4):
        raise _no_date(text, form)
    return _with_time(date(_year(year), month, int(day)), _behind(text, rest, end), text)


def _behind(text: str, rest: list[str], end: int) -> str:
    """Return the text after the last number of the date, without words such as "at" or "um"."""
    tail = text
    for word in reversed(rest[end:]):
        tail = tail[: tail.rindex(word)]
    behind = text[len(tail) :] if rest[end:] else ""
    return re.sub(r"^(?:[\s,.T-]|at\b|um\b|kl\b|klo\b|г\b)+", "", behind, flags=re.IGNORECASE)


def _is_filler(word: str) -> bool:
    folded = fold_word(word)
    return word in ",/.-" or folded in _ORDINALS or folded in weekday_names()


def _with_time(day: date, clock: str | None, text: str) -> date | datetime:
    if not clock:
        return day
    match = _TIME.fullmatch(clock.strip())
    if match is None or not (match["minute"] or match["half"]):
        zone = _ZONE_NAME.fullmatch(clock)
        if zone is not None and zone[1].lower() not in ("am", "pm"):
            raise BadValue(
                f"{_shown(text)} names the zone {zone[1]}, which is not the same everywhere. Write its offset, such as"
                " +01:00, or none"
            )
        raise BadValue(f"{_shown(text)} is not a date. {SUCH_AS}")
    hour = _hour(int(match["hour"]), (match["half"] or "").lower()[:1])
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    fraction = int((match["fraction"] or "0").ljust(6, "0"))
    if hour == 24 and not (minute or second or fraction):  # the end of the day
        day, hour = day + timedelta(days=1), 0
    moment = datetime(day.year, day.month, day.day, hour, minute, second, fraction)
    return moment.replace(tzinfo=_offset(match["zone"])) if match["zone"] else moment


def _hour(hour: int, half: str) -> int:
    if not half:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError("no hour")
    return hour % 12 + (12 if half == "p" else 0)


def _offset(text: str) -> timezone:
    digits = re.fullmatch(r"(?:utc|gmt|z)?\s?(?:([+-])(\d{1,2}):?(\d{2})?)?", text, re.IGNORECASE)
    if digits is None or not digits[1]:
        return UTC
    offset = timedelta(hours=int(digits[2]), minutes=int(digits[3] or 0))
    return timezone(-offset if digits[1] == "-" else offset)


def _no_date(text: str, form: DateFormat | None) -> BadValue:
    if form is not None:
        return BadValue(f"{_shown(text)} is not a date of the form {form.text}. {form.such_as}")
    return BadValue(f"{_shown(text)} is not a date. {SUCH_AS}")


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A format such as DD.MM.YYYY HH:mm; the time may be left out, and may follow a format without one."""

    text: str
    pattern: re.Pattern[str]
    order: str

    @property
    def such_as(self) -> str:
        """A sentence with an example."""
        parts = {"YYYY": "2026", "YY": "26", "MMMM": "January", "MMM": "Jan", "MM": "01", "DD": "31", "hh": "09"}
        parts |= {"M": "1", "D": "31", "HH": "09", "H": "9", "h": "9", "mm": "30", "ss": "00", "SSS": "000", "A": "AM"}
        return f"Enter a date, for example {_TOKEN.sub(lambda token: parts[token[0]], self.text)}."


_TOKEN = re.compile(r"YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A")
_DATE_GROUPS = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d{2})",
    "MMMM": r"(?P<name>[^\W\d_]+\.?)",
    "MMM": r"(?P<name>[^\W\d_]+\.?)",
    "MM": r"(?P<month>\d{1,2})",
    "M": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
    "D": r"(?P<day>\d{1,2})",
}


@lru_cache(maxsize=256)
def format_of(date_format: str) -> DateFormat:
    """Return a format such as DD.MM.YYYY HH:mm or D MMM YYYY hh:mm A; lower-case dd/mm/yyyy works too.

    Raises ValueError for an invalid one.
    """
    text = " ".join(date_format.split())
    shown = repr(shorten(date_format, 40))
    if "YY" not in text and "yy" in text:
        date_part, *time_part = re.split(r"(?=[Hh])", text, maxsplit=1)
        text = date_part.upper() + "".join(time_part).replace("a", "A")
    left = _TOKEN.sub("", text)
    if not re.fullmatch(r"[./:,\-T ]*", left):
        raise ValueError(f"{shown} is not a date format; write it such as DD.MM.YYYY or MM/DD/YYYY HH:mm")
    tokens = [token for token in _TOKEN.findall(text) if token in _DATE_GROUPS]
    if sorted(token[0] for token in tokens) != ["D", "M", "Y"]:
        raise ValueError(f"{shown} lacks a day, a month or a year; write it such as DD.MM.YYYY")
    start, end = _date_span(text)
    if any(token not in _DATE_GROUPS for token in _TOKEN.findall(text[start:end])):
        raise ValueError(f"{shown} has the time within the date; write it such as DD.MM.YYYY HH:mm")
    pattern = "".join(
        _DATE_GROUPS.get(part) or re.escape(part) for part in re.split(f"({_TOKEN.pattern})", text[start:end])
    )
    time_first = bool(_TOKEN.search(text[:start]))
    clock = r"(?:(?P<clock>\S.*?)[ T,]+)?" if time_first else r"(?:(?:[ T]+|, *)(?P<clock>\S.*))?"
    whole = clock + pattern if time_first else pattern + clock
    return DateFormat(text, re.compile(whole), "".join(token[0] for token in tokens))


def _date_span(text: str) -> tuple[int, int]:
    places = [match.span() for match in _TOKEN.finditer(text) if match[0] in _DATE_GROUPS]
    return places[0][0], places[-1][1]


def _shown(text: str) -> str:
    return shorten(text, 40)
