"""Errors of rows, and skipped rows: stored with the row's cells, and downloaded as a CSV to correct and import."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Case, Count, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject

from core.fields import JSONField
from core.tenancy import company_scope
from core.text.formulas import escape_formula
from core.types import Values
from crm.contacts.collisions import UNNAMED, describe_person, with_holder
from crm.contacts.models import Contact
from crm.imports.columns.joined import CellProblem
from crm.imports.models import Import, ImportRowError
from crm.imports.readers import Cell

MAX_STORED = 10_000
"""The largest number of stored errors of an import, and of rows that it skipped; all are counted."""
MAX_ROW_CHARS = 8_000
MAX_MESSAGE, MAX_COLUMN = 1000, 300
FETCH = 1000


class ErrorLog:
    """Collects a batch's errors and stores them with it."""

    def __init__(self, job: Import, most: int | None = None) -> None:
        self._job = job
        self._most = MAX_STORED if most is None else most
        rows = ImportRowError.objects.filter(job=job)
        # Counted again by each task: a worker that died may have stored errors that this one does not know of.
        self._stored = {False: 0, True: 0} | dict(rows.order_by().values_list("skipped").annotate(number=Count("pk")))
        self._waiting: list[ImportRowError] = []

    def add(
        self,
        row: int,
        problems: Iterable[CellProblem],
        values: Sequence[Cell],
        *,
        skipped: bool = False,
        failed: bool = False,
        existing_id: str | None = None,
    ) -> None:
        """Add a row's problems; the first one keeps the row's cells.

        `skipped` rows have a limit of their own; `failed` ones can be fixed, too. `existing_id` is the record that
        conflicts with the row.
        """
        for number, problem in enumerate(problems):
            # A file of a million wrong rows must not fill the table. The counts of
            # the import are complete all the same.
            if self._stored[skipped] >= self._most:
                return
            self._stored[skipped] += 1
            cells = [] if number else fit_cells(values)
            self._waiting.append(
                ImportRowError(
                    job=self._job,
                    row=row,
                    column=problem.column[:MAX_COLUMN],
                    code=problem.name,
                    message=problem.message[:MAX_MESSAGE],
                    skipped=skipped,
                    failed=failed,
                    existing_id=existing_id,
                    values=cells,
                )
            )

    def flush(self) -> None:
        """Store the collected errors, in the transaction of the batch."""
        if self._waiting:
            self._waiting.sort(key=lambda error: (error.row, error.pk))
            ImportRowError.objects.bulk_create(self._waiting, batch_size=500)
            self._waiting = []


def fit_cells(values: Sequence[Cell]) -> list[Any]:
    """Return the cells as JSON; if they exceed MAX_ROW_CHARS together, the long ones are cut."""
    cells = [cell if cell is None or isinstance(cell, str | int | float) else cell.isoformat() for cell in values]
    if sum(len(cell) for cell in cells if isinstance(cell, str)) > MAX_ROW_CHARS:
        share = max(20, MAX_ROW_CHARS // len(cells))
        cells = [cell[: share - 1] + "…" if isinstance(cell, str) and len(cell) > share else cell for cell in cells]
    return cells


def cut_cells(values: Sequence[Any]) -> set[int]:
    """Return the places of the stored cells that `fit_cells` has cut."""
    share = max(20, MAX_ROW_CHARS // len(values)) if values else 0
    return {
        place
        for place, cell in enumerate(values)
        if isinstance(cell, str) and len(cell) == share and cell.endswith("…")
    }


def with_holders(errors: QuerySet[ImportRowError], *, may_read: bool) -> QuerySet[Any]:
    """Add `holder` to the errors: name and email of the contact that a message does not name.

    It is null for other messages, and for readers who may not read contacts.
    """
    nobody = Value(None, output_field=JSONField())
    if not may_read:
        return errors.annotate(holder=nobody)
    contact = Contact.objects.filter(pk=OuterRef("existing_id")).values(
        shown=JSONObject(name=F("name"), email=F("email"))
    )
    return errors.annotate(
        holder=Case(When(message__contains=UNNAMED, then=Subquery(contact)), default=nobody, output_field=JSONField())
    )


def message_with_holder(message: str, holder: Values | None) -> str:
    """Return an error's message with the contact that `with_holders` has added."""
    return with_holder(message, describe_person(holder["name"], holder["email"])) if holder else message


def errors_csv(job: Import, *, may_read: bool = False) -> Iterator[bytes]:
    """Yield a CSV of the rows with errors: the original columns, the row number and the problem, in UTF-8 with a byte
    order mark for Excel. Other people's contacts are named to those who may read contacts.

    The function enters the company's scope for each query, so that it can be streamed after the request.
    """
    headers = list(job.headers)
    yield b"\xef\xbb\xbf" + _line([*headers, _free_header("Row", headers), _free_header("Error", headers)])
    for row, errors in groupby(_stored_errors(job, may_read), key=lambda error: error[0]):
        row_errors = list(errors)
        cells = next((values for _, _, _, _, values in row_errors if values), [])
        cells = [*cells, *[None] * len(headers)][: len(headers)]
        message = "; ".join(f"{column}: {text}" if column else text for _, _, column, text, _ in row_errors)
        yield _line([*cells, row, message])


def _stored_errors(job: Import, may_read: bool) -> Iterator[tuple[int, str, str, str, list[Any]]]:
    """Yield (row, id, column, message, values) in the order of the file."""
    after = (0, "")
    while True:
        with company_scope(job.company_id):
            rows = list(
                with_holders(ImportRowError.objects.filter(job_id=job.pk, row__gte=after[0]), may_read=may_read)
                # By key instead of by offset: each page begins where the last one ended, whatever its depth.
                .exclude(row=after[0], id__lte=after[1])
                .order_by("row", "id")
                .values_list("row", "id", "column", "message", "values", "holder")[:FETCH]
            )
        for row, id, column, message, values, holder in rows:
            yield row, id, column, message_with_holder(message, holder), values
        if len(rows) < FETCH:
            return
        after = (rows[-1][0], rows[-1][1])


def _free_header(name: str, headers: Sequence[str]) -> str:
    taken = {header.casefold() for header in headers}
    while name.casefold() in taken:
        name += "_"
    return name


def _line(cells: Iterable[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(
        # A cell that begins with = or @ is a formula to a spreadsheet (OWASP: CSV injection).
        [escape_formula(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return text.getvalue().encode("utf-8", "replace")
