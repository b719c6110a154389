"""The base of all readers of import files: the table, its errors and its limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from crm.imports.readers.suspects import Suspects

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
MAX_FIRST_ROWS = 20
# Row numbers above a row that decide whether it is a footer.
LOOK_BACK = 45

EMPTY_FILE = "EmptyFile_400"
NO_ROWS = "NoRowsInFile_400"
UNSUPPORTED = "UnsupportedFileType_400"
INVALID = "InvalidDataFormat_400"
FETCH_FAILED = "ImportFileFetchFailed_400"
NOT_A_RECORD = "NotARecord"


class ReaderError(Exception):
    """The whole file cannot be read. `code` is a named message, `message` the problem and its remedy.

    `field` is the part of the request that it is about: the file, or an option such as `options.sheet`.
    """

    def __init__(self, code: str, message: str, field: str = "file") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field

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

    A row's number is the one that a spreadsheet program shows: every record counts, including blank ones. A record
    whose quoted cell contains line breaks counts once. The header is normally row 1 and the first data row 2.
    `header_row` is 0 for a table without headers, whose columns are called "Column A", "Column B" and so on.
    """

    kind: str
    headers: list[str]
    header_row: int
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    first_rows: tuple[Row, ...] = ()
    """The first rows of the file that are not blank, at most MAX_FIRST_ROWS, with those above the headers."""
    suspects: Suspects | None = None
    owned: ExitStack | None = None

    def rows(self, start: int = 0) -> Iterator[Row | RowError]:
        """Yield the data rows whose number is at least `start`, in the file's order.

        Each item is `(row number, one value per header)` or a RowError, also for a title, total or footer, which is no
        record. Blank rows are left out, text is trimmed, an empty cell is None. Raises OSError if the storage fails,
        and ReaderError if the damage exceeds single rows.
        """
        first = self.header_row + 1
        if self.suspects is None:
            return self.read_rows(max(start, first))
        begin = max(start - LOOK_BACK, first)
        return self.suspects.listed(self.read_rows(begin), begin, max(start, first))

    @abstractmethod
    def read_rows(self, start: int) -> Iterator[Row | RowError]:
        """Yield the rows below the headers whose number is at least `start`, as they are in the file.

        Rows before `start` are skipped without converting their values.
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
