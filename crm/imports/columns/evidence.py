"""Judge by whole columns how a file writes its numbers and dates.

"1,234" and "3/9/2024" can each be two values. The other values of the column usually leave one reading, and so does the
rest of the file, which has one writer; otherwise the column is ambiguous.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from typing import Literal, TypedDict

from core.types import Values
from crm.field_types import BadValue
from crm.field_types.dates import NUMERIC_DATE, ORDERS, is_day_number, is_early_day_number, orders_of, parse_date_text
from crm.field_types.numbers import BOTH, marks_of
from crm.imports.columns.blank_values import IN_DATES
from crm.imports.readers import Cell

MAX_BATCH_ROWS = 1000
ENOUGH = 300
"""Maximum number of distinct values read from a column of texts."""
ENOUGH_NUMBERS = 100
"""Distinct numbers that are no days after which a column's whole numbers are counted only."""
TEXT_SHARE = 0.8
MAX_REMEMBERED = 20_000
MAX_VALUE_CHARS = 200
"""A longer cell is text, neither a number nor a date."""
MAX_EXAMPLES = 3
MAX_EXAMPLE_CHARS = 60
Clock = Literal["24", "12"]


class ColumnEvidence(TypedDict):
    """The evidence of a column, as an import stores it.

    `marks` and `orders` fit all of its numbers and dates; `openNumbers` and `openDates` are values that fit several.
    `strict` has the separator and the clocks of dates that all have two digits for day and month, else null.
    """

    column: str
    numbers: int
    dates: int
    texts: int
    marks: str
    openNumbers: list[str]
    orders: list[str]
    openDates: list[str]
    separator: str
    yearDigits: int
    strict: bool
    clocks: list[str]
    dayNumbers: bool


