"""Open an import's file as a table, and read a preview of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from accounts.companies.country import default_country
from core.ids import is_id
from core.text.company_names import COMPANY_WORDS
from core.types import JsonObject
from crm.files.models import File
from crm.files.stores import local_copy
from crm.imports.columns.evidence import Collector
from crm.imports.columns.fit import without_unfit
from crm.imports.columns.formats import detect
from crm.imports.columns.mapping import cell_text
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.own_files import own_headers, own_mapping, written_with
from crm.imports.readers import Cell, FieldSpec, ReaderError, Table, open_table, propose_mapping
from crm.imports.readers.base import FETCH_FAILED
from crm.imports.readers.mapping import SEVERAL
from crm.imports.readers.new_fields import ColumnCounter, ColumnFacts
from crm.imports.readers.opening import FILE_FORMATS, WORKBOOKS
from crm.imports.readers.synonyms import OWN_EXPORT
from crm.imports.rows.lookups import ORGANIZATION
from crm.imports.types import IMPORT_TYPES, ImportType
from crm.imports.types.base import RECORD_ID
from crm.organizations.matching import company_field
from crm.records.schema import RecordSchema

log = logging.getLogger(__name__)

SAMPLE_ROWS = 10
SAMPLE_CHARS = 200
PROPOSAL_ROWS = 100
"""The first rows, from whose values the mapping is proposed."""
FIRST_ROW_COLUMNS = 30
EMPLOYER_ALIASES = (*(word.lower() for word in sorted(COMPANY_WORDS - {"ORGANIZATION"})), "associated company")
"""Headers of columns with a contact's organization, beside its own name."""
MAX_EARLIER = 100
"""The earlier imports by which a mapping is proposed."""
QUICK_TEXT_BYTES = 16 << 20
QUICK_WORKBOOK_BYTES = 2 << 20
"""A request reads workbooks up to this size, in about a second; a worker reads larger ones."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of reading a file once: its headers, some rows, and the range of its records."""

    headers: list[str]
    sample: list[list[Any]]
    header_row: int
    last_row: int
    row_count: int
    columns: list[ColumnFacts]
    rows: list[list[Any]]
    """The first PROPOSAL_ROWS, which are not stored."""
    first_rows: list[JsonObject]
    """The file's first rows as {"row", "cells"}, with those above the headers."""
    detected: JsonObject
    """Options by which the file is read, in the names of the API, and the evidence of its columns
    (crm.imports.columns.evidence)."""

    def as_fields(self) -> JsonObject:
        """Return the values as columns of Import."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "rows"}


@contextmanager
def open_file(file: File, options: Options) -> Iterator[Table]:
    """Open the file's table. Raises ReaderError if it has none or cannot be read."""
    with ExitStack() as stack:
        try:
            path = stack.enter_context(local_copy(file))
        except Exception as error:  # storages raise the errors of their vendors' libraries
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
                header_row=options.header_row,
            )
        )


def as_read(job: Import, options: Options) -> Options:
    """Return the options with the detected values of the first reading of the import's file, so that it is read the
    same way."""
    if job.header_row is None:
        return options
    return replace(
        options,
        header_row=job.header_row,
        sheet=options.sheet or job.detected.get("sheet") or "",
        encoding=options.encoding or job.detected.get("encoding") or "",
    )


def is_quick(file: File) -> bool:
    """Return whether a request may read the file for the preview."""
    return file.size <= (QUICK_WORKBOOK_BYTES if FILE_FORMATS.get(file.mime) in WORKBOOKS else QUICK_TEXT_BYTES)


def read_preview(table: Table) -> Preview:
    """Read the table once."""
    rows: list[list[Any]] = []
    counter = ColumnCounter(table.headers)
    evidence = Collector(table.headers)
    count, last = 0, table.header_row
    for count, item in enumerate(table.rows(), 1):  # noqa: B007
        if type(item) is tuple:
            last = item[0]
            counter.add(item[1])
            evidence.add(item[1])
            if len(rows) < PROPOSAL_ROWS:
                rows.append([_sample_value(cell) for cell in item[1]])
        else:
            last = item.row  # type: ignore[union-attr]
    return Preview(
        headers=list(table.headers),
        sample=rows[:SAMPLE_ROWS],
        header_row=table.header_row,
        last_row=last,
        row_count=count,
        columns=counter.facts(),
        rows=rows,
        first_rows=_first_rows(table),
        detected={**_table_format(table), "evidence": evidence.as_json()},
    )


