"""Read CSV and its relatives: any size in constant memory, any damage as an error of its own row.

A row that cannot be parsed does not affect the rows after it. If a quote stays open, the row that opened it becomes the
error. Reading continues with the next line, unless the cell is closed properly later and is merely too long.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from crm.imports.readers.base import (
    EMPTY_FILE,
    INVALID,
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_FIRST_ROWS,
    NO_ROWS,
    ROWS_FOR_HEADERS,
    Cell,
    Progress,
    ReaderError,
    Row,
    RowError,
    Table,
)
from crm.imports.readers.dialect import detect_delimiter, known_delimiter
from crm.imports.readers.encoding import choose_encoding
from crm.imports.readers.headers import column_letter, read_header
from crm.imports.readers.layout import HEADER_ROWS
from crm.imports.readers.lines import OVERLONG, UNDECODABLE, Lines, RecordTooLongError
from crm.imports.readers.suspects import Suspects

DAMAGE = re.compile(f"[\0{UNDECODABLE}{OVERLONG}]")
SAMPLE_CHARS = 65_536
PROGRESS_ROWS = 20_000
# Each scan may read to the end of the file, so their number limits the time that a crafted file takes.
MAX_LONG_SCANS = 200
# The lines that all broken records together go over, which are read again after each.
MAX_READ_AGAIN = 1_000_000
MAX_BLANK_ROWS = 10_000
"""Blank rows below which no header is searched."""
Record = tuple[int, list[str] | RowError]

# The csv module keeps one limit per process; nothing else in this project parses CSV with longer cells.
csv.field_size_limit(MAX_CELL_CHARS)


class DelimitedTable(Table):
    """A text table in a seekable binary stream. Raises ReaderError if there is no header or no row below it."""

    def __init__(
        self,
        stream: BinaryIO,
        kind: str = "csv",
        delimiter: str | None = None,
        encoding: str | None = None,
        header_row: int | None = None,
    ) -> None:
        self.kind = kind
        self._stream = stream
        self._size = stream.seek(0, 2)
        if not self._size:
            raise ReaderError(
                EMPTY_FILE, "The file is empty. Upload a file with a header row and at least one row below it."
            )
        chosen, start = choose_encoding(stream, encoding)
        self.encoding = chosen
        self._start = start
        first_lines = self._first_lines()
        self._skip_lines = self._take_separator_line(first_lines)
        self.delimiter = known_delimiter(delimiter) if delimiter else self.delimiter or self._detect(first_lines)
        self._read_header(header_row)
        if next(self.rows(), None) is None:
            raise ReaderError(NO_ROWS, "The file has a header row and no rows below it. Add at least one row.")

    def read_rows(self, start: int) -> Iterator[Row | RowError]:
        width = len(self.headers)
        for number, cells in self._records():
            if number < start:
                continue
            if not cells:
                continue
            if type(cells) is not list:
                yield cells  # type: ignore[misc]
                continue
            values: list[Cell] = [cell.strip() or None for cell in cells]
            # Blank rows are no records, but keep their number: errors name rows as a spreadsheet counts them.
            if not any(values):
                continue
            if len(values) != width:
                # Trailing delimiters are common and harmless. Only a value
                # beyond the last column is an error.
                if len(values) > width and any(values[width:]):
                    yield self._too_many(number, cells)
                    continue
                values = values[:width] + [None] * (width - len(values))
            yield number, values

    def count_rows(self, progress: Progress | None = None) -> int:
        count = 0
        lines = self._lines()
        for number, cells in self._records(lines):
            if number <= self.header_row:
                continue
            if type(cells) is list and not (any(cells) and "".join(cells).strip()):
                continue
            count += 1
            if progress and count % PROGRESS_ROWS == 0:
                progress(count, min(1.0, lines.position / self._size))
        if progress:
            progress(count, 1.0)
        return count

    def _lines(self) -> Lines:
        return Lines(self._stream, self.encoding or "utf-8", self._start)

    def _first_lines(self) -> list[str]:
        """Return some tens of kilobytes of lines, to detect the delimiter."""
        lines, size = [], 0
        for line in islice(chain.from_iterable(self._lines().blocks(0, guard=False)), 200):
            lines.append(line[:SAMPLE_CHARS])
            size += len(line)
            if size > SAMPLE_CHARS:
                break
        return lines

    def _take_separator_line(self, lines: list[str]) -> int:
        """Read Excel's own first line, `sep=;`, which names the delimiter and is no row. Returns the number of lines to
        skip."""
        match = re.fullmatch(r'"?sep=([,;|\t])"?\s*', lines[0], re.IGNORECASE) if lines else None
        if not match:
            return 0
        self.delimiter = match.group(1)
        del lines[0]
        return 1

    def _detect(self, lines: list[str]) -> str:
        return detect_delimiter(lines, "\t" if self.kind == "tsv" else ",")

    def _read_header(self, header_row: int | None) -> None:
        """Find headers and columns in the first rows. `header_row` is the row of the headers, if the user gave it."""
        rows: list[tuple[int, list[Cell]]] = []
        broken: RowError | None = None
        tried = 0
        for number, cells in self._records():
            if isinstance(cells, RowError):
                broken = broken if rows or broken else cells
                if number == header_row:
                    raise ReaderError(INVALID, f"The header row (row {number}) cannot be read: {cells.message}")
                tried += 1
            elif not (header_row and number < header_row and len(rows) >= MAX_FIRST_ROWS) and any(
                cell.strip() for cell in cells
            ):
                rows.append((number, [cell.strip() or None for cell in cells[: MAX_COLUMNS + 1]]))
            enough = len(rows) + tried >= HEADER_ROWS + ROWS_FOR_HEADERS
            if (enough or rows and number > rows[-1][0] + MAX_BLANK_ROWS) and number > (header_row or 0):
                break
        if broken is not None and header_row is None:
            raise ReaderError(INVALID, f"The header row (row {broken.row}) cannot be read: {broken.message}")
        number, headers = read_header(rows, header_row, ragged=True)
        self.header_row = number
        self.headers = headers
        self.first_rows = tuple(rows[:MAX_FIRST_ROWS])
        self.suspects = Suspects(self.headers, [row for row in rows if row[0] > self.header_row], self.header_row)

    def _records(self, lines: Lines | None = None) -> Iterator[Record]:
        """Yield every record with its number, blank ones as empty lists."""
        lines = lines or self._lines()
        number, line = 0, self._skip_lines
        while line >= 0:
            lines.done = line
            source = chain.from_iterable(lines.blocks(line))
            # Strict, since the module otherwise swallows an unclosed quote with
            # the rest of the file as one cell.
            reader = csv.reader(source, delimiter=self.delimiter or ",", skipinitialspace=True, strict=True)
            try:
                for cells in reader:
                    number += 1
                    # Only blocks with suspicious characters are searched cell by cell.
                    if lines.done < lines.suspect_until and (error := self._damage(number, cells)):
                        yield number, error
                    else:
                        yield number, cells
                    lines.done = line + reader.line_num
                return
            except (csv.Error, RecordTooLongError) as error:
                number += 1
                line, message = self._recover(lines, line + reader.line_num, error)
            yield number, RowError(number, None, INVALID, message)

    def _recover(self, lines: Lines, reached: int, error: Exception) -> tuple[int, str]:
        """Return the line to continue at after a broken record, and the error message.

        `lines.done` is the record's first line and `reached` the line after the last one that was read for it.
        """
        first = lines.done
        too_long = isinstance(error, RecordTooLongError) or "field larger" in str(error)
        end = self._closing_line(lines, first, reached) if too_long else None
        lines.long_scans += too_long
        # Reading on after a broken record goes over its lines once more. A crafted
        # file would repeat that without end.
        lines.read_again += reached - first
        if lines.long_scans > MAX_LONG_SCANS or lines.read_again > MAX_READ_AGAIN:
            raise ReaderError(
                INVALID, "Too many quotes of this file are never closed. Export it again with every quote doubled."
            )
        if end is not None:
            return (
                end,
                f"A cell of this row is longer than {MAX_CELL_CHARS:,} characters, or the row is too long. Shorten it.",
            )
        if too_long or reached > first + 1 or "unexpected end" in str(error):
            return (
                first + 1,
                'A quote (") that opens in this row is never closed properly. Close it, or double the quotes inside'
                " the cell.",
            )
        return (
            first + 1,
            'A quoted cell of this row has a single quote (") inside it. Double the quotes inside quoted cells.',
        )

    def _closing_line(self, lines: Lines, first: int, reached: int) -> int | None:
        """Return the line after a long record with well-formed quotes; None if its open quote is never closed."""
        inside = False
        delimiter = self.delimiter or ","
        for index, text in enumerate(chain.from_iterable(lines.blocks(first, guard=False)), first):
            if inside:
                place = text.replace('""', "\0\0").find('"')
                if place >= 0 and text[place + 1 : place + 2].strip(" ") not in ("", delimiter, "\r", "\n"):
                    return None
            inside ^= text.count('"') % 2 == 1
            if not inside and index + 1 >= reached:
                return index + 1
        return None

    def _damage(self, number: int, cells: list[str]) -> RowError | None:
        for index, cell in enumerate(cells):
            match = DAMAGE.search(cell)
            if not match:
                continue
            column = (
                self.headers[index] if index < len(getattr(self, "headers", ())) else f"Column {column_letter(index)}"
            )
            values = _presentable(cells)
            if match.group() == OVERLONG:
                return RowError(number, None, INVALID, "This row is too long to be read. Shorten its cells.")
            if match.group() == UNDECODABLE:
                text = (
                    f"The cell has bytes that are not {self.encoding} text. Save the file as UTF-8 and upload it again."
                )
                return RowError(number, column, INVALID, text, values)
            return RowError(number, column, INVALID, "The cell holds a NUL character. Remove it.", values)
        return None

    def _too_many(self, number: int, cells: list[str]) -> RowError:
        where = f"the header row (row {self.header_row})" if self.header_row else "the table"
        message = (
            f"The row has {len(cells)} cells, {where} has {len(self.headers)}. Quote cells that contain the delimiter"
            f" {self.delimiter!r}, or choose another header row."
        )
        return RowError(number, None, INVALID, message, _presentable(cells))


def _presentable(cells: list[str]) -> tuple[str, ...]:
    return tuple(DAMAGE.sub("\ufffd", cell) for cell in cells[:MAX_COLUMNS])
