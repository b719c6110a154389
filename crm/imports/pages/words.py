"""Words and choices of the pages on which a new import is set up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from babel import Locale
from django.utils.translation import gettext as _
from phonenumbers import SUPPORTED_REGIONS

from core.text.addresses import NO_COUNTRY, BadAddress, read_phone
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Option

DELIMITERS = (
    (",", gettext_lazy("Comma")),
    (";", gettext_lazy("Semicolon")),
    ("\t", gettext_lazy("Tab")),
    ("|", gettext_lazy("Vertical bar")),
)
ENCODINGS = (
    ("utf-8", gettext_lazy("Unicode (UTF-8)")),
    ("utf-16", gettext_lazy("Unicode (UTF-16)")),
    ("cp1252", gettext_lazy("Western Europe (Windows)")),
    ("iso8859-15", gettext_lazy("Western Europe (ISO 8859-15)")),
    ("mac-roman", gettext_lazy("Western Europe (Mac)")),
    ("cp1250", gettext_lazy("Central Europe (Windows)")),
    ("iso8859-2", gettext_lazy("Central Europe (ISO 8859-2)")),
    ("mac-latin2", gettext_lazy("Central Europe (Mac)")),
    ("cp1257", gettext_lazy("Baltic (Windows)")),
    ("cp1251", gettext_lazy("Cyrillic (Windows)")),
    ("koi8-r", gettext_lazy("Cyrillic (KOI8-R)")),
    ("cp1253", gettext_lazy("Greek (Windows)")),
    ("cp1254", gettext_lazy("Turkish (Windows)")),
    ("cp1255", gettext_lazy("Hebrew (Windows)")),
    ("cp1256", gettext_lazy("Arabic (Windows)")),
    ("cp874", gettext_lazy("Thai (Windows)")),
    ("cp1258", gettext_lazy("Vietnamese (Windows)")),
    ("shift_jis", gettext_lazy("Japanese (Shift JIS)")),
    ("euc_jp", gettext_lazy("Japanese (EUC)")),
    ("gb18030", gettext_lazy("Chinese, simplified (GB 18030)")),
    ("big5", gettext_lazy("Chinese, traditional (Big5)")),
    ("cp949", gettext_lazy("Korean (Windows)")),
)
TYPES = {
    "text": gettext_lazy("text"),
    "textarea": gettext_lazy("long text"),
    "number": gettext_lazy("number"),
    "date": gettext_lazy("day"),
    "datetime": gettext_lazy("date and time"),
    "checkbox": gettext_lazy("yes or no"),
    "select": gettext_lazy("choice"),
    "email": gettext_lazy("email"),
    "phone": gettext_lazy("phone"),
    "url": gettext_lazy("web address"),
}
"""Type of a new field -> its label."""
MARKS = ((".", gettext_lazy("1,234.50 (point)")), (",", gettext_lazy("1.234,50 (comma)")))
AS_COMPANY = gettext_lazy("Read in your company's date format. Choose another if needed.")
MAX_NAMES = 8
"""The most columns that a sentence names."""
DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)")
MONTHS = (
    *(
        gettext_lazy("January"),
        gettext_lazy("February"),
        gettext_lazy("March"),
        gettext_lazy("April"),
        gettext_lazy("May"),
        gettext_lazy("June"),
        gettext_lazy("July"),
    ),
    *(
        gettext_lazy("August"),
        gettext_lazy("September"),
        gettext_lazy("October"),
        gettext_lazy("November"),
        gettext_lazy("December"),
    ),
)
UNKNOWN = ngettext_lazy(
    "“%(value)s” in %(column)s is no option of %(field)s: %(count)s row",
    "“%(value)s” in %(column)s is no option of %(field)s: %(count)s rows",
)
LEFT_OUT = ngettext_lazy("%(count)s column is left out: %(names)s.", "%(count)s columns are left out: %(names)s.")
MAX_UNKNOWN = 20
"""The most unknown values that the check names."""
NO_RECORD = "NotARecord"
"""Part of the code of a row that is a title, a total or a footer."""


COUNTRY_QUESTION = gettext_lazy("Which country are phone numbers without a country code from?")
WORD = re.compile(r"[^\W\d_]+")
COUNTRY_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
COUNTRY_WORDS = frozenset({"country", "land", "pays", "país", "pais", "paese"})


@lru_cache(maxsize=1)
def countries() -> list[Option]:
    """Return the countries that phone numbers can be from, by name."""
    names = Locale("en").territories
    options = [Option(code, names.get(code, code)) for code in SUPPORTED_REGIONS]
    return sorted(options, key=lambda option: option.label)


def country_name(code: str | None) -> str:
    return str(Locale("en").territories.get(code or "", code or ""))


@lru_cache(maxsize=1)
def _country_codes() -> Mapping[str, str]:
    """Return the name of a country in lower case, and its code, -> its code."""
    names = {
        name.casefold(): code
        for language in reversed(COUNTRY_LANGUAGES)
        for code, name in Locale(language).territories.items()
        if code in SUPPORTED_REGIONS
    }
    short = {"usa": "US", "uk": "GB", "united states of america": "US", "great britain": "GB", "england": "GB"}
    return names | short | {code.casefold(): code for code in SUPPORTED_REGIONS}


def common_country(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return the code of the country that most rows name in a column of countries; "" for none."""
    places = [place for place, header in enumerate(headers) if COUNTRY_WORDS & set(WORD.findall(header.casefold()))]
    codes = _country_codes()
    cells = [str(row[place] or "").strip().casefold() for row in rows for place in places if place < len(row)]
    counts = Counter(code for cell in cells if (code := codes.get(cell)))
    code, count = counts.most_common(1)[0] if counts else ("", 0)
    return code if 2 * count > sum(counts.values()) else ""


