"""Judge which custom field would hold the values of a column, by all rows of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, TypedDict

from crm.field_types import FIELD_TYPES
from crm.field_types.values import Boolean
from crm.imports.columns.blank_values import IN_DATES
from crm.imports.readers.base import Cell
from crm.imports.readers.mapping import CLEAR_PHONE, EMAIL, SEPARATOR, URL
from crm.imports.readers.meanings import has_address_of_others, is_of_others, names_address, system_columns
from crm.imports.readers.synonyms import FIRST_NAME, LAST_NAME, SYNONYMS
from crm.imports.readers.words import normalise, split_phrases

JUDGED_ROWS = 100
"""The rows whose values decide the type."""
MAX_OPTIONS, MAX_OPTION = 8, 40
MIN_VALUES, REPEATS = 20, 5
"""A column is a choice if it has at least so many values, each of its options so often on average."""
MAX_LINE_LENGTH = 200
_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}\.?[- ][^\W\d]{3,9}\.?[-, ]+\d{2,4}"
_DAY += r"|[^\W\d]{3,9}\.? \d{1,2},? \d{4})"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?: ?(?:z|utc|gmt|[-+]\d{2}:?\d{2}))?"
DAY = re.compile(_DAY, re.IGNORECASE)
MOMENT = re.compile(rf"{_DAY}(?:t|,? ){_TIME}", re.IGNORECASE)
NUMBER = re.compile(
    r"[-+]?(?:[$€£¥] ?)?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:[.,'’ \u00a0\u202f]\d{3})+)(?:[.,]\d{1,9})?(?: ?[$€£¥])?"
)
NOTHING = frozenset(word.casefold() for word in IN_DATES) - {"0"}
"""Texts that programs write for no value."""
YES_OR_NO = frozenset(Boolean.words) - {"1", "0", "-"}
# Digits that are names, not amounts: leading zeros and sums mean nothing.
NAMING = split_phrases("""
    zip, postal, postcode, plz, postleitzahl, cap, cep, id, code, sku, iban, bic, vat, tax, ssn, siret, ean, isbn,
    reference, ref, serial, version
""")
# Columns of 0 and 1 that answer a question.
CONSENT = split_phrases(
    "opt, optin, optout, consent, subscribed, unsubscribed, active, is, has, do, einwilligung, accepts"
)
# Columns of many values, of which a small file happens to have few.
OPEN = split_phrases("""
    company, firm, firma, organization, organisation, unternehmen, société, empresa, azienda, account, city, town,
    stadt, ort, ville, ciudad, città, country, land, pays, país, paese, state, region, county, name, street, address,
    title, position, job, role, domain, school, club
""")


# Columns that programs write for themselves: where and how somebody signed up, and numbers of records.
TECHNICAL = frozenset(
    {"optin ip", "confirm ip", "ip", "ip address", "latitude", "longitude", "lat", "lng", "lon", "gmtoff", "dstoff"}
    | {"gmt off", "dst off", "timezone", "cc", "region", "leid", "euid", "member rating", "last changed", "user agent"}
    | {"priority", "sensitivity", "private", "initials", "etag", "guid", "uuid", "uid", "hash"}
)
# The times at which somebody agreed, which prove the consent.
CONSENT_TIMES = frozenset({"optin time", "opt in time", "confirm time", "consent time", "consent date", "optin date"})
MIN_ALIKE = 3
"""A column is no data about a person if all of the file's rows, at least so many, have the same value there."""


class ColumnFacts(TypedDict):
    """The content of a column, and the field for its values."""

    filled: int
    """The number of its values; 0 if all of them are words for nothing."""
    several: bool
    """Cells have several values, as Google writes them."""
    fieldType: str
    valueType: str
    options: list[str]
    alike: bool
    """All rows have the same value."""


class ProposedField(TypedDict):
    """The custom field that would hold the values of a column."""

    column: str
    name: str
    fieldType: str
    valueType: str
    options: list[str]
    values: int
    """The number of its values."""
    preselected: bool


@dataclass(slots=True)
class _Counted:
    filled: int = 0
    says_something: bool = False
    """It has a value other than a word for nothing."""
    several: bool = False
    first: Cell = None
    differs: bool = False
    """A row has another value than the first one."""
    cells: list[Cell] = field(default_factory=list)
    """The first values."""
    distinct: dict[str, None] = field(default_factory=dict)
    is_open: bool = False
    """It has more values than a choice may have options."""