def _first_rows(table: Table) -> list[JsonObject]:
    """Return the file's first rows as texts, cut to the limits of a page."""
    rows = []
    for number, cells in table.first_rows:
        texts = [cell_text(cell)[:SAMPLE_CHARS] or None for cell in cells[:FIRST_ROW_COLUMNS]]
        rows.append({"row": number, "cells": texts})
    return rows


def _table_format(table: Table) -> JsonObject:
    """Return where the table is in the file and how its text is encoded."""
    return {
        "headerRow": table.header_row,
        "sheet": table.sheet,
        "sheets": list(table.sheets),
        "encoding": table.encoding,
    }


def _sample_value(cell: Cell) -> Any:
    if isinstance(cell, str):
        return cell[:SAMPLE_CHARS]
    return cell if cell is None or isinstance(cell, int | float) else cell.isoformat()


def propose(
    kind: ImportType, schema: RecordSchema, headers: list[str], sample: list[list[Any]], *, country: str
) -> dict[str, str]:
    """Propose column header -> field key, as far as headers and sample allow. `country` is that of national numbers.

    The columns of an own export go where they came from, and those that only the product writes go nowhere.
    """
    own = own_mapping(kind.name, headers)
    if RECORD_ID in own and not _names_records(schema, headers, sample):
        del own[RECORD_ID]
    written = own_headers(kind.name)
    if set(headers) <= written:
        return own
    known_columns = own if RECORD_ID in own else {}
    read_only = {header for header in written - own.keys() if "." in header}
    places = [
        place
        for place, header in enumerate(headers)
        if header not in known_columns and header not in read_only and header != RECORD_ID
    ]
    # The company's text field, where there is one, makes or finds the organization as the column of its own does.
    employer = company_field(schema.fields.values())
    custom = [
        FieldSpec(key, spec.name, spec.field_type.name, EMPLOYER_ALIASES if key == employer else ())
        for key, spec in schema.fields.items()
    ]
    names = [spec for spec in kind.names if spec.key not in schema.fields]
    if not employer:
        names = [spec._replace(aliases=EMPLOYER_ALIASES) if spec.key == ORGANIZATION else spec for spec in names]
    rows = [[row[place] if place < len(row) else None for place in places] for row in sample]
    proposed = propose_mapping(
        [headers[place] for place in places],
        [*kind.fields, *custom, *names],
        rows,
        kept={} if OWN_EXPORT.issubset(headers) else _kept_columns(kind, schema),
        country=country,
    )
    taken = set(known_columns.values())
    return known_columns | {header: key for header, key in proposed.items() if key not in taken}


def _kept_columns(kind: ImportType, schema: RecordSchema) -> dict[str, str]:
    """Return header -> the field that it fed in an earlier import, for the columns whose further values custom fields
    keep."""
    jobs = Import.objects.filter(import_type=kind.name).exclude(kept_columns={}).order_by("-created_at")
    fields_by_header: dict[str, str] = {}
    for mapping, kept in jobs.values_list("column_mapping", "kept_columns")[:MAX_EARLIER]:
        for header, key in kept.items():
            target = mapping.get(header)
            if key in schema.fields and target in SEVERAL:
                fields_by_header.setdefault(header, target)
    return fields_by_header


def _names_records(schema: RecordSchema, headers: list[str], sample: list[list[Any]]) -> bool:
    """Return whether the column _id has ids of the company's own records, rather than of another one's."""
    place = headers.index(RECORD_ID)
    ids = [row[place] for row in sample if place < len(row) and is_id(row[place])]
    return bool(ids) and schema.kind.live().filter(pk__in=ids).exists()


def store_preview(job: Import, preview: Preview, schema: RecordSchema) -> None:
    """Store the preview in the import, with a proposed mapping if it has none. Raises the errors of Options.total."""
    for name, value in preview.as_fields().items():
        setattr(job, name, value)
    if not job.column_mapping:
        country = Options.from_stored(job.options).country or default_country()
        proposed = propose(IMPORT_TYPES[job.import_type], schema, preview.headers, preview.rows, country=country)
        job.column_mapping = without_unfit(job, schema, proposed, preview.headers, preview.rows)
        job.detected = {**job.detected, "isProposed": True}
    job.total = Options.from_stored(job.options).total(
        header_row=preview.header_row, last_row=preview.last_row, row_count=preview.row_count
    )
    job.detected["writtenWith"] = written_with(job, schema)
    detect(job, schema)
