"""Batches of an import's rows: read from the file and checked, then written in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from core.events import QUEUE, start_mode
from core.text.addresses import PHONE
from core.types import JsonObject
from crm.field_types import FieldSpec
from crm.imports.columns.area_codes import AreaCodes
from crm.imports.columns.formats import text_format
from crm.imports.columns.joined import CellProblem, JoinedColumns
from crm.imports.columns.mapping import RowReader
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.readers import Row, RowError, Table
from crm.imports.readers.base import NOT_A_RECORD
from crm.imports.readers.synonyms import AREA_CODE
from crm.imports.rows.row_errors import ErrorLog
from crm.imports.types import IMPORT_TYPES
from crm.records.automation import is_queued
from crm.records.problems import MISSING_VALUE, ValueProblem
from crm.records.schema import RecordRow
from crm.records.values import prepare_values

PARTS_OF_NUMBERS = {"countryCode": "Write one such as +49.", "number": PHONE}
"""Advice for the two fields that form a phone number."""
NOTHING_MAPPED = "All cells of the columns that are imported are empty."


@dataclass(slots=True)
class Batch:
    """Rows that were read together: the records to write, and the errors of the others."""

    numbers: list[int] = field(default_factory=list)
    cells: list[Sequence[Any]] = field(default_factory=list)
    rows: list[RecordRow] = field(default_factory=list)
    named: dict[int, dict[str, str]] = field(default_factory=dict)
    """Position of the row -> the records that its cells name."""
    problems: dict[int, list[CellProblem]] = field(default_factory=dict)
    """Position of the row -> its problems."""
    columns: dict[int, dict[str, str]] = field(default_factory=dict)
    """Position of the row -> field key -> header of the column whose value counts, of fields that several feed."""
    failed: set[int] = field(default_factory=set)
    created: dict[int, str] = field(default_factory=dict)
    """Position of the row -> the record that it made, once the batch is written."""
    updated: int = 0
    existing: dict[int, str] = field(default_factory=dict)
    """Position of the row -> the record that is in its way."""
    holders: dict[int, str] = field(default_factory=dict)
    """Position of a failed row -> the contact that has its email or number."""
    skips: bool = True
    """Rows whose record exists are skipped; otherwise they count as failed."""

    @property
    def skipped(self) -> int:
        return len(self.existing) if self.skips else 0


class RowWriter:
    """Reads rows of an import, and writes them according to its options."""

    def __init__(self, job: Import, options: Options, *, actor_id: str | None) -> None:
        self.job = job
        self.options = options
        self.actor_id = actor_id
        self.kind = IMPORT_TYPES[job.import_type]
        self.schema = self.kind.schema.load()
        self.format = text_format(job, options, self.schema)
        self.joined = JoinedColumns(job, self.schema, country=self.format.country)
        joins_areas = AREA_CODE not in self.schema.fields  # a custom field of that key holds them
        self.areas = AreaCodes(job.column_mapping if joins_areas else {}, job.headers, country=self.format.country)
        self.reader = RowReader(self.kind, job.column_mapping, job.headers, self.schema, self.joined)
        self.lookups = self.kind.lookups(job)

    def items(self, table: Table) -> Iterator[Row | RowError]:
        """Yield the rows of the range that are not done yet."""
        last = self.options.row_to
        for item in table.rows(max(self.job.next_row, self.options.row_from or 0)):
            number = item[0] if type(item) is tuple else item.row  # type: ignore[union-attr]
            if last is not None and number > last:
                return
            yield item

    def read(self, items: Iterator[Row | RowError], size: int) -> Batch:
        """Parse and check the next rows. This may run in parallel with the thread that uses the database, and never
        uses it itself."""
        batch = Batch()
        reader = self.reader
        schema = self.schema
        how = self.format
        drop = self.options.skip_invalid
        for position, item in enumerate(islice(items, size)):
            if isinstance(item, RowError):
                batch.numbers.append(item.row)
                batch.cells.append(item.values)
                batch.problems[position] = [CellProblem(item.column or "", item.code, item.message)]
                batch.failed.add(position)
                continue
            number, cells = item
            batch.numbers.append(number)
            batch.cells.append(cells)
            cells = self.areas.apply(cells)
            form = reader.form_data(cells)
            if self.joined.keys:
                self._join(batch, position, cells, form)
            named = reader.naming_texts(cells)
            record = reader.record_id(cells)
            # Titles, totals and footers of a sheet are distinguished from wrong rows, so
            # that they do not look like lost records.
            if not (form or named or record):
                batch.problems[position] = [CellProblem("", NOT_A_RECORD, NOTHING_MAPPED)]
                batch.failed.add(position)
                continue
            row, problems = schema.read(form, drop_invalid=drop, from_text=how, index=position, exists=bool(record))
            if problems:
                self._note(batch, position, problems)
            if row is None:
                batch.failed.add(position)
                continue
            row.record_id = record
            # Here and not with the writes: it is pure Python, which the reading
            # thread does while PostgreSQL works.
            prepare_values(schema, row)
            batch.rows.append(row)
            if named:
                batch.named[position] = named
        return batch

    def _join(self, batch: Batch, position: int, cells: Sequence[Any], form: JsonObject) -> None:
        """Read the fields that several columns feed, and note omitted values."""
        joined = self.joined.read(cells, form)
        batch.columns[position] = joined.columns
        if joined.problems:
            batch.problems[position] = joined.problems

    def resolve_lookups(self, batch: Batch) -> None:
        """Set the records that the rows name; a row that names an unknown one fails."""
        # All names of the batch at once, so that there is no query for each row.
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

    def write(self, batch: Batch) -> None:
        """Write the records of the batch in the caller's transaction, and note the result of each row in it."""
        self._check_references(batch)
        # Decided by the size of the whole import: its batches must not be treated in different ways.
        queued = is_queued(self.job.automation_queued, self.job.total)
        with start_mode(QUEUE if queued else "run"):
            written = self.kind.write_rows(
                self.schema, batch.rows, self.job, self.options.existing, actor_id=self.actor_id
            )
        batch.skips = self.options.existing in ("", "skip")
        batch.created = dict(written.created)
        batch.updated = len(written.updated)
        batch.existing = {record.index: record.id for record in written.existing}
        batch.holders = written.holders
        existing = {record.index: [record.problem] for record in written.existing}
        for index, problems in (written.failed | existing).items():
            self._note(batch, index, problems)
            # A row whose record exists is no failure where the import is to skip those.
            if not batch.skips or index not in existing:
                batch.failed.add(index)
        for index, problems in written.notes.items():
            self._note(batch, index, problems)

    def _note(self, batch: Batch, position: int, problems: Sequence[ValueProblem]) -> None:
        column_of = self.reader.column_of | batch.columns.get(position, {})
        noted = batch.problems.setdefault(position, [])
        for problem in problems:
            key, text = problem.key, problem.message
            column = column_of.get(key, "")
            spec = self.schema.system_fields.get(key) or self.schema.fields.get(key)
            if problem.code == MISSING_VALUE:
                text = f"missing. {_advice(key, spec)}".rstrip()
            if key and not column:
                text = f"{spec.name if spec else self.kind.label(key)}: {text}"
            noted.append(CellProblem(column, problem.name, text, problem.code, key))

    def _check_references(self, batch: Batch) -> None:
        # In the transaction of the writes, so that a member or a file that a
        # value names is not deleted in between.
        problems_by_position = self.schema.check_references(batch.rows, drop_invalid=self.options.skip_invalid)
        for position, problems in problems_by_position.items():
            index = batch.rows[position].index
            self._note(batch, index, problems)
            if not self.options.skip_invalid:
                batch.failed.add(index)
        if problems_by_position and not self.options.skip_invalid:
            batch.rows = [row for row in batch.rows if row.index not in batch.failed]


def _advice(key: str, spec: FieldSpec | None) -> str:
    """Return advice for an empty field."""
    return PARTS_OF_NUMBERS.get(key) or (spec.field_type.advice(spec) if spec else "")


def log_problems(errors: ErrorLog, batch: Batch) -> None:
    """Store the problems of the rows of a written batch, in its transaction."""
    for position in sorted(batch.problems):
        existing_id = batch.existing.get(position)
        errors.add(
            batch.numbers[position],
            batch.problems[position],
            batch.cells[position],
            skipped=batch.skips and existing_id is not None,
            failed=position in batch.failed,
            existing_id=existing_id or batch.holders.get(position),
        )
    errors.flush()
