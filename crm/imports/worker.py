"""Run imports in batches, each with its progress and its row errors in one transaction.

A worker that dies loses at most its current batch, which the next one reads again from `next_row`: the result is the
same.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.access import entitlement, limited_creation
from core.errors import NamedError
from core.jobs import finish, has_due, release, save_progress
from crm.imports.columns.column_fields import make_fields
from crm.imports.columns.mapping import check_mapping
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.preview import as_read, open_file, read_preview, store_preview
from crm.imports.readers import ReaderError, Table
from crm.imports.rows.batches import Batch, RowWriter, log_problems
from crm.imports.rows.row_errors import ErrorLog
from crm.imports.types import IMPORT_TYPES

BATCH_ROWS = 2000
MAX_SLICE_SECONDS = 400.0
"""Seconds after which a worker releases an import to others, well within its task's time limit."""
OPENINGS_PER_TURN = 4
"""A task lasts at least this many times as long as opening the file. Each task opens it again (and converts a
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
        # Asked again by each task: the subscription may have ended, or been
        # upgraded, since the import was created.
        allowed = entitlement(job.company_id)
    except NamedError as error:
        finish(job, Import.Status.FAILED, error=LAPSED, error_detail=str(error))
        return
    with limited_creation(allowed):
        _work(job, deadline)


def _work(job: Import, deadline: float) -> None:
    begun = monotonic()
    options = Options.from_stored(job.options)
    try:
        with open_file(job.file, as_read(job, options)) as table:
            if job.header_row is None and not _prepare(job, table):
                return
            opening = monotonic() - begun
            # Converting a large workbook may take longer than a turn. Without a minimum, an import could
            # spend all of its turns on opening its file.
            turn_ends = min(max(deadline, monotonic() + OPENINGS_PER_TURN * opening), begun + MAX_SLICE_SECONDS)
            _Turn(job, table, options, turn_ends, begun + MAX_SLICE_SECONDS).work()
    except ReaderError as error:
        finish(job, Import.Status.FAILED, error=error.message, error_detail=str(error))


def _prepare(job: Import, table: Table) -> bool:
    """Read the preview of a file that was too large for the request. Returns False if the import cannot continue
    now."""
    kind = IMPORT_TYPES[job.import_type]
    schema = kind.schema.load()
    preview = read_preview(table)
    try:
        store_preview(job, preview, schema)
        check_mapping(kind, job.column_mapping, job.headers, schema, complete=not job.pause_requested)
        # The fields and the mapping that names them commit together.
        with transaction.atomic():
            if not job.pause_requested:
                make_fields(job)
            fields = {**preview.as_fields(), "detected": job.detected, "kept_columns": job.kept_columns}
            # The columns that were proposed are stored with the fields created for them: a worker that dies
            # in between would make the fields once more.
            kept = save_progress(job, **fields, column_mapping=job.column_mapping, total=job.total)
    except NamedError as error:
        finish(job, Import.Status.FAILED, error=error.detail, error_detail=str(error), **preview.as_fields())
        return False
    if not kept:
        release(job)
        return False
    return True


class _Turn(RowWriter):
    """One worker's task at an import."""

    def __init__(self, job: Import, table: Table, options: Options, deadline: float, latest: float) -> None:
        super().__init__(job, options, actor_id=job.created_by_id)
        self.table = table
        self.deadline = deadline
        self.latest = latest
        self.errors = ErrorLog(job)

    def work(self) -> None:
        """Process batch after batch; the next one is read and checked while the database writes the one before."""
        job, size = self.job, batch_rows()
        # The stored file is the same, but an update of the product may read it in another way.
        check_columns(job, self.table)
        items = self.items(self.table)
        # One thread, so that the rows stay in order. Parsing is Python and writing waits for PostgreSQL, so
        # both go on at once in spite of the interpreter's lock.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="import") as reader:
            ahead = reader.submit(self.read, items, size)
            while True:
                started = monotonic()
                batch = ahead.result()
                if not batch.numbers:
                    break
                # Before the next batch is begun: the thread that reads it must not use the database.
                self.resolve_lookups(batch)
                ahead = reader.submit(self.read, items, size)
                if not self._write(batch, started) or self._turn_is_over():
                    release(job)
                    return
        finish(job, Import.Status.COMPLETED, total=job.processed)

    def _turn_is_over(self) -> bool:
        now = monotonic()
        # Keep the import while no other waits: requeueing it would only reopen its file.
        return now > self.latest or (now > self.deadline and has_due(Import))

    def _write(self, batch: Batch, started: float) -> bool:
        """Write the batch, its errors and its progress in one transaction. Returns False if the import must stop.

        If fields have changed since the batch was read, the next task reads it again with the new fields.
        """
        job = self.job
        with transaction.atomic():
            # load() locks the fields until the commit, so that no field changes
            # between this check and the writes.
            if self.kind.schema.load() != self.schema:
                return False
            self.write(batch)
            log_problems(self.errors, batch)
            return save_progress(
                job,
                # Progress commits with its rows. A batch that is lost with its worker is
                # read again, and none is written twice.
                next_row=batch.numbers[-1] + 1,
                processed=job.processed + len(batch.numbers),
                created=job.created + len(batch.created),
                updated=job.updated + batch.updated,
                skipped=job.skipped + batch.skipped,
                failed=job.failed + len(batch.failed),
                rate=self._rate(len(batch.numbers), started),
                started_at=job.started_at or timezone.now(),
            )

    def _rate(self, rows: int, started: float) -> float:
        now = rows / max(monotonic() - started, 0.001)
        return now if self.job.rate is None else self.job.rate * (1 - SMOOTHING) + now * SMOOTHING


def check_columns(job: Import, table: Table) -> None:
    """Raise ReaderError if the table's columns differ from the import's mapping."""
    if table.headers != job.headers:
        raise ReaderError(
            "InvalidDataFormat_400", "The file's columns are not those that were mapped. Make a new import of it."
        )


def batch_rows() -> int:
    """Return the number of rows in a batch; chaos tests lower it to interrupt an import at more points."""
    return int(getattr(settings, "IMPORT_BATCH_ROWS", BATCH_ROWS))
