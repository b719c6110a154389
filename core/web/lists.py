"""What the address of a list says (search, filters, sort, place), as parameters of the API and for the template."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import QueryDict

from core.text.formats import Formats

SIZE = 50
MOST_ROWS = 1000
"""A page keeps at most so many rows; the next ones come on a page of their own."""
SINCE = "greaterThanOrEqual"
WORDS = {
    "contains": "contains",
    "notContains": "does not contain",
    "equals": "is",
    "notEquals": "is not",
    "in": "is",
    "startsWith": "starts with",
    "endsWith": "ends with",
    "isEmpty": "is empty",
    "isNotEmpty": "is known",
    "greaterThan": "is above",
    "lessThan": "is below",
    "before": "is before",
    "after": "is after",
    SINCE: "since",
}
"""Operator of the API -> the words of a chip."""
WITHOUT_VALUE = ("isEmpty", "isNotEmpty")
WITHIN = "within"
"""The parameter with a tree of advancedFilters as JSON: the rows that a number of another page counts."""
SAYING = ("q", "f", "sort", "view", "field", WITHIN)
"""Parameters by which an address says itself how the list is looked at, instead of a saved view."""


@dataclass(frozen=True)
class Choice:
    """A field that people filter by. `options` are (value, label), for fields with few values."""

    name: str
    label: str
    operators: Sequence[str] = ("contains", "equals", "isEmpty", "isNotEmpty")
    options: Sequence[tuple[str, str]] = ()
    number: bool = False

    def value(self, text: str) -> Any:
        """Return the value as the API takes it."""
        if not self.number:
            return text
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if number.is_integer() else number

    def of(self, operator: str, text: str) -> Any:
        """Return the value for the operator: `in` takes several."""
        return [self.value(text)] if operator == "in" else self.value(text)


@dataclass(frozen=True)
class Chip:
    """An active filter: its words, the query without it, and the filter as addresses write it."""

    label: str
    operator: str
    value: str
    without: str
    filter: str = ""


@dataclass(frozen=True)
class Column:
    """A column. `name` is that of the value; `sort` the field that it is sorted by; `css` a class of its cells."""

    name: str
    label: str
    sort: str = ""
    css: str = ""
    kind: str = "text"
    """How its cells are written (parts/record_rows.html): text, who, status, money, tags or when."""
    custom: bool = False
    """The value is one of formData."""
    fixed: bool = False
    """It is always shown, as the first one."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Value -> its words."""
    editable: bool = False


