"""What an import type is made of: its columns, its schema, and how a batch of its rows is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

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


@dataclass(slots=True)
class Written:
    """What became of a batch's rows: (index, record id), (index, the record in the way), index -> what is wrong."""

    created: list[tuple[int, str]] = field(default_factory=list)
    updated: list[tuple[int, str]] = field(default_factory=list)
    existing: list[tuple[int, ValueProblem]] = field(default_factory=list)
    failed: dict[int, list[ValueProblem]] = field(default_factory=dict)


class ImportKind:
    """One import type."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """What people call its records."""
    schema: ClassVar[type[RecordSchema]]
    fields: ClassVar[tuple[FieldSpec, ...]]
    """The system values that a column may hold."""
    names: ClassVar[tuple[FieldSpec, ...]]
    """What a column may name instead: other records. A custom field of the same key goes before."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The formData keys of the system values."""
        return tuple(spec.key for spec in self.fields)

    def lacking(self, schema: Any, targets: set[str]) -> list[str]:
        """What a mapping to these targets leaves out although rows need it."""
        raise NotImplementedError

    def lookups(self, job: Import) -> Lookups:
        """What looks up the records that rows name."""
        return Lookups(job)

    def write(
        self, schema: Any, rows: Sequence[Any], job: Import, existing: Literal["skip", "update", "error"]
    ) -> Written:
        """Write a batch's rows in the caller's transaction."""
        raise NotImplementedError
