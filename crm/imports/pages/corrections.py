"""The rows of an import with problems, with their values to fix."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.http import QueryDict

from core.types import JsonObject, Values
from core.web.forms import BoundField, Field, standalone_field
from crm.imports.pages.base import shown_problem

MAX_CELLS = 30
"""Maximum number of values of a row that can be fixed; a form takes 1,000 in all."""


@dataclass
class MendRow:
    """A row of the file: its problems, and its values if they can be fixed here."""

    number: int
    skipped: bool
    failed: bool
    existing: str
    texts: list[str]
    """Problems of the row as a whole, or of values that are not shown."""
    line: str
    cells: list[BoundField] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    """The header of each cell's column."""
    typed: bool = False
    """A user has entered other values into it."""

    @property
    def mendable(self) -> bool:
        return bool(self.cells)

    @property
    def id(self) -> str:
        return f"row-{self.number}"

    def changes(self, sent: QueryDict) -> dict[str, str]:
        """Return column header -> the new text, of the values that were changed in the browser."""
        edits = {}
        for header, cell in zip(self.headers, self.cells, strict=True):
            text = sent.get(cell.name, cell.value()).replace("\r\n", "\n").strip()
            if text != cell.value():
                edits[header] = text
        return edits

    def fill(self, sent: QueryDict) -> None:
        """Show the input."""
        changes = self.changes(sent)
        self.typed = bool(changes)
        for header, cell in zip(self.headers, self.cells, strict=True):
            cell.replace(changes.get(header, cell.value()))


def mend_rows(
    problems: Sequence[Values],
    job: Values,
    optional: Collection[str] = (),
) -> list[MendRow]:
    """Return the rows with these problems, in their order. `optional` are the fields that may stay empty."""
    rows = groupby(problems, key=lambda problem: problem["row"])
    return [_row([shown_problem(problem, job, optional=optional) for problem in group], job) for _, group in rows]


def _row(problems: list[JsonObject], job: Values) -> MendRow:
    first = problems[0]
    row = MendRow(
        first["row"],
        any(problem["skipped"] for problem in problems),
        any(problem["failed"] for problem in problems),
        next((problem["existingId"] for problem in problems if problem["existingId"]), ""),
        [],
        first["line"],
    )
    errors: dict[str, list[str]] = {}
    for problem in problems:
        errors.setdefault(problem["column"], []).append(f"{problem['text']} {problem['hint']}".strip())
    if (row.failed or row.skipped) and first["values"]:
        _add_cells(row, first["values"], job, errors)
    row.texts = [text if not column else f"{column}: {text}" for column in errors for text in errors[column]]
    return row


def _add_cells(row: MendRow, values: Sequence[Any], job: Values, errors: dict[str, list[str]]) -> None:
    """Add the values of the columns that are imported, wrong ones at any rate. Takes their errors out of `errors`."""
    places = [place for place, header in enumerate(job["headers"]) if header in job["columnMapping"]]
    wrong = [place for place in places if job["headers"][place] in errors]
    others = [place for place in places if place not in wrong]
    for place in sorted([*wrong, *others][:MAX_CELLS]):
        header = job["headers"][place]
        text = _text(values[place] if place < len(values) else None)
        kind = "textarea" if "\n" in text else "text"
        error = " ".join(errors.pop(header, ()))
        row.headers.append(header)
        cell = standalone_field(Field(f"r{row.number}.c{place}", header, kind, initial=text))
        if error:
            cell.add_error(error)
        row.cells.append(cell)


def _text(value: Any) -> str:
    """Write a stored cell as the import reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return "" if value is None else repr(value)
