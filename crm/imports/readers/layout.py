"""Find the header row of a table among the first rows of a file.

Reports put titles, filters and notes above their headers, and lists may have no headers at all. The first row that is
not blank stays the header unless there is evidence against it: a plain table never loses its first row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from crm.imports.readers.base import Cell
from crm.imports.readers.cells import identifies_record, is_known_header, is_label, kind_of

HEADER_ROWS = 30
"""Number of rows, blank ones not counted, among which the header is searched."""
ROWS_BELOW = 20
NO_HEADER = 0
"""Row number of the headers of a table that has none."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One row with the data for the search. `gap` means that the row above it is blank."""

    number: int
    cells: Sequence[Cell]
    kinds: tuple[str, ...]
    gap: bool
    known: int
    """Number of its cells that are headers of exports."""
    filled: int

    @property
    def all_labels(self) -> bool:
        texts = [str(cell).strip().casefold() for cell in self.cells if cell not in (None, "")]
        labels = sum(is_label(cell) for cell in self.cells)
        # Columns of years or months have numbers as headers.
        return labels == len(texts) or (self.known > 0 and labels * 2 >= len(texts) and not self.has_contact)

    @property
    def distinct(self) -> bool:
        texts = [str(cell).strip().casefold() for cell in self.cells if cell not in (None, "")]
        return len(set(texts)) * 4 >= len(texts) * 3

    @property
    def has_contact(self) -> bool:
        return any(identifies_record(cell) for cell in self.cells)

    @property
    def has_email(self) -> bool:
        return "email" in self.kinds


def find_header_row(rows: Sequence[tuple[int, Sequence[Cell]]]) -> int | None:
    """Return the row number of the headers: NO_HEADER if the first row is data, None if all rows are blank.

    `rows` are the first rows of the file as (row number, cells); empty cells are None or "".
    """
    lines = _lines(rows)
    if not lines:
        return None
    first = lines[0]
    header_line = _below_preamble(lines)
    if header_line is not None:
        return header_line.number
    if _is_data(first, lines[1 : ROWS_BELOW + 1]):
        return NO_HEADER
    return NO_HEADER if _is_title_over_data(lines) else first.number


def _lines(rows: Sequence[tuple[int, Sequence[Cell]]]) -> list[_Line]:
    lines: list[_Line] = []
    previous = 0
    for number, cells in rows:
        kinds = tuple(kind_of(cell) for cell in cells)
        if not any(kinds):
            continue
        known_headers = sum(is_known_header(cell) for cell in cells) if len(lines) < HEADER_ROWS else 0
        filled = sum(1 for kind in kinds if kind)
        lines.append(_Line(number, cells, kinds, gap=number > previous + 1, known=known_headers, filled=filled))
        previous = number
    return lines


def _below_preamble(lines: Sequence[_Line]) -> _Line | None:
    """Return the header row below titles and notes, if the first row is not a header."""
    best: _Line | None = None
    best_score = 0.0
    for place, line in enumerate(lines[:HEADER_ROWS]):
        if not place or not (line.all_labels and line.distinct) or place + 1 == len(lines):
            continue
        above = lines[:place]
        below = lines[place + 1 : place + 1 + ROWS_BELOW]
        score = _header_score(line, above, below)
        # The first of equals wins: repeated headers further down are those of the next page.
        if score > best_score + 0.01:
            best, best_score = line, score
    return best