class _Column:
    """Collects the evidence of a column from its distinct values."""

    def __init__(self) -> None:
        self.alive = True
        self.numbers = 0
        self.texts = 0
        self.dates = self.other_dates = 0
        self.marks = BOTH
        self.open_numbers: list[str] = []
        self.orders: dict[str, set[str]] = {}
        """Separator -> the orders that fit all dates with it. "03.04.2024" is no evidence for "03/04/2024"."""
        self.open_dates: list[str] = []
        self.open_separators: set[str] = set()
        self.year_digits = 0
        self.padded = True
        self.clocks: dict[Clock, None] = {}
        self.day_numbers = self.early_day_numbers = self.no_day_numbers = 0
        self._seen: set[Cell] = {None, *IN_DATES}

    def add(self, cells: Iterable[Cell]) -> None:
        """Look at more cells of the column."""
        seen = self._seen
        whole = 0
        for cell in cells:
            if cell in seen:
                continue
            if self.no_day_numbers > ENOUGH_NUMBERS and type(cell) is str and cell.isdecimal():
                whole += 1  # a whole number says nothing of marks
                continue
            if len(seen) < MAX_REMEMBERED:
                seen.add(cell)
            if type(cell) is str:
                self._count(cell)
            else:
                self._count_number(cell)
        self.numbers += whole
        if self.texts > ENOUGH and self.texts > TEXT_SHARE * (self.texts + self.numbers + self.dates):
            self.alive = False
            self._seen = set()

    def _count(self, text: str) -> None:
        if len(text) > MAX_VALUE_CHARS:
            self.texts += 1
            self.no_day_numbers += 1
            return
        if self.numbers and len(self.marks) == 1 and self._agrees(text):
            self.numbers += 1
            return
        if text.isdecimal():
            self.numbers += 1
            self._count_day_number(text)
            return
        match = NUMERIC_DATE.fullmatch(text)
        if match is not None:
            first, separator, second, third, clock = match.groups()
            fits = _orders(first, second, third, separator)
            if fits:
                self._add_date(text, fits, (first, separator, second, third), clock)
                return
        marks = marks_of(text)
        if marks:
            self.numbers += 1
            self._count_day_number(text)
            self._add_marks(text, marks)
        elif self._is_other_date(text):
            self.dates += 1
            self.other_dates += 1
        else:
            self.texts += 1

    def _agrees(self, text: str) -> bool:
        """Return whether the number is no evidence in a column whose mark is known."""
        mark = self.marks
        return (
            text[-1:].isdigit()
            and text[-4:-3] not in (".", ",")
            and text.count(mark) == 1
            and text.replace(mark, "", 1).isdecimal()
        )

    def _add_marks(self, text: str, marks: str) -> None:
        if len(marks) == 1:
            self.marks = marks if marks in self.marks else ""
        elif ("," in text or "." in text) and len(self.open_numbers) < MAX_EXAMPLES:
            self.open_numbers.append(text[:MAX_EXAMPLE_CHARS])

    def _add_date(self, text: str, fits: tuple[str, ...], parts: tuple[str, str, str, str], clock: str | None) -> None:
        first, separator, second, third = parts
        self.dates += 1
        if len(first) == 4 and separator == "-":
            self.other_dates += 1  # ISO 8601 says nothing about others
            return
        self.orders.setdefault(separator, set(ORDERS)).intersection_update(fits)
        year = first if fits[0] == "YMD" and len(fits) == 1 else third
        self.year_digits = max(self.year_digits, len(year))
        self.padded = self.padded and all(len(part) != 1 for part in (first, second, third))
        if clock:
            self.clocks["12" if clock[-1] in "mM" else "24"] = None
        if len(fits) > 1:
            self.open_separators.add(separator)
            if len(self.open_dates) < MAX_EXAMPLES:
                self.open_dates.append(text[:MAX_EXAMPLE_CHARS])

    def _is_other_date(self, text: str) -> bool:
        if len(text) > 60 or not any(map(str.isdigit, text)):
            return False
        try:
            parse_date_text(text)
        except BadValue:
            return False
        return True

    def _count_number(self, cell: Cell) -> None:
        """Count a cell that is not text. Dates of a workbook are no evidence for day numbers."""
        if not isinstance(cell, date | time):
            self._count_day_number("" if isinstance(cell, bool) else repr(cell))

    def _count_day_number(self, text: str) -> None:
        if is_day_number(text):
            self.day_numbers += 1
        elif is_early_day_number(text):
            self.early_day_numbers += 1
        else:
            self.no_day_numbers += 1

    def _order(self) -> tuple[str, set[str]]:
        """Return the separator of the dates in question, and the orders that they leave; none where they differ."""
        marks = [mark for mark in self.orders if mark in self.open_separators] or list(self.orders)
        if not marks:
            return "", set()
        first, *others = (self.orders[mark] for mark in marks)
        agreed = not others or (len(first) == 1 and all(other == first for other in others))
        return marks[0], first if agreed else set()

    def as_json(self, header: str) -> ColumnEvidence | None:
        """Return the evidence, or None without any."""
        if not (self.alive and (self.numbers or self.dates or self.day_numbers)):
            return None
        separator, orders = self._order()
        return ColumnEvidence(
            column=header,
            numbers=self.numbers,
            dates=self.dates,
            texts=self.texts,
            marks=self.marks,
            openNumbers=self.open_numbers,
            orders=[order for order in ORDERS if order in orders],
            openDates=self.open_dates,
            separator=separator,
            yearDigits=self.year_digits,
            strict=self.padded and len(self.orders) < 2 and not self.texts,
            clocks=list(self.clocks),
            dayNumbers=self.day_numbers > self.early_day_numbers + self.no_day_numbers,
        )


@lru_cache(maxsize=50_000)
def _orders(first: str, second: str, third: str, separator: str) -> tuple[str, ...]:
    return orders_of(first, second, third, separator)


class Collector:
    """Collects the evidence of a file's columns while its rows are read."""

    def __init__(self, headers: Sequence[str]) -> None:
        self._headers = headers
        self._columns = [_Column() for _ in headers]
        self._rows: list[Sequence[Cell]] = []

    def add(self, cells: Sequence[Cell]) -> None:
        """Add a row, with one value for each header."""
        self._rows.append(cells)
        if len(self._rows) >= MAX_BATCH_ROWS:
            self._flush()

    def _flush(self) -> None:
        for column, cells in zip(self._columns, zip(*self._rows, strict=False), strict=False):
            if column.alive:
                column.add(cells)
        self._rows = []

    def as_json(self) -> list[ColumnEvidence]:
        """Return the evidence of the columns that have some."""
        self._flush()
        entries = (column.as_json(header) for column, header in zip(self._columns, self._headers, strict=True))
        return [evidence for evidence in entries if evidence is not None]