@dataclass
class ListState:
    """The state of a list, all of it in the address: `q`, `f=<field>:<operator>:<value>`, `sort`, `cursor`, `seen`."""

    sent: QueryDict
    choices: Mapping[str, Choice] = field(default_factory=dict)
    keeps: Sequence[str] = ()
    """Further parameters of the address that its links and forms keep."""
    fixed: Sequence[Mapping[str, Any]] = ()
    """Conditions (nodes of advancedFilters) of the saved view that no parameter of an address can say."""
    explicit: bool = False
    """Links say that they mean no search where there is none, since an address alone means a saved view."""

    @property
    def search(self) -> str:
        return self.sent.get("q", "").strip()

    @property
    def sort(self) -> str:
        return self.sent.get("sort", "")

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The (name, value) of the further parameters that are there."""
        return [(name, str(self.sent[name])) for name in (*self.keeps, WITHIN) if self.sent.get(name)]

    @property
    def within(self) -> Mapping[str, Any] | None:
        """The tree of the rows that a number of another page counts, where the address has one."""
        try:
            found = json.loads(self.sent.get(WITHIN, "null"))
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @property
    def seen(self) -> int:
        """The number of rows above, of the pages that the browser shows already."""
        text = self.sent.get("seen", "0")
        return int(text) if text.isdigit() and len(text) < 8 else 0

    @property
    def filters(self) -> list[tuple[str, str, str]]:
        """The (field, operator, value) of the filters; what is no filter of this list is left out."""
        found = []
        for text in (*self.sent.getlist("f"), *self._added()):
            name, _, rest = text.partition(":")
            operator, _, value = rest.partition(":")
            known = self.choices.get(name)
            if known and operator in known.operators and (value or operator in WITHOUT_VALUE):
                found.append((name, operator, value))
        return found

    def _added(self) -> list[str]:
        """Return the filter that the form of the filter menu adds, from its fields."""
        parts = [self.sent.get(name, "").strip() for name in ("field", "operator", "value")]
        return [":".join(parts)] if parts[0] else []

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search or self.filters or self.fixed or self.within)

    def query(self, *, size: int = SIZE) -> dict[str, Any]:
        """Return the parameters of the API's list."""
        asked: dict[str, Any] = {"n": str(size), "cursorPagination": "true", **self.selection()}
        if self.sort:
            asked |= {"sortBy": self.sort.removeprefix("-"), "sortOrder": "desc" if self.sort[0] == "-" else "asc"}
        if self.sent.get("cursor"):
            asked["cursor"] = self.sent["cursor"]
        return asked

    def selection(self) -> dict[str, Any]:
        """Return the parameters that say which records, for lists and for bulk changes of all that match."""
        conditions: list[Mapping[str, Any]] = [
            *self.fixed,
            *([self.within] if self.within else []),
            *(self._condition(*one) for one in self.filters),
        ]
        found: dict[str, Any] = {"searchValue": self.search} if self.search else {}
        if conditions:
            found["advancedFilters"] = {"operator": "and", "conditions": conditions}
        return found

    def _condition(self, name: str, operator: str, value: str) -> dict[str, Any]:
        given = {} if operator in WITHOUT_VALUE else {"value": self.choices[name].of(operator, value)}
        return {"field": name, "operator": operator, **given}

    @property
    def chips(self) -> list[Chip]:
        """The active filters with their words."""
        found = []
        for name, operator, value in self.filters:
            choice = self.choices[name]
            text, without = dict(choice.options).get(value, value), self.without_filter(name, operator, value)
            words, itself = WORDS.get(operator, operator), f"{name}:{operator}:{value}"
            found.append(Chip(choice.label, words, text, without, itself))
        if self.within:
            found.append(Chip("Those that the report counts", "", "", self.link(**{WITHIN: None})))
        return found

    def without_filter(self, name: str, operator: str, value: str) -> str:
        kept = [one for one in self.filters if one != (name, operator, value)]
        return self.link(f=[":".join(one) for one in kept])

    def link(self, **changes: Any) -> str:
        """Return the query with changes (None takes a parameter away), from the first page on."""
        query = QueryDict(mutable=True)
        kept = {name: [value] for name, value in self.kept}
        kept |= {"q": [self.search], "f": [":".join(one) for one in self.filters], "sort": [self.sort]}
        for name, values in {**kept, **{name: _listed(value) for name, value in changes.items()}}.items():
            query.setlist(name, [value for value in values if value])
        if self.explicit and not any(query.getlist(name) for name in SAYING):
            query["q"] = ""
        return f"?{query.urlencode()}"

    def sorted_by(self, column: Column) -> tuple[str, str]:
        """Return (what aria-sort says of the column, the query that sorts by it)."""
        if self.sort == column.sort:
            return "ascending", self.link(sort=f"-{column.sort}")
        return ("descending" if self.sort == f"-{column.sort}" else "none"), self.link(sort=column.sort)

    def more(self, cursor: str, shown: int) -> tuple[str, bool]:
        """Return the query of the next page, and whether its rows may join those on the page."""
        seen = self.seen + shown
        joins = seen < MOST_ROWS
        return self.link(cursor=cursor, seen=str(seen) if joins else None), joins


def since(sent: QueryDict, formats: Formats, name: str, label: str) -> Choice:
    """Return the filter by a beginning (an ISO 8601 time) that links of other pages set; its chip says the day."""
    days = []
    for text in sent.getlist("f"):
        field, _, value = text.partition(f":{SINCE}:")
        if field == name and value:
            days.append((value, _day_of(value, formats)))
    return Choice(name, label, (SINCE,), days)


def _day_of(text: str, formats: Formats) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return formats.date(moment if moment.tzinfo else moment.date())


def changed_filters(sent: QueryDict, choices: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the filters that a form adds by its filter menu, and those that it takes off, as addresses write them.

    A value that was typed into the menu counts, whichever button was pressed.
    """
    chosen = sent.get("add", "")
    added = [
        f"{name}:{sent.get(f'operator-{name}', '')}:{value}"
        for name in choices
        for value in [sent.get(f"value-{name}", "").strip()]
        if value or name == chosen
    ]
    return [*added, *([chosen] if ":" in chosen else [])], sent.getlist("drop")


def as_filter(node: Mapping[str, Any]) -> str | None:
    """Write a condition as addresses do, or None for a group of them and for several values."""
    value = node.get("value", "")
    several = value if isinstance(value, list) else [value]
    if "conditions" in node or len(several) != 1 or isinstance(several[0], dict | bool):
        return None
    return f"{node['field']}:{node['operator']}:{'' if several[0] is None else several[0]}"


def _listed(value: Any) -> list[str]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [str(value)]
