"""Words and choices of the pages on which a new import is set up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from babel import Locale
from phonenumbers import SUPPORTED_REGIONS

from core.web.forms import Field, Option

DELIMITERS = ((",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Vertical bar"))
ENCODINGS = (
    ("utf-8", "Unicode (UTF-8)"),
    ("utf-16", "Unicode (UTF-16)"),
    ("cp1252", "Western Europe (Windows)"),
    ("iso8859-15", "Western Europe (ISO 8859-15)"),
    ("mac-roman", "Western Europe (Mac)"),
    ("cp1250", "Central Europe (Windows)"),
    ("iso8859-2", "Central Europe (ISO 8859-2)"),
    ("mac-latin2", "Central Europe (Mac)"),
    ("cp1257", "Baltic (Windows)"),
    ("cp1251", "Cyrillic (Windows)"),
    ("koi8-r", "Cyrillic (KOI8-R)"),
    ("cp1253", "Greek (Windows)"),
    ("cp1254", "Turkish (Windows)"),
    ("cp1255", "Hebrew (Windows)"),
    ("cp1256", "Arabic (Windows)"),
    ("cp874", "Thai (Windows)"),
    ("cp1258", "Vietnamese (Windows)"),
    ("shift_jis", "Japanese (Shift JIS)"),
    ("euc_jp", "Japanese (EUC)"),
    ("gb18030", "Chinese, simplified (GB 18030)"),
    ("big5", "Chinese, traditional (Big5)"),
    ("cp949", "Korean (Windows)"),
)
TYPES = {
    "text": "text",
    "textarea": "long text",
    "number": "number",
    "date": "day",
    "datetime": "date and time",
    "checkbox": "yes or no",
    "select": "choice",
    "email": "email",
    "phone": "phone",
    "url": "web address",
}
"""Type of a new field -> its words."""
MARKS = ((".", "1,234.50 (point)"), (",", "1.234,50 (comma)"))
AS_COMPANY = "Read as your company writes dates. Choose the other reading if this file has other dates."
MOST_NAMES = 8
"""The most columns that a sentence names."""
DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
NO_RECORD = "NotARecord"
"""Part of the code of a row that is a title, a total or a footer."""


@lru_cache(maxsize=1)
def countries() -> list[Option]:
    """Return the countries that phone numbers can be from, by name."""
    names = Locale("en").territories
    found = [Option(code, names.get(code, code)) for code in SUPPORTED_REGIONS]
    return sorted(found, key=lambda one: one.label)


def country_name(code: str | None) -> str:
    return str(Locale("en").territories.get(code or "", code or ""))


def listed(names: Sequence[str]) -> str:
    """Name columns in a sentence, at most MOST_NAMES of them."""
    shown = ", ".join(names[:MOST_NAMES])
    return f"{shown} and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else shown


def left_out(names: Sequence[str]) -> str:
    """Say which columns are not imported; nothing if all are."""
    if not names:
        return ""
    what = "1 column is left out" if len(names) == 1 else f"{len(names)} columns are left out"
    return f"{what}: {listed(names)}."


def questions(job: Mapping[str, Any], values: Mapping[str, Any]) -> list[Field]:
    """Ask how numbers or dates of ambiguous columns are written, once for each option, by both readings of an example.

    A reading that is assumed is chosen already. `values` are answers that were given already.
    """
    found = []
    detected = job["detected"]
    for option, ask in (("decimalMark", _ask_numbers), ("dateFormat", _ask_dates)):
        columns = [one for one in (*detected["ambiguous"], *detected["assumed"]) if one["option"] == option]
        examples = [text for one in columns for text in one["examples"]]
        if examples:
            field = ask(listed([one["column"] for one in columns]), examples)
            field.value = values.get(option) or _assumed(columns)
            field.help = AS_COMPANY if field.value and not values.get(option) else ""
            found.append(field)
    return found


def _assumed(columns: Sequence[Mapping[str, Any]]) -> str:
    """Return the one reading that is assumed for all of the columns; empty if one of them has none, or another."""
    readings = {one.get("value", "") for one in columns}
    return str(readings.pop()) if len(readings) == 1 else ""


def assumptions(job: Mapping[str, Any]) -> list[str]:
    """Say which columns are read as the company writes, though they can be read in two ways."""
    columns: dict[str, list[str]] = {}
    for one in job["detected"]["assumed"]:
        columns.setdefault(one["value"], []).append(one["column"])
    return [
        f"Dates in {listed(names)} are read as {_in_words(reading)}, as your company writes them."
        for reading, names in columns.items()
    ]


def _in_words(date_format: str) -> str:
    """Write DD/MM/YYYY as day/month/year."""
    return date_format.replace("DD", "day").replace("MM", "month").replace("YYYY", "year")


def _ask_numbers(columns: str, examples: Sequence[str]) -> Field:
    text = next((text for text in examples if "." in text or "," in text), examples[0])
    digits = re.sub(r"[^\d.,]", "", text)
    readings = {mark: _number(digits, mark) for mark in (".", ",")}
    names = {".": "the point is the decimal mark", ",": "the comma is the decimal mark"}
    options = [Option(mark, f"{readings[mark]} – {names[mark]}") for mark in readings]
    return Field("decimalMark", f"Which number is {text} in {columns}?", "radio", options=options)


def _number(digits: str, mark: str) -> str:
    """Write digits with this decimal mark without marks of thousands."""
    other = "," if mark == "." else "."
    return digits.replace(other, "").replace(mark, ".").rstrip(".") or digits


def _ask_dates(columns: str, examples: Sequence[str]) -> Field:
    text = next((text for text in examples if DATE.search(text)), "3/9/2024")
    found = DATE.search(text)
    options = []
    if found is not None:
        first, mark, second, third = found.groups()
        year = "YYYY" if max(len(first), len(third)) == 4 else "YY"
        orders = [(("DD", "MM", year), (third, second, first)), (("MM", "DD", year), (third, first, second))]
        if mark == "-":  # years of two digits stand first in dates with hyphens
            orders.append(((year, "MM", "DD"), (first, second, third)))
        for order, parts in orders:
            if shown := _day(*parts, long=year == "YYYY"):
                options.append(Option(mark.join(order), shown))
    return Field("dateFormat", f"Which day is {text} in {columns}?", "radio", options=options)


def _day(year: str, month: str, day: str, *, long: bool) -> str:
    """Write a day in words; "" for none."""
    if (len(year) == 4) != long or not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31 or len(day) > 2:
        return ""
    return f"{int(day)} {MONTHS[int(month) - 1]} {year if long else '20' + year}"
