"""Declarations of reports: the rows, the numbers calculated from them, and their groupings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from django.db.models import Count, Q, QuerySet
from django.db.models.expressions import Combinable

from core.access import Actor
from core.types import JsonObject, Values

Node = Values
"""A node of advancedFilters."""
Type = Literal["count", "number", "money", "percent", "days"]
DAY = "day"
"""The name of the grouping by day, which every source with a time has."""


@dataclass(frozen=True)
class Column:
    """A number of the rows: an aggregate (`value`), or the quotient of two others (`ratio`)."""

    key: str
    title: str
    value: Any = None
    type: Type = "count"
    ratio: tuple[str, str] = ("", "")
    """Keys of the columns that it is the quotient of; a percentage by its type, else a mean."""
    filter: Node | None = None
    """Filter that a row's link adds to show the counted records; {}: no addition; None: no filter can."""
    known_by: str = ""
    """Key of the column that counts the rows whose source would report it; it is None where there are none."""
    hidden: bool = False
    """It is only a part of a quotient."""
    place: int = 0
    """The place of its source among those of a table."""
    part_filter: Node | None = None
    """As `filter`, together with the list of its own source."""
    is_dated: bool = True
    """It counts rows of the period, and not as they are now."""


@dataclass(frozen=True)
class Grouping:
    """A grouping of rows."""

    name: str
    title: str
    column: str | Combinable
    """The path or expression of the group's key."""
    label: str | Combinable = ""
    """The path or expression of its name, which depends on the key alone."""
    labels: Callable[[Sequence[Any]], Mapping[Any, str]] | Mapping[Any, str] | None = None
    """Key -> name, where the rows do not have it; a function gets the keys."""
    field: str = ""
    """The field by which the source's list finds the group; empty: no list can."""
    node: Callable[[Any], Node] | None = None
    """Returns the filter of a key where it is not `field` equals key."""
    empty: str = "None"
    """The name of the rows without a key."""
    ordered: bool = False
    """The groups stand in the order of their keys, such as months, and not by their size."""
    overlaps: bool = False
    """A row may be in several groups, such as by tag: sums over the groups may be more than the total."""


@dataclass(frozen=True)
class Source:
    """Rows of a table with their numbers. A report may have several sources."""

    rows: Callable[[Actor], QuerySet[Any]]
    """Returns the rows of the active company that the actor may read."""
    columns: Sequence[Column]
    by: Sequence[Grouping]
    at: str = ""
    """The column whose time falls into the period; empty: the rows as they are now."""
    path: str = ""
    """The list of the API that has the rows."""
    at_field: str = ""
    """The list's name of `at`."""
    filters: Sequence[Node] = ()
    """Filters that the list adds to select exactly `rows`."""
    by_day: bool = True
    """If False, another source counts the same rows by day."""

    def grouping(self, name: str) -> Grouping | None:
        """Return the grouping of this name, if the rows have it."""
        if name == DAY:
            return Grouping(DAY, "Day", self.at, field=self.at_field) if self.at and self.by_day else None
        return next((candidate for candidate in self.by if candidate.name == name), None)


@dataclass(frozen=True)
class Report:
    """A report. The first source sorts the groups, and they link to its list."""

    name: str
    title: str
    about: str
    modules: Sequence[str]
    """The permission modules of which the GET of each opens it."""
    sources: Sequence[Source]
    place: int = 0
    dated: str = ""
    """Description of the day by which its rows count, if that is not obvious: "by the day they went out"."""
    ratios: Sequence[Column] = ()
    """Quotients, placed after the numbers of the sources."""
    first: str = ""
    """The default grouping; empty: by day, where there is a time."""
    order: Mapping[str, str] = field(init=False)
    """Name of each grouping -> its title, in order; the first is the default."""

    def __post_init__(self) -> None:
        order = {DAY: "Day"} if any(source.at for source in self.sources) else {}
        order |= {grouping.name: grouping.title for source in self.sources for grouping in source.by}
        if self.first:
            order = {self.first: order[self.first], **order}
        object.__setattr__(self, "order", order)

    def columns(self, by: str) -> list[Column]:
        """Return the columns of the report by a grouping, hidden ones included."""
        telling = [source for source in self.sources if source.grouping(by)]
        shared = [
            # Links of rows lead to the list of the first source, which has nothing of the others.
            replace(
                column,
                place=place,
                part_filter=column.filter,
                filter=None if place else column.filter,
                is_dated=bool(source.at),
            )
            for place, source in enumerate(telling)
            for column in source.columns
        ]
        keys = {column.key for column in shared}
        return shared + [column for column in self.ratios if keys.issuperset(column.ratio)]

    def visible_columns(self, by: str) -> list[Column]:
        """Return the columns that people see."""
        return [column for column in self.columns(by) if not column.hidden]


REPORTS: dict[str, Report] = {}
"""Name -> report."""


def register_report(report: Report) -> None:
    """Register a report."""
    REPORTS[report.name] = report


def count(key: str, title: str, where: Q | None = None, filter: Node | None = None, *, hidden: bool = False) -> Column:
    """Make a column that counts the rows, or those that meet `where`, which the list finds by `filter`."""
    node = {} if where is None and filter is None else filter
    return Column(key, title, Count("pk", filter=where) if where else Count("pk"), filter=node, hidden=hidden)


def filter_condition(field: str, operator: str, value: Any = None) -> JsonObject:
    """Write a condition of advancedFilters."""
    return {"field": field, "operator": operator} | ({} if value is None else {"value": value})


def any_condition(*nodes: Node) -> JsonObject:
    """Write that one of the conditions holds."""
    return {"operator": "or", "conditions": list(nodes)}