def _header_score(line: _Line, above: Sequence[_Line], below: Sequence[_Line]) -> float:
    """Return the evidence that the line is the header below a preamble; 0 for too little."""
    if any(_is_header_or_record(other, line) for other in above):
        return 0.0
    widest_above = max(other.filled for other in above)
    fits = _fit(line, below)
    differs = _differences(line, below)
    names = line.known / line.filled
    single = line.filled == 1
    if single:
        # A list of one column below its title.
        return 2.0 if line.known and not above[0].known and differs and widest_above == 1 else 0.0
    if fits < 0.5:
        return 0.0
    narrow = widest_above <= max(1, line.filled // 2)
    strong = line.known >= 2 and names >= 0.5
    if not narrow and not (strong and all(other.known * 4 <= other.filled for other in above)):
        return 0.0
    if not (line.known and not above[0].known or differs or strong or _stands_apart(line, above, below)):
        return 0.0
    if above[0].known and above[0].filled == 1 and not strong:
        return 0.0
    return 2 * names + 2 * fits + differs + (1.0 if narrow else 0.0) + (0.5 if line.gap else 0.0)


def _is_header_or_record(other: _Line, line: _Line) -> bool:
    """Return whether a row above the line is as good a header, or a record."""
    is_header = other.known >= max(2, line.known) and other.filled * 2 > line.filled
    return is_header or other.has_email and other.filled > 1


def _fit(line: _Line, below: Sequence[_Line]) -> float:
    """Return the share of the rows below whose values are in columns with a header."""
    columns = {index for index, kind in enumerate(line.kinds) if kind}
    fitting = 0
    for other in below:
        used = [index for index, kind in enumerate(other.kinds) if kind]
        fitting += sum(index in columns for index in used) * 4 >= len(used) * 3
    return fitting / len(below)


def _differences(line: _Line, below: Sequence[_Line]) -> float:
    """Return the share of the line's columns whose values below are mostly addresses, numbers or days."""
    columns = [index for index, kind in enumerate(line.kinds) if kind == "text"]
    count = 0
    for index in columns:
        kinds = [other.kinds[index] for other in below if index < len(other.kinds) and other.kinds[index]]
        count += bool(kinds) and sum(kind != "text" for kind in kinds) * 2 > len(kinds)
    return count / len(columns) if columns else 0.0


def _stands_apart(line: _Line, above: Sequence[_Line], below: Sequence[_Line]) -> bool:
    """Return whether a table of plain text begins here, below a title of one cell and a blank row."""
    usual = Counter(other.filled for other in below).most_common(1)[0][0]
    titled = all(other.filled == 1 and not other.known for other in above)
    return titled and line.gap and line.filled >= max(2, usual)


def _is_data(line: _Line, below: Sequence[_Line]) -> bool:
    """Return whether the first row is a record, so that the file has no headers."""
    if line.has_email:
        return True
    if line.known >= 2 or line.known * 2 >= line.filled:
        return False
    for index, kind in enumerate(line.kinds):
        same = [other.kinds[index] for other in below if index < len(other.kinds) and other.kinds[index]]
        alike = not same or same.count(kind) * 2 >= len(same)
        if kind in ("phone", "url", "day") and alike:
            return True
        if kind == "number" and alike and same and not _counts(line) and line.filled > 1:
            return True
    return False


def _counts(line: _Line) -> bool:
    """Return whether the numbers of a row are years or count up, as headers of periods do."""
    numbers = []
    for cell, kind in zip(line.cells, line.kinds, strict=True):
        if kind == "number":
            digits = "".join(char for char in str(cell) if char.isdecimal())
            numbers.append(int(digits[:9] or 0))
    years = all(1900 <= number <= 2100 for number in numbers)
    return years or (len(numbers) > 1 and all(b - a == 1 for a, b in zip(numbers, numbers[1:], strict=False)))


def _is_title_over_data(lines: Sequence[_Line]) -> bool:
    """Return whether titles of one cell are above records without headers."""
    titles = 0
    while titles < len(lines) and titles < HEADER_ROWS and lines[titles].filled == 1 and not lines[titles].known:
        titles += 1
    body = lines[titles : titles + ROWS_BELOW]
    if not titles or not body or lines[0].has_contact:
        return False
    wide = sum(line.filled >= 3 and line.has_contact for line in body)
    return wide * 2 > len(body) and _is_data(body[0], body[1:])
