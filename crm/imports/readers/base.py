"""The base of all readers of import files: the table, its errors and its limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from types import TracebackType
from typing import Self

Cell = str | int | float | bool | datetime | date | time | None
Row = tuple[int, list[Cell]]
Progress = Callable[[int, float], None]

MAX_COLUMNS = 500
MAX_CELL_CHARS = 100_000
MAX_LINE_BYTES = 2_000_000
MAX_RECORD_BYTES = 4_000_000
MAX_HEADER_CHARS = 200
# A column without a header counts if one of this many rows has a value there.
ROWS_FOR_HEADERS = 100

EMPTY_FILE = "EmptyFile_400"
NO_ROWS = "NoRowsInFile_400"
UNSUPPORTED = "UnsupportedFileType_400"
INVALID = "InvalidDataFormat_400"
FETCH_FAILED = "ImportFileFetchFailed_400"


class ReaderError(Exception):
    """The whole file cannot be read. `code` is a named message, `message` the problem and its remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class RowError:
    """One row cannot be read; the rows around it can.

    `column` is the header of the bad cell, if there is one. `values` are the cells as far as they were read, without
    characters that no database stores: for display and correction, never for import.
    """

    row: int
    column: str | None
    code: str
    message: str
    values: tuple[Cell, ...] = ()


class Table(ABC):
    """One table of an import file: headers, and rows that are read one by one.

    A row's number is the number that a spreadsheet program shows beside it: every record counts, blank ones too, and a
    record whose quoted cell contains line breaks counts once. The header is normally row 1 and the first data row 2.
    """

    kind: str
    headers: list[str]
    header_row: int
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    owned: ExitStack | None = None

    @abstractmethod
    def rows(self, start: int = 0) -> Iterator[Row | RowError]:
        """Yield the data rows whose number is at least `start`, in the file's order.

        Each item is `(row number, one value per header)` or a RowError. Blank rows are left out, text is trimmed, an
        empty cell is None. Rows before `start` are skipped without converting their values. Raises OSError if the
        storage fails, and ReaderError if the damage exceeds single rows.
        """

    @abstractmethod
    def count_rows(self, progress: Progress | None = None) -> int:
        """Count the items of rows(); `progress(rows so far, share of the file from 0 to 1)` is called now and then."""

    def close(self) -> None:
        """Release files; a source that the caller opened stays open."""
        if self.owned is not None:
            self.owned.close()

    def sample(self, limit: int = 20) -> list[list[Cell]]:
        """Return the values of the first readable rows, at most `limit` of them."""
        return [item[1] for item in islice(self.rows(), limit) if not isinstance(item, RowError)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
