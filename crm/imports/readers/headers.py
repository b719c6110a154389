"""Turn a file's first row into column names that are present, trimmed and unique."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crm.imports.readers.base import INVALID, MAX_COLUMNS, MAX_HEADER_CHARS, ReaderError


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
            f"The file has {len(texts):,} columns; at most {MAX_COLUMNS} can be imported. Remove the columns that are"
            " not needed.",
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


def used_width(rows: Iterable[Sequence[object]]) -> int:
    """Return the number of columns up to the last one with a value."""
    return max((index + 1 for row in rows for index, cell in enumerate(row) if cell not in (None, "")), default=0)
