"""The base class of import types: a type's columns and schema, and how it writes a batch of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from core.errors import shorten
from core.ids import is_id
from crm.bulk_jobs.models import Journal
from crm.contacts.kind import IDENTITY
from crm.custom_fields.system_fields import SYSTEM_FIELDS
from crm.imports.models import Import
from crm.imports.readers import FieldSpec
from crm.imports.rows.lookups import CATEGORY, ORGANIZATION, OWNER, TAGS, Lookups
from crm.records.models import CustomField
from crm.records.problems import ValueProblem
from crm.records.schema import RecordSchema

FURTHER_CONTACT_FIELDS = tuple(
    field for field in SYSTEM_FIELDS[CustomField.Panel.CONTACT] if field["unique_field_id"] not in IDENTITY
)
"""The system fields of contacts that are imported by their definition alone."""
CONTACT_FIELDS = (
    FieldSpec("name", "Name", "name"),
    FieldSpec("email", "Email", "email"),
    FieldSpec("countryCode", "Country code", "countryCode"),
    FieldSpec("number", "Number", "number"),
    *(FieldSpec(field["unique_field_id"], field["name"]) for field in FURTHER_CONTACT_FIELDS),
)
TAG_FIELDS = (
    FieldSpec(TAGS, "Tags", "text", ("tag", "labels", "schlagworte", "etiquettes", "etiquetas")),
    FieldSpec(CATEGORY, "Category", "text", ("contact category", "kategorie", "categorie", "categoria")),
)


ORGANIZATION_FIELD = FieldSpec(ORGANIZATION, "Organization")
"""Found by its name, or made. The text field with the name of a contact's company does the same."""
OWNER_FIELD = FieldSpec(OWNER, "Owner", "text", ("contact owner",))
"""The member who looks after the record, by address or name."""
RECORD_ID = "_id"
"""The target of the column that names each row's own record."""
REPEATED = "an earlier row of the file has updated this record already"

NEW_FIELD = "+"
"""Target, or its first character, of a column that becomes a new custom field when the import starts. It is "+" for
the type that its values have, "+text" for another one."""

OnExisting = Literal["", "skip", "update", "error"]
"""Treatment of rows whose record exists; empty: the default of the type."""


class Existing(NamedTuple):
    """A row whose record exists: index, record, and message."""

    index: int  # type: ignore[assignment]
    id: str
    problem: ValueProblem


@dataclass(slots=True)
class BatchResult:
    """The result of writing a batch: (index, record id), the rows whose record exists, index -> problems.

    `notes` has index -> problems of rows that were written nevertheless, `holders` has index -> the contact that has
    the email or number of a failed row.
    """

    created: list[tuple[int, str]] = field(default_factory=list)
    updated: list[tuple[int, str]] = field(default_factory=list)
    existing: list[Existing] = field(default_factory=list)
    failed: dict[int, list[ValueProblem]] = field(default_factory=dict)
    notes: dict[int, list[ValueProblem]] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)

    def add(self, other: BatchResult) -> None:
        """Add the result of other rows."""
        self.created += other.created
        self.updated += other.updated
        self.existing += other.existing
        self.failed |= other.failed
        self.notes |= other.notes
        self.holders |= other.holders


class ImportType(ABC):
    """An import type."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """The noun for its records."""
    not_found: ClassVar[str]
    exists: ClassVar[str]
    """The errors of a row whose record is missing, or exists already."""
    schema: ClassVar[type[RecordSchema]]
    fields: ClassVar[tuple[FieldSpec, ...]]
    """The system fields that a column may map to."""
    names: ClassVar[tuple[FieldSpec, ...]]
    """The other records that a column may name. A custom field of the same key takes precedence."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The formData keys of the system fields."""
        return tuple(spec.key for spec in self.fields)

    def label(self, key: str) -> str:
        """Return the name of a system field, or of other records that a column may name."""
        return next((spec.name for spec in (*self.fields, *self.names) if spec.key == key), key)

    @abstractmethod
    def missing_fields(self, schema: Any, targets: set[str]) -> list[str]:
        """Return the required fields that a mapping to these targets leaves out."""

    def lookups(self, job: Import) -> Lookups:
        """Return the lookups of the records that rows name."""
        return Lookups(job)

    def write_rows(
        self, schema: Any, rows: Sequence[Any], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        """Write the rows of a batch in the caller's transaction, those first that name their own record."""
        named = [row for row in rows if row.record_id]
        if not named:
            return self.write(schema, rows, job, existing, actor_id=actor_id)
        written = self.write_named(schema, named, job, existing, actor_id=actor_id)
        others = [row for row in rows if not row.record_id]
        if others:
            written.add(self.write(schema, others, job, existing, actor_id=actor_id))
        return written

    def write_named(
        self, schema: Any, rows: Sequence[Any], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        """Update the records that the rows name, or report that they exist already, as `existing` requires."""
        ids = {row.record_id for row in rows if is_id(row.record_id)}
        live = set(schema.kind.live().filter(pk__in=ids).values_list("pk", flat=True))
        result = BatchResult()
        present = []
        seen: set[str] = set()
        if existing == "update" and job.status == Import.Status.RUNNING:  # who corrects a row later means it
            changed = Journal.objects.filter(import_job=job.pk, panel=schema.kind.panel, record_id__in=live)
            seen.update(changed.values_list("record_id", flat=True))
        for row in rows:
            if row.record_id not in live:
                message = f"no record of your {self.noun} has the ID “{shorten(row.record_id, 40)}”"
                result.failed[row.index] = [ValueProblem(RECORD_ID, self.not_found, message)]
            elif row.record_id in seen:
                result.failed[row.index] = [ValueProblem(RECORD_ID, "InvalidDataFormat_400", REPEATED)]
            elif existing == "update":
                seen.add(row.record_id)
                present.append(row)
            else:
                problem = ValueProblem(RECORD_ID, self.exists, "the record exists already")
                result.existing.append(Existing(row.index, row.record_id, problem))
        if present:
            result.add(self.update_named(schema, present, job, actor_id=actor_id))
        return result

    @abstractmethod
    def update_named(self, schema: Any, rows: Sequence[Any], job: Import, *, actor_id: str | None) -> BatchResult:
        """Give the live records that the rows name the rows' values."""

    @abstractmethod
    def write(
        self, schema: Any, rows: Sequence[Any], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        """Write the rows of a batch in the caller's transaction, as the member `actor_id`."""
