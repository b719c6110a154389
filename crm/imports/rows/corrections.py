"""Fix rows that an import refused or skipped: they are written with corrected values, as the import would have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from core.access import entitlement, limited_creation
from core.errors import NamedError, ValidationFailed, shorten
from core.types import Values
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.undo import refuse_twice
from crm.contacts.rights import ContactRights
from crm.imports.columns.joined import CellProblem
from crm.imports.columns.mapping import check_mapping, deleted_fields
from crm.imports.models import Import, ImportRowError
from crm.imports.options import Options
from crm.imports.readers import Row, RowError
from crm.imports.rows.batches import Batch, RowWriter, log_problems
from crm.imports.rows.row_errors import MAX_STORED, ErrorLog, cut_cells
from crm.imports.services import CANCELLED, COMPLETED, FAILED, PAUSED, find_import, set_rights
from crm.imports.types import IMPORT_TYPES

MENDABLE = Q(failed=True) | Q(skipped=True)
AT_REST = (PAUSED, FAILED, COMPLETED, CANCELLED)
CUT = "This value was too long to be kept whole. Write it here again, or mend the row in the file."
GONE = "InvalidCustomField_400"
FIELD_GONE = "The custom field of this column has been deleted. The value was left out."
UNREAD = "The row could not be read as it is. Write its values again."


@dataclass(slots=True)
class Mended:
    """The results of the rows. `left` are rows without anything to fix, `errors` the present ones of the others."""

    errors: QuerySet[ImportRowError]
    rows: int = 0
    created: int = 0
    updated: int = 0
    skipped: int = 0
    failed: int = 0
    left: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Stored:
    """A row as the row errors have it."""

    cells: list[Any]
    failed: bool
    problem: tuple[str, str, str]
    """(column, code, message) of its first error."""


def mend_rows(
    *, id: str, import_type: str, rows: Sequence[Values], actor_id: str | None, rights: ContactRights
) -> Mended:
    """Write failed and skipped rows of an import with corrected values, in one transaction with its counts and errors.

    `rows`: row, and values by column header. The lock on the import lets only one of two requests find a row among the
    errors. Raises ImportNotFound_400, InvalidImportStatus_400, InvalidRequest_400 once it is undone, InvalidMapping_400
    and ValidationFailed for unknown columns.
    """
    record = find_import(id, import_type)
    sent = _corrected_cells(rows, record.headers)
    within: AbstractContextManager[Any] = (
        limited_creation(entitlement(record.company_id)) if record.limited else nullcontext()
    )
    # The lock keeps the worker from claiming the import between the check and the rows.
    with within, transaction.atomic():
        job = Import.objects.select_for_update(of=("self",)).get(pk=record.pk)
        _check_at_rest(job)
        set_rights(job, rights)
        gone = _leave_out_deleted_fields(job)
        writer = RowWriter(job, Options.from_stored(job.options), actor_id=actor_id)
        check_mapping(writer.kind, job.column_mapping, job.headers, writer.schema, complete=True)
        stored = _stored_rows(job, sent)
        batch = writer.read(iter(_items(job, stored, sent)), len(stored))
        _note_left_out(batch, job, gone)
        writer.resolve_lookups(batch)
        writer.write(batch)
        # After the writes: whatever is still wrong with the rows is logged again below.
        ImportRowError.objects.filter(job=job, row__in=list(stored)).delete()
        log_problems(ErrorLog(job, most=MAX_STORED * 10), batch)  # no more rows than there were, all of their errors
        _count(job, batch, stored, actor_id)
    errors = ImportRowError.objects.filter(job=job, row__in=batch.numbers).order_by("row", "id")
    return Mended(
        errors,
        rows=len(batch.numbers),
        created=len(batch.created),
        updated=batch.updated,
        skipped=batch.skipped,
        failed=len(batch.failed),
        left=sorted(sent.keys() - stored.keys()),
    )


def _leave_out_deleted_fields(job: Import) -> list[str]:
    """Map no column to a custom field that has been deleted since, and return the headers of these columns."""
    kind = IMPORT_TYPES[job.import_type]
    gone = deleted_fields(kind, job.column_mapping, kind.schema.load())
    job.column_mapping = {header: key for header, key in job.column_mapping.items() if header not in gone}
    return gone


def _note_left_out(batch: Batch, job: Import, gone: Sequence[str]) -> None:
    """Note for each value of these columns that it was omitted."""
    places = [(job.headers.index(header), header) for header in gone]
    for position, cells in enumerate(batch.cells):
        left_out = [header for place, header in places if place < len(cells) and cells[place]]
        notes = [CellProblem(header, GONE, FIELD_GONE) for header in left_out]
        if notes:
            batch.problems.setdefault(position, []).extend(notes)


def _check_at_rest(job: Import) -> None:
    """Refuse to fix rows while a worker counts them, or once they are undone."""
    if job.status not in AT_REST:
        raise NamedError(
            "InvalidImportStatus_400",
            f"rows of an import that is {job.status} are not mended; pause it, or wait",
            field="id",
        )
    refuse_twice(BulkJob.objects.filter(undoes_import=job))


def _corrected_cells(rows: Sequence[Values], headers: Sequence[str]) -> dict[int, dict[int, str | None]]:
    """Return row -> place of the column -> new text (None: empty)."""
    places = {header: place for place, header in enumerate(headers)}
    sent: dict[int, dict[int, str | None]] = {}
    for number, row in enumerate(rows):
        for header in row["values"]:
            if header not in places:
                name = shorten(header, 60)
                raise ValidationFailed(f"the file has no column {name!r}", field=f"rows.{number}.values")
        sent.setdefault(row["row"], {}).update({places[header]: text or None for header, text in row["values"].items()})
    return sent


def _stored_rows(job: Import, rows: Iterable[int]) -> dict[int, _Stored]:
    """Return the rows among these that failed or were skipped, in the order of the file."""
    stored_rows: dict[int, _Stored] = {}
    errors = ImportRowError.objects.filter(MENDABLE, job=job, row__in=list(rows)).order_by("row", "id")
    for error in errors:
        stored = stored_rows.setdefault(
            error.row, _Stored(error.values, error.failed, (error.column, error.code, error.message))
        )
        stored.cells = stored.cells or error.values
    return stored_rows


def _items(
    job: Import, stored: Mapping[int, _Stored], sent: Mapping[int, Mapping[int, str | None]]
) -> Iterable[Row | RowError]:
    """Yield the rows with the corrected values in their cells, as a reader of the file would."""
    width = len(job.headers)
    mapped = {place for place, header in enumerate(job.headers) if header in job.column_mapping}
    for number, row in stored.items():
        new = sent[number]
        cells = [*row.cells, *[None] * (width - len(row.cells))][:width]
        cut = sorted(cut_cells(row.cells) & mapped)
        # A cell that was cut for storage is no longer the file's value. Writing
        # it would lose its end unnoticed.
        lost = [place for place in cut if new.get(place, cells[place]) == cells[place]]
        for place, text in new.items():
            cells[place] = text
        if lost:
            yield RowError(number, job.headers[lost[0]], "InvalidDataFormat_400", CUT, tuple(cells))
        elif not new and not 0 < len(row.cells) <= width:  # the reader could make nothing of it
            yield RowError(number, row.problem[0] or None, row.problem[1], row.problem[2] or UNREAD, tuple(row.cells))
        else:
            yield number, cells


def _count(job: Import, batch: Batch, stored: Mapping[int, _Stored], actor_id: str | None) -> None:
    """Put the rows where they belong now in the import's counts."""
    failed = sum(row.failed for row in stored.values())
    job.created += len(batch.created)
    job.updated += batch.updated
    job.skipped += batch.skipped - (len(stored) - failed)
    job.failed += len(batch.failed) - failed
    job.updated_by_id = actor_id
    job.save(update_fields=["created", "updated", "skipped", "failed", "updated_by", "updated_at"])
