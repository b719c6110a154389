"""Run imports in batches, each with its progress and its row errors in one transaction.

A worker that dies loses at most its current batch, which the next one reads again from `next_row`: the result is the
same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.access import entitlement, limited
from core.errors import NamedError
from core.jobs import checkpoint, finish, has_due, release
from crm.field_types import TextFormat
from crm.imports.mapping import RowReader, check_mapping
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.preview import open_file, read_preview, store_preview
from crm.imports.readers import ReaderError, Row, RowError, Table
from crm.imports.row_errors import ErrorLog
from crm.imports.types import IMPORT_TYPES
from crm.records.schema import RecordRow, ValueProblem
from crm.records.values import prepare_values

BATCH_ROWS = 2000
LONGEST_TURN = 400.0
"""Seconds after which a worker releases an import to others, well within its task's time limit."""
OPENINGS_PER_TURN = 4
"""A turn lasts at least this many times as long as opening the file, since each turn opens it anew (and converts a
workbook)."""
SMOOTHING = 0.2
LAPSED = "The company's subscription has ended. Renew it, then start the import again: it goes on where it stopped."


def run(job: Import, deadline: float) -> None:
    """Work on a claimed import until it is done, must stop, or others have waited long enough.

    An import created in a session stays within the company's plan.
    """
    if job.cancel_requested or (job.pause_requested and job.header_row is not None):
        release(job)  # the request came while no worker had the import
        return
    if not job.limited:
        _work(job, deadline)
        return
    try:
        allowed = entitlement(job.company_id)
    except NamedError as error:
        finish(job, Import.Status.FAILED, error=LAPSED, error_detail=str(error))
        return
    with limited(allowed):
        _work(job, deadline)


def _work(job: Import, deadline: float) -> None:
    begun = monotonic()
    options = Options.stored(job.options)
    try:
        with open_file(job.file, options) as table:
            if job.header_row is None and not _prepare(job, table):
                return
            opening = monotonic() - begun
            turn_ends = min(max(deadline, monotonic() + OPENINGS_PER_TURN * opening), begun + LONGEST_TURN)
            _Turn(job, table, options, turn_ends, begun + LONGEST_TURN).work()
    except ReaderError as error:
        finish(job, Import.Status.FAILED, error=error.message, error_detail=str(error))


def _prepare(job: Import, table: Table) -> bool:
    """Read the preview of a file that was too large for the request. Returns False if the import cannot continue
    now."""
    kind = IMPORT_TYPES[job.import_type]
    schema = kind.schema.load()
    found = read_preview(table)
    try:
        store_preview(job, found, schema)
        check_mapping(kind, job.column_mapping, job.headers, schema, complete=not job.pause_requested)
    except NamedError as error:
        finish(job, Import.Status.FAILED, error=error.detail, error_detail=str(error), **found.as_fields())
        return False
    if not checkpoint(job, **found.as_fields(), column_mapping=job.column_mapping, total=job.total):
        release(job)
        return False
    return True


@dataclass(slots=True)
class _Batch:
    """Rows that were read together: the records to write, and the errors of the others."""

    numbers: list[int] = field(default_factory=list)
    cells: list[Sequence[Any]] = field(default_factory=list)
    rows: list[RecordRow] = field(default_factory=list)
    named: dict[int, dict[str, str]] = field(default_factory=dict)
    """Position of the row -> the records that its cells name."""
    problems: dict[int, list[tuple[str, str, str]]] = field(default_factory=dict)
    """Position of the row -> (column, code, message)."""
    failed: set[int] = field(default_factory=set)


