"""Kinds of records: contacts, leads, and products and services, each with its tables and its columns.

A column is written once, in the kind's `columns` (crm/contacts/kind.py and its like): INSERT, UPDATE, merges, journals, erasure
and list fields derive from it. crm.records.types has what can be done with the records of each kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from django.db import IntegrityError, models
from django.db.models import QuerySet, UniqueConstraint

from core.errors import NamedError
from crm.records.models import FieldValue

Given = Literal["field", "beside", ""]
"""How callers give a value: as a system field in formData, beside formData, or not at all."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's records, besides those that all kinds have (ids, times, authors, custom, deletion)."""

    name: str
    api_name: str = ""
    """Its name in the API, in events and, of a system field, in formData."""
    given: Given = ""
    type: str = "text"
    """Its PostgreSQL type, as statements name it."""
    empty: Any = None
    """What it holds where there is no value."""
    group: str = ""
    """The column that says whether a group of columns has a value; these are chosen, emptied, kept and restored together."""
    stamps: str = ""
    """The column whose last change it dates."""
    in_events: bool = True
    """Whether events carry its changes."""
    derived: bool = False
    """It follows from others by a trigger or RecordSchema.derive, so that journals leave it out."""
    inserted: bool = True
    updated: bool = True
    strictest: Callable[[Sequence[Any]], Any] | None = None
    """Which of several values a merge keeps, whatever is chosen."""


@dataclass(frozen=True, slots=True)
class Part:
    """Columns that are chosen together in a merge, and the one that says whether there is a value at all."""

    columns: tuple[str, ...]
    judged: str


@dataclass(frozen=True, eq=False)
class RecordKind:
    """A panel with its tables. `link` is the foreign key of its values and tags to its records."""

    panel: str
    model: type[models.Model]
    values: type[FieldValue]
    link: str
    noun: str
    """The plural that texts call its records by."""
    singular: str
    columns: tuple[Column, ...]
    not_found: str
    """The error of an id that is none of its live records."""
    exists: str = ""
    """The error of a unique value that another record has."""
    unique: Mapping[str, str] = field(default_factory=dict)
    """Part of what makes a live record unique -> its column, or another SQL expression over the table."""
    unique_noun: str = ""
    """What people call these parts."""
    tags: type[models.Model] | None = None
    links: tuple[tuple[str, type[models.Model], str], ...] = ()
    """What its records are linked to: the name in the API, the table of the links, and its column of what is linked."""
    made_with: tuple[str, ...] = ()
    """The panels of records that an import of this kind makes too, to be undone after its own."""
    kept_for: tuple[str, ...] = ()
    """Reverse relations: a record that live records refer to by these stays when the import that made it is undone."""

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def value_table(self) -> str:
        return self.values._meta.db_table

    @property
    def tag_table(self) -> str:
        if self.tags is None:
            raise TypeError(f"{self.noun} have no tags")
        return self.tags._meta.db_table

    @property
    def column(self) -> str:
        """The column of `link`."""
        return f"{self.link}_id"

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """Column name -> column."""
        return {column.name: column for column in self.columns}

    @cached_property
    def system_columns(self) -> dict[str, str]:
        """formData key of a system field -> column name."""
        return {column.api_name: column.name for column in self.columns if column.given == "field"}

    @cached_property
    def names(self) -> dict[str, str]:
        """Column name -> name in the API, of all that events carry."""
        return {column.name: column.api_name for column in self.columns if column.api_name and column.in_events}

    @cached_property
    def state_columns(self) -> tuple[str, ...]:
        """What an update of records reads and may change, but for derived columns."""
        return tuple(column.name for column in self.columns if column.updated and not column.derived)

    @cached_property
    def merged_columns(self) -> tuple[str, ...]:
        """What a merge may change about the winner, but for derived columns."""
        return tuple(
            column.name for column in self.columns if (column.updated and not column.derived) or column.strictest
        )

    @cached_property
    def derived_columns(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns if column.derived)

    @cached_property
    def stamps(self) -> dict[str, str]:
        """Column name -> the column that dates its last change."""
        return {column.stamps: column.name for column in self.columns if column.stamps}

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Column name -> all the columns that belong together with it, in their order."""
        found: dict[str, tuple[str, ...]] = {}
        for column in self.columns:
            if column.group:
                found[column.group] = (*found.get(column.group, ()), column.name)
        return {name: names for names in found.values() for name in names}

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Name in the API -> the columns that a merge chooses by it."""
        made: dict[str, Part] = {}
        for column in self.columns:
            judged = column.group or column.name
            made.setdefault(judged, Part(self.groups.get(column.name, (column.name,)), judged))
        return {column.api_name: made[column.group or column.name] for column in self.columns if column.given}

    @cached_property
    def blank(self) -> dict[str, Any]:
        """Column name -> what it holds without value."""
        return {column.name: column.empty for column in self.columns}

    @cached_property
    def unique_constraints(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.model._meta.constraints if isinstance(one, UniqueConstraint))

    def emptied(self, name: str) -> dict[str, Any]:
        """The column, and those that belong to it, without value."""
        return {one: self.blank[one] for one in self.groups.get(name, (name,)) if not self.by_name[one].stamps}

    def violates_unique(self, error: IntegrityError) -> bool:
        """Whether a statement failed since another record has what makes one unique."""
        return any(name in str(error) for name in self.unique_constraints)

    def live(self) -> QuerySet[Any]:
        """Its records of the active company that are not deleted."""
        return self.model._default_manager.filter(is_deleted=False)

    def missing(self, name: str, id: str) -> NamedError:
        """The error of an id that is no live record, which tells where a merged one went."""
        into = None
        if any(field.name == "merged_into" for field in self.model._meta.local_fields):
            into = self.model._default_manager.filter(pk=id).values_list("merged_into_id", flat=True).first()
        went = f"; it was merged into {into} (mergedInto)" if into else ""
        return NamedError(self.not_found, f"{name}: there is no such {self.singular} in this company{went}")

    def taken_meanwhile(self) -> NamedError:
        """The error of a unique value that another record got in the same moment."""
        return NamedError(self.exists, f"another {self.singular} has taken {self.unique_noun} in the same moment")

    def name_of(self, name: str) -> str:
        """A column's name in the API; links and custom keys have theirs."""
        if name in self.names:
            return self.names[name]
        if all(field.column != name for field in self.model._meta.local_concrete_fields):
            return name
        return re.sub("_([a-z])", lambda match: match[1].upper(), name.removesuffix("_id"))
