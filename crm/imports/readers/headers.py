"""Turn a file's first row into column names that are present, trimmed and unique."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crm.imports.readers.base import (
    EMPTY_FILE,
    INVALID,
    MAX_COLUMNS,
    MAX_HEADER_CHARS,
    ROWS_FOR_HEADERS,
    Cell,
    ReaderError,
)
from crm.imports.readers.layout import find_header_row


def column_letter(index: int) -> str:
    """Return the spreadsheet name of a column: 0 is A, 25 is Z, 26 is AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def clean_headers(cells: Sequence[object], first_column: int = 0, used: int = 0) -> list[str]:
    """Name every column: empty headers by their letter, repeated ones with a number ("Email", "Email (2)").

    `first_column` is the sheet's index of the first cell. `used` columns have values, so they get a name even without a
    header. Raises ReaderError for more than MAX_COLUMNS.
    """
    texts = [" ".join(str(cell).split()) if cell is not None else "" for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    texts += [""] * (used - len(texts))
    if len(texts) > MAX_COLUMNS:
        raise ReaderError(
            INVALID,
            f"The file has more than {MAX_COLUMNS} columns. Remove the columns that are not needed.",
        )
    names: list[str] = []
    taken: set[str] = set()
    for index, text in enumerate(texts):
        base = text[:MAX_HEADER_CHARS].strip() or f"Column {column_letter(first_column + index)}"
        name, copy = base, 2
        while name.casefold() in taken:
            name, copy = f"{base} ({copy})", copy + 1
        taken.add(name.casefold())
        names.append(name)
    return names


def read_header(
    rows: Sequence[tuple[int, Sequence[Cell]]], chosen_row: int | None, *, first_column: int = 0, ragged: bool = False
) -> tuple[int, list[str]]:
    """Return the header's row number and the columns' names; the row number is 0 for a table without headers.

    `rows` are the file's first rows, blank ones left out. `chosen_row` is the row number that the user gave. In a
    `ragged` table rows may be wider than the header by mistake, so their width is no evidence. Raises ReaderError for
    a header row that is blank, and for a file without text.
    """
    header_row = find_header_row(rows) if chosen_row is None else chosen_row
    if header_row is None:
        raise ReaderError(
            EMPTY_FILE, "The file holds no text. Upload a file with a header row and at least one row below it."
        )
    cells = next((cells for number, cells in rows if number == header_row), None)
    if cells is None and header_row:
        last = rows[-1][0] if rows else 0
        problem = f"row {header_row} is empty" if header_row <= last else f"the file has no row {header_row}"
        raise ReaderError(INVALID, f"{problem}; give the number of the row with the headers", "options.headerRow")
    below = [cells for number, cells in rows if number > header_row][:ROWS_FOR_HEADERS]
    wide = len(cells) if ragged and cells is not None else MAX_COLUMNS + 1
    return header_row, clean_headers(cells or (), first_column, used_width(row[:wide] for row in below))


def used_width(rows: Iterable[Sequence[object]]) -> int:
    """Return the number of columns up to the last one with a value."""
    return max((index + 1 for row in rows for index, cell in enumerate(row) if cell not in (None, "")), default=0)
