"""State of a list from its address (search, filters, sort, position), as parameters of the API and for the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson
from django.http import QueryDict
from django.utils.translation import gettext as _

from core.lists.tree import DEFAULT_ZONE
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.filters import WITHIN_TIME, WITHOUT_VALUE, Choice, Filter, filter_changes, sent_filters, values_of

SIZE = 50
MAX_ROWS = 1000
"""A page keeps at most so many rows; the next ones come on a page of their own."""
WITHIN = "within"
"""The parameter with a tree of advancedFilters as JSON: the rows that a number of another page counts."""
MATCH = "match"
"""The parameter that is "any" where one of the filters is enough; those of a group must then all hold."""
SAYING = ("q", "f", "sort", "view", "field", MATCH, WITHIN)
"""Parameters of an address that define the list directly, instead of a saved view."""


@dataclass(frozen=True)
class Chip:
    """An active filter: its text, the query without it, and the filter in the form of addresses."""

    label: str
    operator: str
    value: str
    without: str
    filter: str = ""
    kind: str = ""
    """date where the value is a day or a time."""


@dataclass(frozen=True)
class Unread:
    """A filter that the list omits, because its value cannot be used, with the correct form."""

    choice: Choice
    filter: Filter
    problem: str

    @property
    def amount(self) -> str:
        return self.filter.value.partition(" ")[0] if self.filter.operator in WITHIN_TIME else ""

    @property
    def value(self) -> str:
        return "" if self.filter.operator in WITHIN_TIME else self.filter.value


@dataclass(frozen=True)
class Column:
    """A column. `name` is that of the value; `sort` the field that it is sorted by; `css` a class of its cells."""

    name: str
    label: str
    sort: str = ""
    css: str = ""
    kind: str = "text"
    """Format of its cells (parts/record_rows.html): text, who, status, stage, money, tags, when, email or phone."""
    custom: bool = False
    """The value is one of formData."""
    fixed: bool = False
    """It is always shown, as the first one."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Value -> its label."""
    definition: Values | None = None
    """The definition of a custom field, by which its values are written (core.web.field_values)."""
    editable: bool = False