class ColumnCounter:
    """Counts the values of each column while the file is read."""

    def __init__(self, headers: Sequence[str]) -> None:
        self._headers = headers
        self._columns = [_Counted() for _ in headers]
        self._rows = 0

    def add(self, cells: Sequence[Cell]) -> None:
        """Count the values of a row."""
        self._rows += 1
        judged = self._rows <= JUDGED_ROWS
        for column, cell in zip(self._columns, cells, strict=False):
            if cell is None:
                continue
            column.filled += 1
            if not column.says_something:
                column.says_something = not (type(cell) is str and cell.casefold() in NOTHING)
            if not column.differs:
                if column.first is None:
                    column.first = cell
                column.differs = cell != column.first
            if judged:
                column.cells.append(cell)
            if type(cell) is str:
                if SEPARATOR in cell:
                    column.several = True
                if not column.is_open and cell not in column.distinct:
                    column.distinct[cell] = None
                    column.is_open = len(column.distinct) > MAX_OPTIONS

    def facts(self) -> list[ColumnFacts]:
        """Return the facts of each column."""
        column_facts = []
        for header, column in zip(self._headers, self._columns, strict=True):
            field_type, options = _type_of(normalise(header), column)
            column_facts.append(
                ColumnFacts(
                    filled=column.filled if column.says_something else 0,
                    several=column.several,
                    fieldType=field_type,
                    valueType=FIELD_TYPES[field_type].value_types[0],
                    options=options,
                    alike=self._rows >= MIN_ALIKE and column.filled == self._rows and not column.differs,
                )
            )
        return column_facts


def proposed_fields(headers: Sequence[str], facts: Sequence[ColumnFacts], mapping: Any) -> list[ProposedField]:
    """Return for each column the field that would hold it.

    Preselected are those of columns that have values, feed nothing yet, and that people write about the person.
    """
    plain = [normalise(header) for header in headers]
    system = system_columns(headers, plain)
    parts = SYNONYMS[FIRST_NAME] | SYNONYMS[LAST_NAME]
    proposals = []
    for place, (header, column_facts) in enumerate(zip(headers, facts, strict=False)):
        part = plain[place] in parts and "name" in mapping.values()
        other = (
            part or _is_of_others(plain[place]) or _is_label(plain[place]) or _says_nothing(plain[place], column_facts)
        )
        system_column = place in system and plain[place] not in CONSENT_TIMES
        proposals.append(
            ProposedField(
                column=header,
                name=header,
                fieldType=column_facts["fieldType"],
                valueType=column_facts["valueType"],
                options=column_facts["options"],
                values=column_facts["filled"],
                preselected=bool(column_facts["filled"]) and header not in mapping and not system_column and not other,
            )
        )
    return proposals


def _is_of_others(header: str) -> bool:
    return is_of_others(header) or names_address(header) and has_address_of_others(header)


def _says_nothing(header: str, facts: ColumnFacts) -> bool:
    """Return whether a column is a program's own, or the same in all rows without naming a firm, place or such."""
    alike = facts.get("alike", False) and not OPEN.intersection(header.split())
    return (header in TECHNICAL or alike) and header not in CONSENT_TIMES


def _is_label(header: str) -> bool:
    """Return whether a column has the kind of the address or number in the next one, as Google's do."""
    words = header.split()
    return words[-1:] in (["label"], ["type"]) and any(word.isdecimal() for word in words)


def _type_of(header: str, column: _Counted) -> tuple[str, list[str]]:
    """Return the type of field that holds the column's values, with its options."""
    values = [cell for cell in column.cells if not (isinstance(cell, str) and cell.casefold() in NOTHING)]
    if not values:
        return "text", []
    words = set(header.split())
    if words & CONSENT and all(str(value) in ("0", "1") for value in values):
        return "checkbox", []
    for name, fits in _TESTS:
        if all(map(fits, values)):
            if name == "number" and words & NAMING:
                break
            return name if name in FIELD_TYPES else "date", []
    if not column.is_open and not words & OPEN and all(isinstance(value, str) for value in values):
        options = [text for text in column.distinct if text.casefold() not in NOTHING]
        short = all(len(option) <= MAX_OPTION and "\n" not in option for option in options)
        if short and len(options) > 1 and column.filled >= max(MIN_VALUES, REPEATS * len(options)):
            return "select", options
    long = any(isinstance(value, str) and ("\n" in value or len(value) > MAX_LINE_LENGTH) for value in values)
    return "textarea" if long else "text", []


def _is_text(pattern: re.Pattern[str]) -> Callable[[Cell], bool]:
    return lambda cell: isinstance(cell, str) and bool(pattern.fullmatch(cell.strip()))


def _is_yes_or_no(cell: Cell) -> bool:
    return isinstance(cell, bool) or (isinstance(cell, str) and cell.strip().casefold() in YES_OR_NO)


def _is_number(cell: Cell) -> bool:
    if isinstance(cell, str):
        return bool(NUMBER.fullmatch(cell.strip()))
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _is_day(cell: Cell) -> bool:
    if isinstance(cell, datetime):
        return cell.time() == time()
    return isinstance(cell, date) or (isinstance(cell, str) and bool(DAY.fullmatch(cell.strip())))


def _is_moment(cell: Cell) -> bool:
    return (
        isinstance(cell, datetime) or _is_day(cell) or (isinstance(cell, str) and bool(MOMENT.fullmatch(cell.strip())))
    )


_TESTS: tuple[tuple[str, Callable[[Cell], bool]], ...] = (
    ("email", _is_text(EMAIL)),
    ("url", _is_text(URL)),
    ("checkbox", _is_yes_or_no),
    ("number", _is_number),
    ("date", _is_day),
    ("datetime", _is_moment),
    ("phone", _is_text(CLEAR_PHONE)),
)
"""Type of a field -> the test of its values; the first one that fits all counts."""
