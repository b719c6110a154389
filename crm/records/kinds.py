"""Kinds of records: contacts, leads, organizations, and products and services, each with its tables and columns.

A column is written once, in the kind's `columns` (such as crm/contacts/kind.py). INSERT, UPDATE, merges, journals,
erasure and list fields derive from it. crm.records.types adds the operations on each kind.
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
from core.tenancy import own_records
from core.tenancy.models import Owned, limit
from core.types import JsonObject
from crm.records.models import FieldValue

Given = Literal["field", "beside", ""]
"""Place of the value in API requests: in formData, next to it, or none."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's records, in addition to those of all kinds (ids, times, authors, custom, deletion)."""

    name: str
    api_name: str = ""
    """Its name in the API, in events and, of a system field, in formData."""
    given: Given = ""
    type: str = "text"
    """Its PostgreSQL type, as in statements."""
    empty: Any = None
    """Its value in a record that has none."""
    group: str = ""
    """The column that decides whether a group of columns has a value.

    A group is chosen, emptied, kept and restored as a whole.
    """
    stamps: str = ""
    """The column whose last change it dates."""
    in_events: bool = True
    """Events contain its changes."""
    derived: bool = False
    """A trigger or RecordSchema.derive computes it, so journals leave it out."""
    inserted: bool = True
    updated: bool = True
    merge_with: Callable[[Sequence[Any]], Any] | None = None
    """Returns the value that a merge keeps, overriding the user's choice."""


@dataclass(frozen=True, slots=True)
class Part:
    """Columns that are chosen together in a merge, and the one that decides whether there is a value."""

    columns: tuple[str, ...]
    deciding_column: str