@dataclass(frozen=True, slots=True)
class OwnFormat:
    """The date format of a file that the product wrote, or may have written."""

    separator: str
    order: str
    clock: Clock
    known: bool = False
    """The product wrote the file with this format; otherwise it is the company's, and an assumption."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The detected format of a column's values. An empty text is for values that are read one by one.

    `open_numbers` and `open_dates` are examples of values that stay ambiguous, and `assumed_dates` of those that only
    the company's format has decided.
    """

    decimal_mark: str = ""
    date_order: str = ""
    date_format: str = ""
    day_numbers: bool = False
    open_numbers: tuple[str, ...] = ()
    open_dates: tuple[str, ...] = ()
    assumed_dates: tuple[str, ...] = ()


def judge(columns: Iterable[ColumnEvidence], own: OwnFormat | None = None) -> Mapping[str, Verdict]:
    """Return header -> verdict. `own` is given for a file that the product itself may have written."""
    columns = list(columns)
    mark = _common(column["marks"] for column in columns if _is_decided(column, "numbers", column["marks"]))
    decided = [column for column in columns if _is_decided(column, "dates", column["orders"])]
    orders: dict[str, set[str]] = {}
    for column in decided:
        orders.setdefault(column["separator"], set()).add(column["orders"][0])
    if own is not None and not own.known and orders.get(own.separator, {own.order}) != {own.order}:
        own = None  # its other columns are written otherwise
    return {
        column["column"]: _verdict(column, mark, _common(orders.get(column["separator"], ())), own)
        for column in columns
    }


def _is_decided(column: ColumnEvidence, part: Literal["numbers", "dates"], readings: Sequence[str]) -> bool:
    """Return whether a column of numbers, or dates, leaves one reading."""
    values = column["numbers"] + column["dates"] + column["texts"]
    return len(readings) == 1 and column[part] > TEXT_SHARE * values


def _common(readings: Iterable[str]) -> str:
    """Return the one reading of all columns that are decided; empty if they differ, or if no column is decided."""
    distinct = set(readings)
    return distinct.pop() if len(distinct) == 1 else ""


def _verdict(column: ColumnEvidence, mark: str, order: str, own: OwnFormat | None) -> Verdict:
    marks, orders = column["marks"], column["orders"]
    assumed = False
    if len(marks) > 1:
        marks = mark if column["openNumbers"] else ""
    if len(orders) > 1:
        if own is not None and own.order in orders and _fits(column, own):
            assumed = not own.known and not order
            orders = [own.order]
        else:
            orders = [order] if order in orders else []
    chosen = orders[0] if orders else ""
    return Verdict(
        decimal_mark=marks,
        date_order=chosen,
        date_format=_format(chosen, column) if chosen else _iso_format(column),
        day_numbers=column["dayNumbers"],
        open_numbers=() if marks else tuple(column["openNumbers"]),
        open_dates=() if chosen else tuple(column["openDates"]),
        assumed_dates=tuple(column["openDates"]) if assumed else (),
    )


def _fits(column: ColumnEvidence, own: OwnFormat) -> bool:
    """Return whether the column's dates are all written as the product writes them."""
    return (
        column["strict"]
        and column["separator"] == own.separator
        and column["yearDigits"] == 4
        and set(column["clocks"]) <= {own.clock}
    )


def _format(order: str, column: ColumnEvidence) -> str:
    parts = {"D": "DD", "M": "MM", "Y": "YYYY" if column["yearDigits"] > 2 else "YY"}
    return column["separator"].join(parts[part] for part in order)


def _iso_format(column: ColumnEvidence) -> str:
    return "YYYY-MM-DD" if column["dates"] and not column["separator"] and not column["texts"] else ""


def evidence_of(detected: Values) -> list[ColumnEvidence]:
    """Return the evidence that an import stores."""
    return list(detected.get("evidence", ()))