class _Turn:
    """One worker's turn at an import."""

    def __init__(self, job: Import, table: Table, options: Options, deadline: float, latest: float) -> None:
        self.job, self.table, self.options = job, table, options
        self.deadline, self.latest = deadline, latest
        self.kind = IMPORT_TYPES[job.import_type]
        self.schema = self.kind.schema.load()
        self.reader = RowReader(self.kind, job.column_mapping, job.headers, self.schema)
        self.format = TextFormat(date_format=options.date_format)
        self.lookups = self.kind.lookups(job)
        self.errors = ErrorLog(job)

    def work(self) -> None:
        """Process batch after batch; the next one is read and checked while the database writes the one before."""
        job = self.job
        if self.table.headers != job.headers:
            raise ReaderError(
                "InvalidDataFormat_400", "The file's columns are not those that were mapped. Make a new import of it."
            )
        items = self._items()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="import") as reader:
            ahead = reader.submit(self._read, items)
            while True:
                started = monotonic()
                batch = ahead.result()
                if not batch.numbers:
                    break
                self._resolve_lookups(batch)
                ahead = reader.submit(self._read, items)
                if not self._write(batch, started) or self._turn_is_over():
                    release(job)
                    return
        finish(job, Import.Status.COMPLETED, total=job.processed)

    def _items(self) -> Iterator[Row | RowError]:
        """Yield the rows of the range that are not done yet."""
        last = self.options.row_to
        for item in self.table.rows(max(self.job.next_row, self.options.row_from or 0)):
            number = item[0] if type(item) is tuple else item.row  # type: ignore[union-attr]
            if last is not None and number > last:
                return
            yield item

    def _turn_is_over(self) -> bool:
        now = monotonic()
        return now > self.latest or (now > self.deadline and has_due(Import))

    def _read(self, items: Iterator[Row | RowError]) -> _Batch:
        """Parse and check the next rows. This runs beside the thread that uses the database, and never uses it
        itself."""
        batch = _Batch()
        reader, schema, how, drop = self.reader, self.schema, self.format, self.options.skip_invalid
        for position, item in enumerate(islice(items, batch_rows())):
            if isinstance(item, RowError):
                batch.numbers.append(item.row)
                batch.cells.append(item.values)
                batch.problems[position] = [(item.column or "", item.code, item.message)]
                batch.failed.add(position)
                continue
            number, cells = item
            batch.numbers.append(number)
            batch.cells.append(cells)
            row, problems = schema.read(reader.form_data(cells), drop_invalid=drop, from_text=how, index=position)
            if problems:
                self._note(batch, position, problems)
            if row is None:
                batch.failed.add(position)
                continue
            prepare_values(schema, row)
            batch.rows.append(row)
            if named := reader.named(cells):
                batch.named[position] = named
        return batch

    def _note(self, batch: _Batch, position: int, problems: Sequence[ValueProblem]) -> None:
        column_of = self.reader.column_of
        noted = batch.problems.setdefault(position, [])
        for key, code, message in problems:
            column = column_of.get(key, "")
            noted.append((column, code, message if column or not key else f"{key}: {message}"))

    def _resolve_lookups(self, batch: _Batch) -> None:
        """Set the records that the rows name; a row that names an unknown one fails."""
        self.lookups.create_missing_tags(batch.named.values())
        kept = []
        for row in batch.rows:
            problems = self.lookups.apply_to(row, batch.named.get(row.index, {}))
            if problems:
                self._note(batch, row.index, problems)
            if problems and not self.options.skip_invalid:
                batch.failed.add(row.index)
            else:
                kept.append(row)
        batch.rows = kept

    def _write(self, batch: _Batch, started: float) -> bool:
        """Write the batch, its errors and its progress in one transaction. Returns False if the import must stop.

        If fields have changed since the batch was read, the next turn reads it again with the new fields.
        """
        job = self.job
        with transaction.atomic():
            if self.kind.schema.load() != self.schema:
                return False
            self._check_references(batch)
            written = self.kind.write(self.schema, batch.rows, job, self.options.existing)
            skips = self.options.existing in ("", "skip")
            existing = {found.index: [found.problem] for found in written.existing}
            for index, problems in (written.failed | existing).items():
                self._note(batch, index, problems)
                if not skips or index not in existing:
                    batch.failed.add(index)
            for index, problems in written.notes.items():
                self._note(batch, index, problems)
            self._log_problems(batch, {found.index: found.id for found in written.existing}, skips=skips)
            return checkpoint(
                job,
                next_row=batch.numbers[-1] + 1,
                processed=job.processed + len(batch.numbers),
                created=job.created + len(written.created),
                updated=job.updated + len(written.updated),
                skipped=job.skipped + (len(written.existing) if skips else 0),
                failed=job.failed + len(batch.failed),
                rate=self._rate(len(batch.numbers), started),
                started_at=job.started_at or timezone.now(),
            )

    def _log_problems(self, batch: _Batch, existing: Mapping[int, str], *, skips: bool) -> None:
        """Store what is wrong with the rows of the batch; `existing` has index -> the record that exists."""
        for position in sorted(batch.problems):
            found = existing.get(position)
            self.errors.add(
                batch.numbers[position],
                batch.problems[position],
                batch.cells[position],
                skipped=skips and found is not None,
                existing_id=found,
            )
        self.errors.flush()

    def _check_references(self, batch: _Batch) -> None:
        found = self.schema.check_references(batch.rows, drop_invalid=self.options.skip_invalid)
        for position, problems in found.items():
            index = batch.rows[position].index
            self._note(batch, index, problems)
            if not self.options.skip_invalid:
                batch.failed.add(index)
        if found and not self.options.skip_invalid:
            batch.rows = [row for row in batch.rows if row.index not in batch.failed]

    def _rate(self, rows: int, started: float) -> float:
        now = rows / max(monotonic() - started, 0.001)
        return now if self.job.rate is None else self.job.rate * (1 - SMOOTHING) + now * SMOOTHING


def batch_rows() -> int:
    """Return the number of rows in a batch; chaos tests lower it to interrupt an import at more points."""
    return int(getattr(settings, "IMPORT_BATCH_ROWS", BATCH_ROWS))