@dataclass(frozen=True, eq=False)
class RecordKind:
    """A panel with its tables. `link` is the foreign key of its values and tags to its records."""

    panel: str
    model: type[models.Model]
    values: type[FieldValue]
    link: str
    noun: str
    """The plural in texts."""
    singular: str
    module: str
    """Their permission module."""
    columns: tuple[Column, ...]
    not_found: str
    """The error of an id that belongs to no live record."""
    exists: str = ""
    """The error of a unique value that another record has."""
    unique: Mapping[str, str] = field(default_factory=dict)
    """Part of a live record's unique key -> its column, or another SQL expression over the table."""
    unique_noun: str = ""
    """The noun for these parts in texts."""
    tags: type[models.Model] | None = None
    links: tuple[tuple[str, type[models.Model], str], ...] = ()
    """Links of its records: the name in the API, the table of the links, and its column of the linked record."""
    histories: tuple[type[models.Model], ...] = ()
    """Tables about the past of its records. Their rows stay with a record that is merged into another."""
    made_with: tuple[str, ...] = ()
    """The panels of records that an import of this kind also creates. An undo removes them last."""
    protected_by: tuple[str, ...] = ()
    """Reverse relations. The undo of an import keeps a record that live records refer to by these."""
    own_resource: str = ""
    """The resource of their events and quota, if it is not the module."""

    @property
    def owned(self) -> Owned | None:
        """The column of the owner, if they have one."""
        return getattr(self.model, "owned", None)

    @property
    def resource(self) -> str:
        """The resource of their events, and the name of their quota."""
        return self.own_resource or self.module

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
        """Column name -> name in the API, of the columns in events."""
        return {column.name: column.api_name for column in self.columns if column.api_name and column.in_events}

    @cached_property
    def state_columns(self) -> tuple[str, ...]:
        """The columns that an update reads and may change, without derived ones."""
        return tuple(column.name for column in self.columns if column.updated and not column.derived)

    @cached_property
    def merged_columns(self) -> tuple[str, ...]:
        """The columns of the winner that a merge may change, without derived ones."""
        return tuple(
            column.name for column in self.columns if (column.updated and not column.derived) or column.merge_with
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
        """Column name -> all columns of its group, in order."""
        columns_by_group: dict[str, tuple[str, ...]] = {}
        for column in self.columns:
            if column.group:
                columns_by_group[column.group] = (*columns_by_group.get(column.group, ()), column.name)
        return {name: names for names in columns_by_group.values() for name in names}

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Name in the API -> the columns that a merge chooses by it."""
        parts_by_column: dict[str, Part] = {}
        for column in self.columns:
            deciding = column.group or column.name
            parts_by_column.setdefault(deciding, Part(self.groups.get(column.name, (column.name,)), deciding))
        return {
            column.api_name: parts_by_column[column.group or column.name] for column in self.columns if column.given
        }

    @cached_property
    def blank(self) -> JsonObject:
        """Column name -> its empty value."""
        return {column.name: column.empty for column in self.columns}

    @cached_property
    def unique_constraints(self) -> tuple[str, ...]:
        return tuple(
            constraint.name for constraint in self.model._meta.constraints if isinstance(constraint, UniqueConstraint)
        )

    @cached_property
    def never_empty(self) -> tuple[str, ...]:
        """The API names of columns that always have a value, such as a choice with a default."""
        return tuple(key for key, name in self.system_columns.items() if self.blank[name] not in (None, ""))

    def emptied(self, name: str) -> JsonObject:
        """Return the empty values of the column and of the rest of its group."""
        return {
            column: self.blank[column] for column in self.groups.get(name, (name,)) if not self.by_name[column].stamps
        }

    def violates_unique(self, error: IntegrityError) -> bool:
        """Return whether a statement failed because another record has the unique value."""
        return any(name in str(error) for name in self.unique_constraints)

    def live(self) -> QuerySet[Any]:
        """Return the records of the active company that are not deleted."""
        rows = self._own()
        limit(rows.query, "is_deleted", False)
        return rows

    def _own(self) -> QuerySet[Any]:
        """Return the records of the active company, or the member's own ones in the scope of these.

        The database narrows them too (core.tenancy.own_rows). With the condition here it uses the index of owners, and
        leaves out contacts that are readable for the sake of their leads.
        """
        rows = self.model._default_manager.get_queryset()
        owned = self.owned
        member = own_records(owned.module) if owned else ""
        if owned and member:
            limit(rows.query, owned.column.removesuffix("_id"), member)
        return rows

    def deleted(self) -> QuerySet[Any]:
        """Return the deleted records that can be restored: neither merged into another one nor erased."""
        return self.stored().filter(is_deleted=True)

    def stored(self) -> QuerySet[Any]:
        """Return the live and deleted records, without those that were merged into another one or erased."""
        gone = {"merged_into", "erased_at"} & {field.name for field in self.model._meta.local_fields}
        return self._own().filter(**{f"{name}__isnull": True for name in gone})

    def missing(self, name: str, id: str) -> NamedError:
        """Return the error of an id that belongs to no live record. It names the record that a merged one was merged
        into."""
        into = None
        if any(field.name == "merged_into" for field in self.model._meta.local_fields):
            into = self.model._default_manager.filter(pk=id).values_list("merged_into_id", flat=True).first()
        went = f"; it was merged into {into} (mergedInto)" if into else ""
        return NamedError(self.not_found, f"there is no such {self.singular} in this company{went}", field=name)

    def taken_meanwhile(self) -> NamedError:
        """Return the error of a unique value that another record took at the same time."""
        return NamedError(self.exists, f"another {self.singular} has taken {self.unique_noun} in the same moment")

    def name_of(self, name: str) -> str:
        """Return a column's name in the API; the names of links and custom keys stay as they are."""
        if name in self.names:
            return self.names[name]
        if all(field.column != name for field in self.model._meta.local_concrete_fields):
            return name
        return re.sub("_([a-z])", lambda match: match[1].upper(), name.removesuffix("_id"))


NOT_GIVEN_AWAY = "your role is limited to own records, which stay with you"


def not_ones_own() -> NamedError:
    """Return the error of a record that a member who sees their own alone would give to somebody else, or to nobody."""
    return NamedError("InvalidPayload_400", NOT_GIVEN_AWAY, field="owner")
