"""Detect the delimiter of a text table."""

from __future__ import annotations

import contextlib
import csv
from collections import Counter
from itertools import islice

from crm.imports.readers.base import INVALID, MAX_COLUMNS, ReaderError
from crm.imports.readers.layout import find_header_row

CANDIDATES = (",", ";", "\t", "|")
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
SAMPLE_RECORDS = 60


def known_delimiter(value: str) -> str:
    """Return the usable delimiter for a user's input. Raises ReaderError for anything else."""
    delimiter = NAMED.get(value.strip().lower(), value) if value else value
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or delimiter.isalnum():
        raise ReaderError(
            INVALID, f"The delimiter {value[:20]!r} is not usable. Give one character, for example ',' or ';' or 'tab'."
        )
    return delimiter


def detect_delimiter(lines: list[str], preferred: str = ",") -> str:
    """Return the delimiter with which most records have as many cells as the first; `preferred` if there is none.

    `lines` are the first lines with their ends. The last line is ignored, since it may be cut off.
    """
    usable = lines[:-1] if len(lines) > 1 and not lines[-1].endswith(("\n", "\r")) else lines
    best, best_score = preferred, (0.0, 0)
    # The preferred one first: of equal scores the first wins.
    for delimiter in sorted(CANDIDATES, key=lambda candidate: candidate != preferred):
        score = _score(usable, delimiter)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _score(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Return (share of records as wide as the header or the usual width, that width); (0, 0) if nothing is
    separated."""
    rows: list[tuple[int, list[str]]] = []
    # A broken record ends the sample.
    with contextlib.suppress(csv.Error):
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        rows.extend(islice(enumerate(reader, 1), SAMPLE_RECORDS))
    rows = [(number, cells[: MAX_COLUMNS + 1]) for number, cells in rows if any(cells)]
    # Titles and notes above the headers say nothing about the delimiter.
    top = find_header_row(rows) or 0
    widths = [len(cells) for number, cells in rows if number >= top]
    if not widths or widths[0] < 2:
        return 0.0, 0
    header = widths[0]
    usual = Counter(widths).most_common(1)[0][0]
    agree = sum(width in (header, usual) and width > 1 for width in widths) / len(widths)
    # Shorter rows are common, so agreement is rounded coarsely and the number of columns decides between equals.
    return round(agree, 1), header
