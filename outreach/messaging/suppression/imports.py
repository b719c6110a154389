"""Imports of addresses that are never written to: started by a request, done by a worker, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import NamedError, ValidationFailed
from core.jobs import finish, has_due, notify_workers, release, save_progress
from core.tenancy import company_id
from core.types import JsonObject
from crm.files.models import File
from crm.imports.options import Options
from crm.imports.preview import open_file
from crm.imports.readers import Cell, ReaderError, Table
from outreach.messaging.suppression.models import Suppression, SuppressionImport
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.messaging.suppression.services import normal, suppress

NOT_FOUND = "ImportNotFound_400"
Status = SuppressionImport.Status
Reason = Suppression.Reason
BATCH_ROWS = 2000
CHECKED_ROWS = 2000
"""Rows that a check reads."""
MAX_ERRORS = 100
MAX_SOURCE = 200
SAME = timedelta(minutes=10)
"""For how long the same file, sent again, is the same import."""
EMAIL_HEADERS = {"email", "emailaddress", "mail", "address", "recipient", "emails", "mailaddress"}
REASON_HEADERS = {"reason", "why", "type", "cause"}
REASONS = {
    "unsub": Reason.UNSUBSCRIBED,
    "opt": Reason.UNSUBSCRIBED,
    "bounce": Reason.BOUNCED,
    "hard": Reason.BOUNCED,
    "invalid": Reason.BOUNCED,
    "compl": Reason.COMPLAINED,
    "spam": Reason.COMPLAINED,
    "abuse": Reason.COMPLAINED,
    "manual": Reason.MANUAL,
}
"""Beginning of a word in a reason column -> the reason. Any other word means the reason of the import."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no import of the company."""
    return NamedError(NOT_FOUND, "there is no such import in this company", field="id")


@dataclass(frozen=True)
class Columns:
    """The positions of addresses and reasons in a table."""

    email: int
    reason: int | None


@dataclass
class Batch:
    """Some rows: their addresses with the reasons, and the errors of the others."""

    reasons: dict[str, str] = field(default_factory=dict)
    rows: int = 0
    last: int = 0
    errors: list[JsonObject] = field(default_factory=list)

    @property
    def read(self) -> int:
        """Rows that have an address."""
        return self.rows - len(self.errors)


def start_import(*, file_id: str, files: QuerySet[File], member_id: str, **values: Any) -> SuppressionImport:
    """Start an import of one of the files that the member may read.

    Raises FileNotFound_400, the reader's errors, and ValidationFailed for columns that the file does not have.
    """
    file = _usable(files, file_id)
    job = SuppressionImport(file=file, created_by_id=member_id, **values)
    # Read before the transaction: a large file takes seconds, and may lie in a bucket.
    with _open_table(file) as table:
        _columns(job, table)
    with transaction.atomic():
        # Checked again under a lock, so that the file is not deleted between the check and the import's row.
        _usable(File.objects.select_for_update(of=("self",)), file_id)
        twin = _twin(job)
        if twin is not None:
            return twin
        job.save()
        notify_workers("suppression-import")
    return job


def _twin(job: SuppressionImport) -> SuppressionImport | None:
    """Return an import of the same content in the same way from the last minutes, if there is one.

    It is the same if a request is repeated, or a button is clicked twice. A lock serialises concurrent requests.
    """
    company = company_id()
    with connection.cursor() as cursor:
        # A unique key cannot say "within the last ten minutes", so repeated requests wait for each other
        # here.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"suppression-import:{company}"])
    same = {name: getattr(job, name) for name in ("reason", "email_column", "reason_column", "created_by_id")}
    recent = SuppressionImport.objects.filter(**same, created_at__gt=timezone.now() - SAME)
    of_file = Q(file=job.file) | Q(file__hashes__sha256=job.file.hashes.get("sha256", ""))
    going = recent.exclude(status__in=(Status.FAILED, Status.CANCELLED))
    twin: SuppressionImport | None = going.filter(of_file).order_by("created_at").first()
    return twin


def check_import(*, file_id: str, files: QuerySet[File], **values: Any) -> JsonObject:
    """Return the expected result of an import for its first rows, and write nothing. Raises the errors of
    start_import."""
    job = SuppressionImport(file=_usable(files, file_id), **values)
    with _open_table(job.file) as table:
        columns = _columns(job, table)
        batch = _read(job, columns, islice(table.rows(), CHECKED_ROWS))
        headers = table.headers if table.header_row else []
    # Doubles within the file count as listed, as the worker counts them.
    listed = len(suppressed_addresses(batch.reasons)) + batch.read - len(batch.reasons)
    return {
        "emailColumn": headers[columns.email] if headers else "",
        "reasonColumn": headers[columns.reason] if headers and columns.reason is not None else "",
        "rows": batch.rows,
        "added": batch.read - listed,
        "listed": listed,
        "failed": len(batch.errors),
        "rowErrors": batch.errors[:MAX_ERRORS],
    }


@contextmanager
def _open_table(file: File) -> Iterator[Table]:
    try:
        with open_file(file, Options()) as table:
            yield table
    except ReaderError as error:
        raise NamedError(error.code, error.message, field="fileId") from error


