"""Comma-separated values: UTF-8 with a byte order mark, as spreadsheet programs expect it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO, ClassVar

from core.text.formats import Formats
from core.text.formulas import escape_formula
from crm.exports.formats.base import Cells, ExactTime, ExportFormat
from crm.field_types.numbers import number_text


class CsvFormat(ExportFormat):
    """Escapes texts that a program might run. Writes dates and times in the company's formats, and seconds where an
    import may read them back."""

    name: ClassVar[str] = "csv"
    mime: ClassVar[str] = "text/csv"

    def write(
        self, target: BinaryIO, headers: Sequence[str], rows: Iterable[Cells], formats: Formats, folder: str | None
    ) -> None:
        text = io.TextIOWrapper(target, encoding="utf-8-sig", errors="replace", newline="", write_through=False)
        writer = csv.writer(text, lineterminator="\r\n")
        as_text = _Texts(formats).text_of_cell
        writer.writerow([escape_formula(header) for header in headers])
        writer.writerows([as_text(cell) for cell in row] for row in rows)
        text.flush()
        text.detach()  # the target stays open


class _Texts:
    """Converts cells to text. Formatting a date with Babel is slow and the records of a list share few days and
    times, so each is formatted once."""

    def __init__(self, formats: Formats) -> None:
        self._formats = formats
        self._days: dict[date, str] = {}
        self._moments: dict[datetime, str] = {}

    def text_of_cell(self, cell: Any) -> str:
        if cell is None:
            return ""
        if type(cell) is str:
            return escape_formula(cell)
        if isinstance(cell, bool):
            return "true" if cell else "false"
        if isinstance(cell, datetime):
            return self._moment(cell)
        if isinstance(cell, date):
            return self._day(cell)
        return number_text(cell) if isinstance(cell, int | float | Decimal) else escape_formula(str(cell))

    def _day(self, day: date) -> str:
        text = self._days.get(day)
        if text is None:
            text = self._days[day] = self._formats.date(day)
        return text

    def _moment(self, moment: datetime) -> str:
        if type(moment) is not ExactTime:
            moment = moment.replace(second=0, microsecond=0)
        text = self._moments.get(moment)
        if text is None:
            if len(self._moments) >= 100_000:
                self._moments.clear()
            text = self._moments[moment] = self._formats.exact(moment)
        return text
