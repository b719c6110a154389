"""Excel workbooks, written row by row by XlsxWriter so that memory does not grow with the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO, ClassVar

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from core.text.formats import DATE_PATTERNS, Formats
from core.text.formulas import escape_formula, restore
from core.text.timezones import zone_of
from crm.exports.formats.base import Cells, ExportFormat
from crm.field_types.numbers import number_text

MAX_ROWS = 1_048_576
"""Rows of a sheet, including the header; a longer list continues in another sheet."""
MAX_TEXT = 32_767
"""Characters of a cell; a longer text is cut and ends with an ellipsis."""
MAX_WHOLE_NUMBER = 10**15
"""Excel keeps 15 digits; a number with more of them is written as text."""
CLOCKS = {"HH:mm": "hh:mm", "hh:mm a": "hh:mm AM/PM"}
"""A time format as settings name it -> Excel's pattern."""
FIRST_YEAR = 1901
"""Excel's calendar begins in 1900 and treats that year as a leap year."""


class XlsxFormat(ExportFormat):
    """Writes texts as texts, even those that look like formulas. Dates and times are real ones in the company's
    formats and time zone."""

    name: ClassVar[str] = "xlsx"
    mime: ClassVar[str] = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    max_rows: ClassVar[int] = MAX_ROWS

    def write(
        self, target: BinaryIO, headers: Sequence[str], rows: Iterable[Cells], formats: Formats, folder: str | None
    ) -> None:
        book = xlsxwriter.Workbook(target, {"constant_memory": True, "tmpdir": folder})
        sheets = _Sheets(book, formats)
        number = self.max_rows
        for row in rows:
            if number >= self.max_rows:
                sheets.begin(headers)
                number = 1
            sheets.write(number, row)
            number += 1
        if not sheets.count:
            sheets.begin(headers)
        book.close()


class _Sheets:
    """The sheets of the workbook."""

    def __init__(self, book: xlsxwriter.Workbook, formats: Formats) -> None:
        day = DATE_PATTERNS[formats.date_format].lower()
        self._book = book
        self._zone = zone_of(formats.timezone)
        self._bold = book.add_format({"bold": True})
        self._date = book.add_format({"num_format": day})
        self._moment = book.add_format({"num_format": f"{day} {CLOCKS[formats.time_format]}"})
        self._sheet: Worksheet
        self.count = 0

    def begin(self, headers: Sequence[str]) -> None:
        """Begin a new sheet."""
        self.count += 1
        self._sheet = self._book.add_worksheet(f"Sheet{self.count}")
        self._sheet.freeze_panes(1, 0)
        for place, header in enumerate(headers):
            self._sheet.write_string(0, place, _text(header), self._bold)

    def write(self, number: int, row: Cells) -> None:
        """Write a row; number 0 is the header."""
        for place, cell in enumerate(row):
            if cell is None or cell == "":
                continue
            if type(cell) is str:
                self._sheet.write_string(number, place, _text(cell))
            else:
                self._write_typed(number, place, cell)

    def _write_typed(self, number: int, place: int, cell: Any) -> None:
        if isinstance(cell, bool):
            self._sheet.write_boolean(number, place, cell)
        elif isinstance(cell, int | float | Decimal):
            self._write_number(number, place, cell)
        elif isinstance(cell, datetime):
            self._write_moment(number, place, cell)
        elif isinstance(cell, date) and cell.year >= FIRST_YEAR:
            self._write_time(number, place, cell, self._date)
        else:
            self._sheet.write_string(number, place, _text(cell.isoformat() if isinstance(cell, date) else str(cell)))

    def _write_number(self, number: int, place: int, cell: float | Decimal) -> None:
        exact = abs(float(cell)) < MAX_WHOLE_NUMBER and float(f"{cell:.15G}") == float(cell)
        if exact:
            self._sheet.write_number(number, place, cell)
        else:
            self._sheet.write_string(number, place, number_text(cell))

    def _write_moment(self, number: int, place: int, cell: datetime) -> None:
        """Write a time of the company's zone. One that Excel cannot hold is written as a text with its offset."""
        try:
            here = cell.astimezone(self._zone)
        except OverflowError:  # beyond the calendar's end there
            self._sheet.write_string(number, place, cell.isoformat())
            return
        repeated = here.utcoffset() != here.replace(fold=1 - here.fold).utcoffset()
        midnight = here.time() == time.min  # programs read it as a day
        if here.year < FIRST_YEAR or midnight or repeated:
            self._sheet.write_string(number, place, here.isoformat())
        else:
            self._write_time(number, place, here.replace(tzinfo=None), self._moment)

    def _write_time(self, number: int, place: int, cell: date, shown: Format) -> None:
        self._sheet.write_datetime(number, place, cell, shown)


def _text(text: str) -> str:
    if restore(text) != text:
        text = escape_formula(text)  # the importer would read the apostrophe as an escape
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
