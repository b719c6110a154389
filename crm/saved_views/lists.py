"""The registry of lists of which members keep views."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from core.lists import FieldSet
from crm.records.filters import all_custom_fields_of, own_field_keys
from crm.records.kinds import RecordKind


@dataclass(frozen=True)
class ViewedList:
    """A list of which members keep views. `kind` is that of its records if they have custom fields."""

    module: str
    """The permission module that opens the list."""
    fields: FieldSet
    layouts: Sequence[str] = ("table",)
    kind: RecordKind | None = None

    def unknown_column(self, names: Iterable[str], own: Callable[[], Collection[str]] | None = None) -> str | None:
        """Return the first name that is no column: neither a field of the list nor a custom field, which `own`
        returns (by default it is asked for)."""
        further = [name for name in names if name not in self.fields.fields]
        columns = (own or self.own_columns)() if further else ()
        return next((name for name in further if name not in columns), None)

    def own_columns(self) -> Collection[str]:
        """Return the keys of the company's own fields, if the records have any."""
        return own_field_keys(self.kind) if self.kind else ()

    def fields_at_once(self) -> FieldSet:
        """Return the fields for many queries: a company's custom fields are read once for all of them."""
        if self.kind is None:
            return self.fields
        return FieldSet(
            self.fields.fields.values(),
            default_sort=self.fields.default_sort,
            default_search=self.fields.default_search,
            dynamic=all_custom_fields_of(self.kind),
        )


VIEWED: dict[str, ViewedList] = {}
"""Path of the list -> its declaration; each app registers its own when it is ready."""


def keep_views_of(resource: str, listed: ViewedList) -> None:
    """Register a list for saved views."""
    VIEWED[resource] = listed