@transaction.atomic
def cancel_import(*, id: str) -> None:
    """Cancel an import: at once while it waits, otherwise after the worker's batch. What it has added stays.

    Raises ImportNotFound_400, and InvalidImportStatus_400 for one that has ended.
    """
    job = SuppressionImport.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if job is None:
        raise not_found()
    rows = SuppressionImport.objects.filter(pk=job.pk)
    if job.status == Status.RUNNING:
        # The row belongs to the worker, which looks at the flag with each batch.
        rows.update(cancel_requested=True)
    elif job.status == Status.QUEUED:
        rows.update(status=Status.CANCELLED)
    else:
        raise NamedError("InvalidImportStatus_400", f"the import is {job.status} and cannot be cancelled any more")


def run(job: SuppressionImport, deadline: float) -> None:
    """Work on a claimed import, each batch and its progress in one transaction."""
    if job.cancel_requested:
        release(job)
        return
    try:
        with open_file(job.file, Options()) as table:
            _work(job, table, deadline)
    except ReaderError as error:
        finish(job, Status.FAILED, error=error.message, error_detail=str(error))
    except ValidationFailed as error:
        finish(job, Status.FAILED, error=error.detail, error_detail=str(error))


def _work(job: SuppressionImport, table: Table, deadline: float) -> None:
    columns = _columns(job, table)
    # Counted once: after a kill the worker goes on at its row, and the total is known.
    if job.total is None and not save_progress(job, total=table.count_rows()):
        release(job)
        return
    rows = table.rows(job.next_row)
    size = int(getattr(settings, "BULK_BATCH_ROWS", BATCH_ROWS))
    while (batch := _read(job, columns, islice(rows, size))).rows:
        with transaction.atomic():
            # The addresses and the place in the file commit together, so no row is read twice or left out.
            go_on = save_progress(job, **_write(job, batch))
        # Time is up only if somebody else's import waits.
        if not go_on or (monotonic() > deadline and has_due(SuppressionImport)):
            release(job)
            return
    finish(job, Status.COMPLETED, total=job.processed)


def _write(job: SuppressionImport, batch: Batch) -> JsonObject:
    """Suppress the addresses of the batch. Returns the job's new progress."""
    added = set[str]()
    for reason in set(batch.reasons.values()):
        added |= suppress(
            [email for email, row_reason in batch.reasons.items() if row_reason == reason],
            reason=reason,
            source=job.file.name[:MAX_SOURCE],
            details={"import": job.pk},
            member_id=job.created_by_id,
        )
    return {
        "next_row": batch.last + 1,
        "processed": job.processed + batch.rows,
        "added": job.added + len(added),
        "listed": job.listed + batch.read - len(added),
        "failed": job.failed + len(batch.errors),
        "row_errors": [*job.row_errors, *batch.errors][:MAX_ERRORS],
    }


def _read(job: SuppressionImport, columns: Columns, items: Iterator[Any]) -> Batch:
    """Read the next rows. Errors omit the rows' values, which may belong to anybody."""
    batch = Batch()
    for item in items:
        batch.rows += 1
        if not isinstance(item, tuple):
            batch.last = item.row
            batch.errors.append({"row": item.row, "message": item.message})
            continue
        number, cells = item
        batch.last = number
        email = normal(_text(cells, columns.email))
        if email is None:
            batch.errors.append({"row": batch.last, "message": "has no email address"})
        else:
            # Within a file the first reason of an address counts, as in the list itself.
            batch.reasons.setdefault(email, _reason(job, cells, columns))
    return batch


def _reason(job: SuppressionImport, cells: Sequence[Cell], columns: Columns) -> str:
    said = _text(cells, columns.reason).lower() if columns.reason is not None else ""
    return next((reason for start, reason in REASONS.items() if said.startswith(start)), job.reason)


def _text(cells: Sequence[Cell], index: int) -> str:
    value = cells[index] if index < len(cells) else None
    return value if isinstance(value, str) else ""


def _columns(job: SuppressionImport, table: Table) -> Columns:
    """Find the columns: those that were named, else by their headers, else by an address in the first rows."""
    email = _column_by_name(table, "emailColumn", job.email_column)
    reason = _column_by_name(table, "reasonColumn", job.reason_column)
    if email is None:
        email = _column_by_words(table, EMAIL_HEADERS)
    if email is not None:
        return Columns(email, reason if reason is not None else _column_by_words(table, REASON_HEADERS))
    if not table.header_row:
        for _, cells in table.first_rows:
            for index in range(len(cells)):
                if normal(_text(cells, index)) is not None:
                    return Columns(index, reason)
    if len(table.headers) == 1:
        return Columns(0, None)
    raise ValidationFailed("emailColumn is required", "choose the column with the email addresses", field="emailColumn")


def _column_by_name(table: Table, name: str, header: str) -> int | None:
    if not header:
        return None
    if header not in table.headers:
        raise ValidationFailed(f"{name} is no column", "choose a column of the file", field=name)
    return table.headers.index(header)


def _column_by_words(table: Table, names: set[str]) -> int | None:
    plain = ["".join(character for character in header.lower() if character.isalpha()) for header in table.headers]
    return next((index for index, word in enumerate(plain) if word in names), None)


def _usable(files: QuerySet[File], id: str) -> File:
    file = files.filter(pk=id, is_deleted=False, trashed_at=None).first()
    if file is None:
        raise NamedError("FileNotFound_400", "there is no such file in this company; upload it first", field="fileId")
    return file