@dataclass
class ListState:
    """The state of a list, all of it in the address: `q`, `match`,
    `f=<field>:<operator>:<value>`, `sort`, `cursor`, `seen`."""

    sent: QueryDict
    choices: Mapping[str, Choice] = field(default_factory=dict)
    keeps: Sequence[str] = ()
    """Further parameters of the address that its links and forms keep."""
    fixed: Sequence[Values] = ()
    """Conditions (nodes of advancedFilters) of the saved view that no parameter of an address can express."""
    explicit: bool = False
    """Links without a search state that explicitly, since an address alone means a saved view."""
    zone: str = ""
    """The time zone whose days the filters mean: the company's."""

    @classmethod
    def changed(cls, link: QueryDict, form: QueryDict, choices: Mapping[str, Choice], zone: str) -> ListState:
        """Return the filters of a link, with those that a form adds and without those that it removes."""
        added, dropped = filter_changes(form, choices)
        texts = [str(condition) for condition in cls(link, choices, zone=zone).filters]
        query = QueryDict(mutable=True)
        query.setlist("f", [text for text in dict.fromkeys((*texts, *added)) if text not in dropped])
        query[MATCH] = form.get(MATCH) or link.get(MATCH, "")
        return cls(query, choices, zone=zone)

    @property
    def search(self) -> str:
        return self.sent.get("q", "").strip()

    @property
    def sort(self) -> str:
        return self.sent.get("sort", "")

    @property
    def extra_parameters(self) -> list[tuple[str, str]]:
        """The (name, value) of the further parameters that are there."""
        return [(name, str(self.sent[name])) for name in (*self.keeps, MATCH, WITHIN) if self.sent.get(name)]

    @property
    def containing_tree(self) -> Values | None:
        """The tree of the rows that a number of another page counts, where the address has one."""
        try:
            tree = orjson.loads(self.sent.get(WITHIN, "null"))
        except (ValueError, RecursionError):
            return None
        return tree if isinstance(tree, dict) else None

    @property
    def seen(self) -> int:
        """The number of rows above, of the pages that the browser shows already."""
        text = self.sent.get("seen", "0")
        return whole_number(text) or 0

    @cached_property
    def _parsed_filters(self) -> list[tuple[Choice, Filter]]:
        """The filters of the address, and the one that the form of the filter menu adds."""
        name = self.sent.get("field", "")
        texts = [*self.sent.getlist("f"), *(sent_filters(self.sent, name) if name else [])]
        read = (Filter.read(text) for text in texts)
        pairs = ((self.choices.get(list_filter.name), list_filter) for list_filter in read if list_filter)
        return [(choice, list_filter) for choice, list_filter in pairs if choice and choice.accepts(list_filter)]

    @cached_property
    def filters(self) -> list[Filter]:
        """Return the filters; unknown filters of this list, and unusable values, are omitted."""
        return [
            list_filter
            for choice, list_filter in self._parsed_filters
            if not choice.problem(list_filter.operator, list_filter.value)
        ]

    @cached_property
    def unread(self) -> list[Unread]:
        """The filters whose values cannot be used."""
        return [
            Unread(choice, list_filter, problem)
            for choice, list_filter in self._parsed_filters
            if (problem := choice.problem(list_filter.operator, list_filter.value))
        ]

    @property
    def any(self) -> bool:
        """Return whether matching one of the filters is enough."""
        return self.sent.get(MATCH) == "any"

    @property
    def groups(self) -> list[str]:
        """Return the present groups of filters, and the number of a new one."""
        if not self.filters:
            return []
        numbers = sorted({list_filter.group for list_filter in self.filters if list_filter.group}, key=int)
        return [*numbers, str(int(numbers[-1]) + 1 if numbers else 1)]

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search or self.filters or self.fixed or self.containing_tree)

    def query(self, *, size: int = SIZE) -> JsonObject:
        """Return the parameters of the API's list."""
        params: JsonObject = {"n": str(size), "cursorPagination": "true", **self.selection()}
        if self.sort:
            params |= {"sortBy": self.sort.removeprefix("-"), "sortOrder": "desc" if self.sort[0] == "-" else "asc"}
        if self.sent.get("cursor"):
            params["cursor"] = self.sent["cursor"]
        return params

    def selection(self) -> JsonObject:
        """Return the parameters that select the records, for lists and for bulk changes of all that match."""
        own = self._own_conditions()
        if self.any and len(own) > 1:
            own = [{"operator": "or", "conditions": own}]
        conditions = [*self.fixed, *([self.containing_tree] if self.containing_tree else []), *own]
        params: JsonObject = {"searchValue": self.search} if self.search else {}
        if conditions:
            params["advancedFilters"] = {"operator": "and", "conditions": conditions}
        return params

    def _own_conditions(self) -> list[Values]:
        """Return the conditions of the filters; those of a group are one."""
        conditions: list[Values] = []
        groups: dict[str, list[Values]] = {}
        for list_filter in self.filters:
            if not list_filter.group:
                conditions.append(self._condition(list_filter))
                continue
            if list_filter.group not in groups:
                groups[list_filter.group] = []
                conditions.append({"operator": "and" if self.any else "or", "conditions": groups[list_filter.group]})
            groups[list_filter.group].append(self._condition(list_filter))
        return conditions

    def _condition(self, list_filter: Filter) -> JsonObject:
        choice = self.choices[list_filter.name]
        value = (
            {}
            if list_filter.operator in WITHOUT_VALUE
            else {"value": choice.api_value(list_filter.operator, list_filter.value)}
        )
        node = {"field": list_filter.name, "operator": list_filter.operator, **value}
        elsewhere = self.zone not in ("", DEFAULT_ZONE)
        return {**node, "timeZone": self.zone} if elsewhere and choice.means_day(list_filter.operator) else node

    @property
    def chips(self) -> list[Chip]:
        """Return the active filters with their texts."""
        active = [self._chip(list_filter) for list_filter in self.filters if not list_filter.group]
        if self.containing_tree:
            active.append(Chip(_("Records of the report"), "", "", self.link(**{WITHIN: None})))
        return active

    @property
    def chip_groups(self) -> list[list[Chip]]:
        """The active filters of each group."""
        groups: dict[str, list[Chip]] = {}
        for list_filter in self.filters:
            if list_filter.group:
                groups.setdefault(list_filter.group, []).append(self._chip(list_filter))
        return list(groups.values())

    def _chip(self, list_filter: Filter) -> Chip:
        choice = self.choices[list_filter.name]
        text = choice.value_labels(list_filter.operator, list_filter.value)
        kind = "date" if choice.means_day(list_filter.operator) else ""
        return Chip(
            choice.label,
            choice.words(list_filter.operator, len(values_of(list_filter.value)) > 1),
            text,
            self.without_filter(list_filter),
            str(list_filter),
            kind,
        )

    @property
    def can_switch(self) -> bool:
        """Return whether the choice between all and any of the filters makes a difference."""
        return len({list_filter.group or str(list_filter) for list_filter in self.filters}) > 1

    @property
    def match_links(self) -> tuple[str, str]:
        """The queries of the list where all of the filters must hold, and where any is enough."""
        return self.link(**{MATCH: None}), self.link(**{MATCH: "any"})

    def without_filter(self, gone: Filter) -> str:
        return self.link(f=[str(list_filter) for list_filter in self.filters if list_filter != gone])

    def link(self, **changes: Any) -> str:
        """Return the query with changes (None takes a parameter away), from the first page on."""
        query = QueryDict(mutable=True)
        parameters = {name: [value] for name, value in self.extra_parameters}
        parameters |= {"q": [self.search], "f": [str(list_filter) for list_filter in self.filters], "sort": [self.sort]}
        for name, values in {**parameters, **{name: _as_list(value) for name, value in changes.items()}}.items():
            query.setlist(name, [value for value in values if value])
        if self.explicit and not any(query.getlist(name) for name in SAYING):
            query["q"] = ""
        return f"?{query.urlencode()}"

    def sorted_by(self, column: Column) -> tuple[str, str]:
        """Return (the value of aria-sort for the column, the query that sorts by it)."""
        if self.sort == column.sort:
            return "ascending", self.link(sort=f"-{column.sort}")
        return ("descending" if self.sort == f"-{column.sort}" else "none"), self.link(sort=column.sort)

    def more(self, cursor: str, shown: int) -> tuple[str, bool]:
        """Return the query of the next page, and whether its rows may join those on the page."""
        total = self.seen + shown
        joins = total < MAX_ROWS
        return self.link(cursor=cursor, seen=str(total) if joins else None), joins


def _as_list(value: Any) -> list[str]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [str(value)]