def country_question(job: Values) -> Field:
    """Ask for the country of national numbers, with that of the file's column of countries chosen."""
    field = Field("country", COUNTRY_QUESTION, "select", options=countries(), placeholder=_("Choose a country"))
    field.initial = common_country(job["headers"], job["sample"])
    return field


def lacks_country(text: str) -> bool:
    """Return whether a phone number can only be read once its country is known."""
    try:
        read_phone(None, text)
    except BadAddress as error:
        return error.code == NO_COUNTRY
    return False


def row_lines(rows: Iterable[Values]) -> list[JsonObject]:
    """Return the number and the values of rows, as a line each."""
    lines = []
    for row in rows:
        values = ["" if value is None else str(value) for value in row["values"]]
        lines.append({"row": row["row"], "line": " · ".join(value for value in values if value)})
    return lines


def unknown_words(unknown: Values, mapping: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """Return the message that the company does not have a value of the file."""
    column = unknown["column"]
    field = labels.get(mapping.get(column, ""), column)
    return UNKNOWN.of(unknown["rows"], value=unknown["value"], column=column, field=field)


def join_names(names: Sequence[str]) -> str:
    """Name columns in a sentence, at most MAX_NAMES of them."""
    shown, more = ", ".join(names[:MAX_NAMES]), len(names) - MAX_NAMES
    return _("%(names)s and %(count)s more") % {"names": shown, "count": more} if more > 0 else shown


def skipped_columns_message(names: Sequence[str]) -> str:
    """Return the message about columns that are not imported; empty if all are."""
    return LEFT_OUT.of(len(names), names=join_names(names)) if names else ""


def questions(job: Values, values: Values) -> list[Field]:
    """Ask how numbers or dates of ambiguous columns are written, once for each option, by both readings of an example.

    A reading that is assumed is chosen already. `values` are answers that were given already.
    """
    fields = []
    detected = job["detected"]
    for option, ask in (("decimalMark", _ask_numbers), ("dateFormat", _ask_dates)):
        columns = [column for column in (*detected["ambiguous"], *detected["assumed"]) if column["option"] == option]
        examples = [text for column in columns for text in column["examples"]]
        if examples:
            field = ask(join_names([column["column"] for column in columns]), examples)
            field.initial = values.get(option) or _assumed_reading(columns)
            field.help_text = AS_COMPANY if field.initial and not values.get(option) else ""
            fields.append(field)
    return fields


def _assumed_reading(columns: Sequence[Values]) -> str:
    """Return the one reading that is assumed for all of the columns; empty if one of them has none, or another."""
    readings = {column.get("value", "") for column in columns}
    return str(readings.pop()) if len(readings) == 1 else ""


def assumption_messages(job: Values) -> list[str]:
    """Return the messages about ambiguous columns that are read in the company's format."""
    columns: dict[str, list[str]] = {}
    for column in job["detected"]["assumed"]:
        columns.setdefault(column["value"], []).append(column["column"])
    return [
        _("Dates in %(names)s are read as %(in_words)s, your company's format.")
        % {"names": join_names(names), "in_words": _in_words(reading)}
        for reading, names in columns.items()
    ]


def _in_words(date_format: str) -> str:
    """Write DD/MM/YYYY as day/month/year."""
    return date_format.replace("DD", _("day")).replace("MM", _("month")).replace("YYYY", _("year"))


def _ask_numbers(columns: str, examples: Sequence[str]) -> Field:
    text = next((text for text in examples if "." in text or "," in text), examples[0])
    digits = re.sub(r"[^\d.,]", "", text)
    readings = {mark: _number(digits, mark) for mark in (".", ",")}
    names = {".": _("the point is the decimal mark"), ",": _("the comma is the decimal mark")}
    options = [Option(mark, f"{readings[mark]} – {names[mark]}") for mark in readings]
    return Field(
        "decimalMark",
        _("Which number is %(text)s in %(columns)s?") % {"text": text, "columns": columns},
        "radio",
        options=options,
    )


def _number(digits: str, mark: str) -> str:
    """Write digits with this decimal mark without marks of thousands."""
    other = "," if mark == "." else "."
    return digits.replace(other, "").replace(mark, ".").rstrip(".") or digits


def _ask_dates(columns: str, examples: Sequence[str]) -> Field:
    text = next((text for text in examples if DATE.search(text)), "3/9/2024")
    match = DATE.search(text)
    options = []
    if match is not None:
        first, mark, second, third = match.groups()
        year = "YYYY" if max(len(first), len(third)) == 4 else "YY"
        orders = [(("DD", "MM", year), (third, second, first)), (("MM", "DD", year), (third, first, second))]
        if mark == "-":  # years of two digits stand first in dates with hyphens
            orders.append(((year, "MM", "DD"), (first, second, third)))
        for order, parts in orders:
            if shown := _day(*parts, long=year == "YYYY"):
                options.append(Option(mark.join(order), shown))
    return Field(
        "dateFormat",
        _("Which day is %(text)s in %(columns)s?") % {"text": text, "columns": columns},
        "radio",
        options=options,
    )


def _day(year: str, month: str, day: str, *, long: bool) -> str:
    """Write a day as text; "" for none."""
    if (len(year) == 4) != long or not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31 or len(day) > 2:
        return ""
    return f"{int(day)} {MONTHS[int(month) - 1]} {year if long else '20' + year}"
