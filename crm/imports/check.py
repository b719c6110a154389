"""Check an import before it starts: write its first rows as the worker would, then roll back."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypedDict

from django.db import transaction

from core.access import entitlement, limited_creation
from core.errors import NamedError
from core.types import JsonObject
from crm.contacts.collisions import describe_person, with_holder
from crm.contacts.models import Contact
from crm.contacts.rights import ContactRights
from crm.imports.columns.column_fields import make_fields
from crm.imports.columns.mapping import check_mapping
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.preview import as_read, open_file
from crm.imports.readers import ReaderError, Table
from crm.imports.readers.base import NOT_A_RECORD
from crm.imports.rows.batches import Batch, RowWriter
from crm.imports.rows.row_errors import fit_cells
from crm.imports.rows.unknown_values import is_unknown, unknown_values
from crm.imports.services import find_import, set_rights
from crm.imports.types import IMPORT_TYPES
from crm.imports.worker import check_columns
from crm.records.problems import MISSING_VALUE

MAX_ROWS = 1000
MAX_ERRORS = 100
MAX_NO_RECORDS = 20
"""Maximum number of rows that are no records among the problems, in addition to MAX_ERRORS others."""


class ProblemKind(TypedDict):
    """The kind of a problem for pages: its code and field, and whether the value is missing, or no known one."""

    code: str
    key: str
    missing: bool
    unknown: bool


@dataclass(slots=True)
class Checked:
    """The expected results of the checked rows, with the first problems, those of failed rows first."""

    rows: int = 0
    created: int = 0
    updated: int = 0
    skipped: int = 0
    failed: int = 0
    no_records: int = 0
    """Those among the failed that are titles, totals and footers."""
    unknown: list[JsonObject] = field(default_factory=list)
    """Values that the company does not know: column, value, rows."""
    problems: list[JsonObject] = field(default_factory=list)
    kinds: list[ProblemKind] = field(default_factory=list)
    """The kind of each of `problems`, in their order."""


def check_import(*, id: str, import_type: str, rights: ContactRights, may_create_fields: bool = True) -> Checked:
    """Return the expected results of the next rows of a paused or failed import, at most MAX_ROWS of them. Writes
    nothing.

    `rights` and `may_create_fields` are the permissions of the member who would start it. Raises ImportNotFound_400,
    InvalidImportStatus_400, InvalidMapping_400, PlanLimitExceeded_403 and those of the reader.
    """
    job = find_import(id, import_type)
    if job.status not in (Import.Status.PAUSED, Import.Status.FAILED) or job.header_row is None:
        raise NamedError(
            "InvalidImportStatus_400",
            f"an import that is {job.status} is not checked; it must be paused",
            field="id",
        )
    set_rights(job, rights)
    job.may_create_fields = may_create_fields
    kind = IMPORT_TYPES[job.import_type]
    check_mapping(kind, job.column_mapping, job.headers, kind.schema.load(), complete=True)
    within: AbstractContextManager[Any] = (
        limited_creation(entitlement(job.company_id)) if job.limited else nullcontext()
    )
    options = Options.from_stored(job.options)
    try:
        with open_file(job.file, as_read(job, options)) as table, within:
            check_columns(job, table)
            return _check_results(job, _try_rows(job, options, table, rights))
    except ReaderError as error:
        raise NamedError(error.code, error.message, field=error.field) from error


def _try_rows(job: Import, options: Options, table: Table, rights: ContactRights) -> Batch:
    """Create the fields that the import needs, write its first rows, and roll everything back."""
    with transaction.atomic():
        make_fields(job)
        writer = RowWriter(job, options, actor_id=job.created_by_id)  # its fields stay locked until the end
        # Reading the file takes seconds, in which locks on rows would keep other writers waiting.
        batch = writer.read(writer.items(table), MAX_ROWS)  # before anything else is locked
        writer.resolve_lookups(batch)
        writer.write(batch)
        if rights.read:
            # Within the transaction: some holders are contacts that earlier rows of this check have created.
            _name_holders(batch)
        # All is done as the worker would and nothing is kept. A second
        # implementation of the rules would drift from it.
        transaction.set_rollback(True)
    return batch


def _name_holders(batch: Batch) -> None:
    """Add the contacts with values of other people's rows to the messages, while they exist."""
    holders = batch.existing | batch.holders
    rows = Contact.objects.filter(pk__in=set(holders.values())).values_list("pk", "name", "email")
    people = {id: describe_person(name, email) for id, name, email in rows} if holders else {}
    for position, id in holders.items():
        batch.problems[position] = [
            problem._replace(message=with_holder(problem.message, people.get(id, "")))
            for problem in batch.problems[position]
        ]


def _check_results(job: Import, batch: Batch) -> Checked:
    checked = Checked(len(batch.numbers), len(batch.created), batch.updated, batch.skipped, len(batch.failed))
    created_ids = set(batch.created.values())
    # Asked after the rollback, so that no id of a contact that does not exist is given out.
    kept = set(Contact.objects.filter(pk__in=set(batch.holders.values())).values_list("pk", flat=True))
    holders = {position: id for position, id in batch.holders.items() if id in kept}
    no_records = {
        place for place, problems in batch.problems.items() if any(problem.name == NOT_A_RECORD for problem in problems)
    }
    checked.no_records = len(no_records)
    checked.unknown = unknown_values(job, batch)
    places = sorted(batch.problems.keys() - no_records, key=lambda place: (place not in batch.failed, place))
    shown = {*places[:MAX_ERRORS], *sorted(no_records)[:MAX_NO_RECORDS]}
    for position in sorted(shown, key=lambda place: (place not in batch.failed, place)):
        existing = batch.existing.get(position)
        record = existing or holders.get(position)
        for number, problem in enumerate(batch.problems[position]):
            checked.problems.append(
                {
                    "row": batch.numbers[position],
                    "column": problem.column,
                    "code": problem.name,
                    "message": problem.message,
                    "skipped": batch.skips and existing is not None,
                    "failed": position in batch.failed,
                    "existingId": None if record in created_ids else record,
                    "values": [] if number else fit_cells(batch.cells[position]),
                }
            )
            is_missing = problem.code == MISSING_VALUE
            checked.kinds.append(
                ProblemKind(code=problem.code, key=problem.key, missing=is_missing, unknown=is_unknown(problem))
            )
    return checked
