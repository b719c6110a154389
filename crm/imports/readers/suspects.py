"""List rows that are not records: titles inside a table, totals, repeated headers and the footers of reports.

A row is judged on its own and with the few rows above it. A reader that starts in the middle of a file therefore gets
the same results as one that began at its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from crm.imports.readers.base import LOOK_BACK, NOT_A_RECORD, Cell, Row, RowError
from crm.imports.readers.cells import identifies_record, kind_of
from crm.imports.readers.synonyms import SYNONYMS
from crm.imports.readers.words import normalise

FOOTER_ROWS = (LOOK_BACK - 5) // 2
"""Rows of one cell below the first row of a footer that belong to it; at most one blank row is between them."""
MESSAGE = "The row looks like a title, total or footer, not like a record. Correct it to import it anyway."
REPEATED = "The row repeats the headers. It is not imported."
TOTAL_WORDS = (
    r"(?:grand |sub|report )?totals?|sum|sums|summe|gesamt(?:summe|betrag|zahl)?|insgesamt|zwischensumme|total general"
    r"|total general|totale|totaal|somme|suma|razem|итого|всего|合計|总计|合计|average|mean|count|number of records"
    r"|anzahl"
)
TOTAL = re.compile(rf"(?:{TOTAL_WORDS})\s*(?:[:=(\[].*|\d[\d.,]*.*)?", re.IGNORECASE)
FOOTER = re.compile(
    r"confidential\b.*|vertraulich\b.*|strictly confidential.*|copyright\b.*|©.*|\(c\) .*|all rights reserved.*"
    r"|(?:generated|made|created|prepared|exported|printed|produced|compiled|run|erstellt|exportiert|gedruckt|généré"
    r"|créé|generado|creado|creato|esportato)\s+(?:by|on|at|at:|from|with|von|am|par|le|por|el|da|il)\b.*"
    r"|(?:page|seite|pagina|página|strona)\s+\d+(?:\s*(?:of|von|/|sur|de|di|z)\s*\d+)?"
    r"|(?:filtered|sorted|grouped)\s+by\b.*|filters?:.*|as of\b.*|stand:?\s.*\d.*|end of (?:report|file|list)\b.*"
    r"|internal\s*[-–—:(].*|(?:for )?internal use\b.*|do not distribute.*|source:.*|notes?:.*"
    r"|\d+ (?:records?|rows?|results?)\b.*"
    r"|-{3,}.*|={3,}.*|\*{3,}.*|_{3,}.*",
    re.IGNORECASE | re.DOTALL,
)
TOTAL_STARTS = frozenset(
    {
        *("tot", "gra", "sub", "rep", "sum", "ges", "ins", "zwi", "som", "raz", "ито", "все", "ave", "mea", "cou"),
        *("num", "anz", "合計", "总计", "合计", "總計"),
    }
)
"""The first three letters of TOTAL_WORDS, to check only few rows."""
NAME_LIKE = re.compile(r"[^\W\d_][^\d:;!?•|=*@#%&<>()\[\]{}]{0,50}")


PARTICLES = frozenset(
    {"al", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el", "ibn", "la", "le", "of"}
    | {"the", "van", "von", "y", "zu"}
)
NAME_KEYS = ("name", "firstName", "lastName")


class Suspects:
    """The judgement of one table's rows, by its headers and the cells that its first rows fill."""

    def __init__(self, headers: Sequence[str], sample: Sequence[tuple[int, Sequence[Cell]]], header_row: int) -> None:
        counts = sorted(_filled_counts(sample, header_row))
        self._usual = counts[len(counts) // 2] if counts else 0
        # In a list in which many rows have one value, one value is no sign of a title.
        self._mixed = counts.count(1) * 5 > len(counts) > 5
        self._fewest_empty = len(headers) - max(1, self._usual // 2)
        self._headers = [header.casefold() for header in headers] if header_row else []
        self._starts = TOTAL_STARTS | {header[:3] for header in self._headers[:1]}
        synonyms = frozenset[str]().union(*(SYNONYMS[key] for key in NAME_KEYS))
        self._name_columns = {index for index, header in enumerate(headers) if normalise(header) in synonyms}

    def listed(self, rows: Iterable[Row | RowError], begin: int, start: int) -> Iterator[Row | RowError]:
        """Yield the rows from `start` on, with an error in place of each that is no record.

        `rows` are those from `begin` on, which is LOOK_BACK rows before `start`, or the table's first row.
        """
        previous = begin - 1
        footer = 0
        fewest_empty, starts = self._fewest_empty, self._starts
        for item in rows:
            if type(item) is not tuple:
                footer = 0
                previous = item.row  # type: ignore[union-attr]
                if previous >= start:
                    yield item
                continue
            number, cells = item
            problem = ""
            if cells.count(None) >= fewest_empty:
                problem = self._problem(cells, gap=number > previous + 1)
                if problem:
                    footer = FOOTER_ROWS
                elif footer and number - previous <= 2 and self._goes_on(cells):
                    problem = MESSAGE
                    footer -= 1
                else:
                    footer = 0
            else:
                footer = 0
            first = cells[0]
            if type(first) is str and not problem and first[:3].casefold() in starts:
                problem = self._problem_of_full_row(cells)
            previous = number
            if number >= start:
                yield RowError(number, None, NOT_A_RECORD, problem, tuple(cells)) if problem else item

    def _problem(self, cells: Sequence[Cell], *, gap: bool) -> str:
        """Return the reason why a row with few values is no record, or an empty text."""
        values = [(index, cell) for index, cell in enumerate(cells) if cell is not None]
        index, cell = values[0]
        text = str(cell).strip()
        named = TOTAL.fullmatch(text) or FOOTER.fullmatch(text)
        if any(identifies_record(value) for _, value in values):
            return ""
        if self._usual < 2:
            return MESSAGE if named else ""
        if named and all(
            kind_of(value) in ("number", "day") or FOOTER.fullmatch(str(value)) for _, value in values[1:]
        ):
            return MESSAGE
        if len(values) > 1 or self._mixed and not gap:
            return ""
        name = _is_name_like(text)
        if self._usual == 2 or self._mixed:
            return MESSAGE if gap and not name else ""
        # A number in the first column is an id, one in another column a sum.
        harmless = isinstance(cell, str) if index else kind_of(cell) == "number"
        return "" if not gap and (harmless or name and index in self._name_columns) else MESSAGE

    def _goes_on(self, cells: Sequence[Cell]) -> bool:
        """Return whether a row below a footer's row belongs to it, too."""
        values = [cell for cell in cells if cell is not None]
        return self._usual > 1 and len(values) == 1 and not identifies_record(values[0])

    def _problem_of_full_row(self, cells: Sequence[Cell]) -> str:
        """Return the reason why a row with many values is no record: it repeats the headers, or it has totals."""
        if self._headers and self._repeats_headers(cells):
            return REPEATED
        others = [cell for cell in cells[1:] if cell is not None]
        if not others or not TOTAL.fullmatch(str(cells[0]).strip()):
            return ""
        sums = all(kind_of(cell) == "number" for cell in others) and not any(identifies_record(cell) for cell in others)
        return MESSAGE if sums else ""

    def _repeats_headers(self, cells: Sequence[Cell]) -> bool:
        same = 0
        for header, cell in zip(self._headers, cells, strict=False):
            if cell is None:
                continue
            if not isinstance(cell, str) or " ".join(cell.split()).casefold() != header:
                return False
            same += 1
        return same >= 2


def _is_name_like(text: str) -> bool:
    """Return whether the text can be a person's or a firm's name: up to five words with a capital letter each."""
    words = text.split()
    if not NAME_LIKE.fullmatch(text) or len(words) > 5:
        return False
    return all(not word[0].islower() or word.casefold() in PARTICLES for word in words)


def _filled_counts(sample: Sequence[tuple[int, Sequence[Cell]]], header_row: int) -> list[int]:
    """Return the numbers of values of the first rows, without totals and footers."""
    filled_rows: list[tuple[int, int]] = []
    for number, cells in sample:
        values = [cell for cell in cells if cell is not None and cell != ""]
        if values and not (len(values) == 1 and FOOTER.fullmatch(str(values[0]).strip())):
            filled_rows.append((number, len(values)))
    counts = [count for _, count in filled_rows]
    # A block of single values below a blank row, at the end, is a footer.
    for place in range(len(filled_rows) - 1, 0, -1):
        if filled_rows[place][1] > 1:
            break
        if filled_rows[place][0] - filled_rows[place - 1][0] > 1 and max(counts[:place]) > 1:
            del counts[place:]
    return counts
