"""The base class of import types: a type's columns and schema, and how it writes a batch of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from crm.imports.lookups import CATEGORY, TAGS, Lookups
from crm.imports.models import Import
from crm.imports.readers import FieldSpec
from crm.records.schema import RecordSchema, ValueProblem

CONTACT_FIELDS = (
    FieldSpec("name", "Name", "name"),
    FieldSpec("email", "Email", "email"),
    FieldSpec("countryCode", "Country code", "countryCode"),
    FieldSpec("number", "Number", "number"),
)
TAG_FIELDS = (
    FieldSpec(TAGS, "Tags", "text", ("tag", "labels", "schlagworte", "etiquettes", "etiquetas")),
    FieldSpec(CATEGORY, "Category", "text", ("contact category", "kategorie", "categorie", "categoria")),
)


OnExisting = Literal["", "skip", "update", "error"]
"""What happens to rows whose record exists; empty: the default of the type."""


class Existing(NamedTuple):
    """A row whose record exists: index, the record, and what to say of it."""

    index: int  # type: ignore[assignment]
    id: str
    problem: ValueProblem


@dataclass(slots=True)
class BatchResult:
    """The result of writing a batch: (index, record id), the rows whose record exists, index -> problems.

    `notes` has index -> problems of rows that were written nevertheless.
    """

    created: list[tuple[int, str]] = field(default_factory=list)
    updated: list[tuple[int, str]] = field(default_factory=list)
    existing: list[Existing] = field(default_factory=list)
    failed: dict[int, list[ValueProblem]] = field(default_factory=dict)
    notes: dict[int, list[ValueProblem]] = field(default_factory=dict)


class ImportType(ABC):
    """An import type."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """The noun for its records."""
    schema: ClassVar[type[RecordSchema]]
    fields: ClassVar[tuple[FieldSpec, ...]]
    """The system fields that a column may map to."""
    names: ClassVar[tuple[FieldSpec, ...]]
    """The other records that a column may name. A custom field of the same key takes precedence."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The formData keys of the system fields."""
        return tuple(spec.key for spec in self.fields)

    @abstractmethod
    def missing_fields(self, schema: Any, targets: set[str]) -> list[str]:
        """Return the required fields that a mapping to these targets leaves out."""

    def lookups(self, job: Import) -> Lookups:
        """Return the lookups of the records that rows name."""
        return Lookups(job)

    @abstractmethod
    def write(
        self, schema: Any, rows: Sequence[Any], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        """Write the rows of a batch in the caller's transaction, as the member `actor_id`."""
