"""An import's file as a table, and the first look at it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from crm.files.models import File
from crm.files.storage import local_copy
from crm.imports.kinds import IMPORT_KINDS, ImportKind
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.readers import Cell, FieldSpec, ReaderError, Table, open_table, propose_mapping
from crm.imports.readers.base import FETCH_FAILED
from crm.imports.readers.opening import KINDS, WORKBOOKS
from crm.records.schema import RecordSchema

log = logging.getLogger(__name__)

SAMPLE_ROWS = 10
SAMPLE_CHARS = 200
QUICK_TEXT_BYTES = 16 << 20
QUICK_WORKBOOK_BYTES = 2 << 20
"""A request reads files up to here, in about a second; what is larger is left to a worker."""


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What is known of a file once it has been read through: headers, some rows, and where its records are."""

    headers: list[str]
    sample: list[list[Any]]
    header_row: int
    last_row: int
    row_count: int

    def as_fields(self) -> dict[str, Any]:
        """As columns of Import."""
        return {name: getattr(self, name) for name in self.__slots__}


@contextmanager
def open_file(file: File, options: Options) -> Iterator[Table]:
    """The file's table; raises ReaderError when there is none in it or it cannot be had."""
    with ExitStack() as stack:
        try:
            path = stack.enter_context(local_copy(file))
        except Exception as error:  # storages raise whatever their vendor's library does
            log.exception("the content of file %s cannot be had", file.pk)
            raise ReaderError(
                FETCH_FAILED, "The file cannot be read from its storage. Try again later, or upload it again."
            ) from error
        yield stack.enter_context(
            open_table(
                path,
                kind=file.mime,
                delimiter=options.delimiter or None,
                encoding=options.encoding or None,
                sheet=options.sheet or None,
            )
        )


def is_quick(file: File) -> bool:
    """Whether a request may wait for the first look at the file."""
    return file.size <= (QUICK_WORKBOOK_BYTES if KINDS.get(file.mime) in WORKBOOKS else QUICK_TEXT_BYTES)


def look(table: Table) -> FirstLook:
    """Read the table through once."""
    sample: list[list[Any]] = []
    count, last = 0, table.header_row
    for count, item in enumerate(table.rows(), 1):  # noqa: B007
        if type(item) is tuple:
            last = item[0]
            if len(sample) < SAMPLE_ROWS:
                sample.append([_shown(cell) for cell in item[1]])
        else:
            last = item.row  # type: ignore[union-attr]
    return FirstLook(list(table.headers), sample, table.header_row, last, count)


def _shown(cell: Cell) -> Any:
    if isinstance(cell, str):
        return cell[:SAMPLE_CHARS]
    return cell if cell is None or isinstance(cell, int | float) else cell.isoformat()


def propose(kind: ImportKind, schema: RecordSchema, headers: list[str], sample: list[list[Any]]) -> dict[str, str]:
    """Column header -> field key, as far as headers and sample tell."""
    custom = [FieldSpec(key, spec.name, spec.field_type.name) for key, spec in schema.fields.items()]
    names = [spec for spec in kind.names if spec.key not in schema.fields]
    return propose_mapping(headers, [*kind.fields, *custom, *names], sample)


def take_first_look(job: Import, found: FirstLook, schema: RecordSchema) -> None:
    """Put into the import what was found, a mapping too where it has none; raises as Options.total does."""
    for name, value in found.as_fields().items():
        setattr(job, name, value)
    if not job.column_mapping:
        job.column_mapping = propose(IMPORT_KINDS[job.import_type], schema, found.headers, found.sample)
    job.total = Options.stored(job.options).total(
        header_row=found.header_row, last_row=found.last_row, row_count=found.row_count
    )
