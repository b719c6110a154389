"""Filters of a list: fields, operators and values as forms send them, as addresses write them and as the API reads
them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.http import QueryDict
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

SINCE = "greaterThanOrEqual"
WORDS = {
    "contains": gettext_lazy("contains"),
    "notContains": gettext_lazy("does not contain"),
    "equals": gettext_lazy("is"),
    "notEquals": gettext_lazy("is not"),
    "in": gettext_lazy("is"),
    "notIn": gettext_lazy("is not"),
    "startsWith": gettext_lazy("starts with"),
    "endsWith": gettext_lazy("ends with"),
    "isEmpty": gettext_lazy("is empty"),
    "isNotEmpty": gettext_lazy("is not empty"),
    "greaterThan": gettext_lazy("is above"),
    "lessThan": gettext_lazy("is below"),
    "lessThanOrEqual": gettext_lazy("until"),
    "before": gettext_lazy("is before"),
    "after": gettext_lazy("is after"),
    SINCE: gettext_lazy("since"),
    "withinLast": gettext_lazy("is within the last"),
    "notWithinLast": gettext_lazy("is not within the last"),
    "withinNext": gettext_lazy("is within the next"),
}
"""Operator of the API -> the text of a chip."""
OF_NUMBERS = {SINCE: gettext_lazy("is at least"), "lessThanOrEqual": gettext_lazy("is at most")}
OF_SEVERAL = {"in": gettext_lazy("is any of"), "notIn": gettext_lazy("is none of")}
EACH = "each"
"""The operator of forms that stands for a filter of each value."""
WITHOUT_VALUE = ("isEmpty", "isNotEmpty")
WITHIN_TIME = ("withinLast", "notWithinLast", "withinNext")
UNITS = ("days", "weeks", "months", "years", "hours", "minutes")
KNOWN = ("isEmpty", "isNotEmpty")
TEXT = ("contains", "notContains", "equals", "notEquals", "startsWith", "endsWith", *KNOWN)
NUMBER = ("equals", "notEquals", "greaterThan", SINCE, "lessThan", "lessThanOrEqual", *KNOWN)
DATE = ("before", "after", "equals", "notEquals", SINCE, "lessThanOrEqual", *WITHIN_TIME, *KNOWN)
ONE_OF = ("in", "notIn", *KNOWN)
YES_NO = (("true", gettext_lazy("Yes")), ("false", gettext_lazy("No")))
WRITTEN = re.compile(r"(?:\((\d{1,2})\))?([^:()]+):([^:]*):?(.*)", re.DOTALL)
MAX_AMOUNT = 100_000


@dataclass(frozen=True, order=True)
class Filter:
    """A condition as addresses write it: `name:contains:ann`, and `(1)name:contains:ann` in the first group."""

    name: str
    operator: str
    value: str = ""
    group: str = ""

    def __str__(self) -> str:
        place = f"({self.group})" if self.group else ""
        return f"{place}{self.name}:{self.operator}:{self.value}"

    @classmethod
    def read(cls, text: str) -> Filter | None:
        match = WRITTEN.fullmatch(text)
        return cls(match[2], match[3], match[4], match[1] or "") if match else None


@dataclass(frozen=True)
class Choice:
    """A field that people filter by. `options` are (value, label), for fields with few values."""

    name: str
    label: str
    operators: Sequence[str] = TEXT
    options: Sequence[tuple[str, str]] = ()
    kind: str = "text"
    """text, number, date, or flag, which is yes or no."""
    holds_several: bool = False
    """A record has several of the values, such as tags."""

    def api_value(self, operator: str, text: str) -> Any:
        """Return the value in the API's form: `in` takes several. Raises ValueError with text for people."""
        if operator in WITHIN_TIME:
            return _time_span(text)
        read = _READ.get(self.kind, str)
        return [read(value) for value in values_of(text)] if operator in OF_SEVERAL else read(text)

    def problem(self, operator: str, text: str) -> str:
        """Return the error of the value, or an empty text."""
        if operator in WITHOUT_VALUE:
            return ""
        try:
            self.api_value(operator, text)
        except ValueError as error:
            return str(error)
        return ""

    def accepts(self, list_filter: Filter) -> bool:
        """Return whether the filter is one of this field, with any value."""
        return list_filter.operator in self.operators and bool(
            list_filter.value or list_filter.operator in WITHOUT_VALUE
        )

    def words(self, operator: str, is_several: bool = False) -> str:
        phrases = OF_SEVERAL if is_several else OF_NUMBERS if self.kind == "number" else {}
        return phrases.get(operator) or WORDS.get(operator, operator)

    @property
    def labelled_operators(self) -> list[tuple[str, str]]:
        """Return (operator, its label) of the operators that a form offers."""
        offered = [(operator, self.words(operator, self.takes_several)) for operator in self.operators]
        return [*offered, (EACH, gettext("is all of"))] if self.holds_several and self.takes_several else offered

    def value_labels(self, operator: str, text: str) -> str:
        """Return the value of a filter as people read it."""
        labels = dict(self.options)
        values = values_of(text) if operator in OF_SEVERAL else [text]
        return ", ".join(str(labels.get(value, value)) for value in values)

    def means_day(self, operator: str) -> bool:
        """Return whether the operator's value is a day, which a time zone has at another time than UTC."""
        return self.kind == "date" and operator not in (*WITHIN_TIME, *WITHOUT_VALUE)

    @property
    def takes_several(self) -> bool:
        return bool(self.options) and "in" in self.operators

    @property
    def takes_time_span(self) -> bool:
        return any(operator in self.operators for operator in WITHIN_TIME)


def values_of(text: str) -> list[str]:
    """Read the values of a filter by several, which an address writes as a list of JSON; a single one as it is."""
    if not text.startswith('["'):
        return [text]
    try:
        values = orjson.loads(text)
    except (ValueError, RecursionError):
        return [text]
    return [str(value) for value in values]


def value_text(values: Sequence[str]) -> str:
    """Write the values of a filter as addresses do."""
    return values[0] if len(values) == 1 else json.dumps(values, ensure_ascii=False) if values else ""


def _number(text: str) -> int | float:
    try:
        number = float(text)
        return int(number) if number.is_integer() else number
    except (ValueError, OverflowError):
        raise ValueError("Enter a number, such as 12 or 12.5.") from None


def _day(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("Enter a day, such as 2026-01-31.") from None
    return text


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("Choose yes or no.")
    return text == "true"


def _time_span(text: str) -> JsonObject:
    amount, _, unit = text.partition(" ")
    if not (amount.isascii() and amount.isdigit() and len(amount) < 7 and 1 <= int(amount) <= MAX_AMOUNT):
        raise ValueError(gettext("Enter how many: a whole number, such as 7."))
    if unit not in UNITS:
        raise ValueError(gettext("Choose a unit of time, such as days."))
    return {"amount": int(amount), "unit": unit}


_READ: dict[str, Callable[[str], Any]] = {"number": _number, "date": _day, "flag": _flag}


def sent_filters(sent: QueryDict, name: str, suffix: str = "") -> list[str]:
    """Write the filters from the fields of a form (parts/filter_field.html), in the notation of addresses."""
    operator = sent.get(f"operator{suffix}", "")
    values = [value for text in sent.getlist(f"value{suffix}") if (value := text.strip())]
    group = sent.get(f"group{suffix}", "")
    group = group if group.isdigit() else ""
    if operator == EACH:
        return [str(Filter(name, "in", value, group)) for value in values]
    value = value_text(values) if operator in OF_SEVERAL else "".join(values[:1])
    if operator in WITHIN_TIME and (amount := sent.get(f"amount{suffix}", "").strip()):
        value = f"{amount} {sent.get(f'unit{suffix}', '')}"
    return [str(Filter(name, operator, value, group))]


def filter_changes(sent: QueryDict, choices: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the filters that a form adds by its filter menu, and those that it takes off, as addresses write them.

    A value that was typed into the menu counts, whichever button was pressed.
    """
    chosen = sent.get("add", "")
    added = [
        text
        for name in choices
        for text in sent_filters(sent, name, f"-{name}")
        if name == chosen or sent.get(f"value-{name}", "").strip() or sent.get(f"amount-{name}", "").strip()
    ]
    return [*added, *([chosen] if ":" in chosen else [])], sent.getlist("drop")


def as_filter(node: Values, zone: str = "") -> str | None:
    """Write a condition as addresses do, or None for what they cannot write: a group, days of another zone."""
    value = node.get("value", "")
    several = value if isinstance(value, list) else [value]
    elsewhere = zone and node.get("timeZone", zone) != zone
    if "conditions" in node or not several or elsewhere:
        return None
    texts = [_query_value(item) for item in several]
    if None in texts or (len(texts) > 1 and not all(texts)):
        return None
    text = value_text([item for item in texts if item is not None])
    return f"{node['field']}:{node['operator']}:{text}"


def _query_value(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{value['amount']} {value['unit']}" if set(value) == {"amount", "unit"} else None
    return "" if value is None else str(value)


def filter_display_check(choices: Mapping[str, Choice]) -> Callable[[str], bool]:
    """Return a function that checks whether the choices can show and change a filter in the form of addresses."""

    def is_shown(text: str) -> bool:
        list_filter = Filter.read(text)
        choice = choices.get(list_filter.name) if list_filter else None
        if list_filter is None or choice is None:
            return False
        return choice.accepts(list_filter) and not choice.problem(list_filter.operator, list_filter.value)

    return is_shown


def flatten_tree(
    tree: Values, is_shown: Callable[[str], bool] = lambda text: True, zone: str = ""
) -> tuple[list[str], str, list[Values]]:
    """Convert a tree of advancedFilters to the form of addresses.

    Returns its filters, "any" where one of them is enough, and the nodes that no address can express, which must all be
    true. `known` returns whether the list has a filter.
    """
    while "conditions" in tree and len(tree["conditions"]) == 1 and "conditions" in tree["conditions"][0]:
        tree = tree["conditions"][0]
    operator = tree.get("operator", "and") if "conditions" in tree else "and"
    texts: list[str] = []
    rest: list[Values] = []
    number = 0
    for node in tree.get("conditions", [tree]):
        inner = [as_filter(condition, zone) for condition in node.get("conditions", [node])]
        readable = [text for text in inner if text and is_shown(text)]
        alike = "conditions" in node and node.get("operator", "and") == operator
        if alike or len(readable) < len(inner) or not readable:
            rest.append(node)
        elif "conditions" in node:
            number += 1
            texts += [f"({number}){text}" for text in readable]
        else:
            texts += readable
    if operator == "or" and rest:
        return [], "", [tree]
    return texts, "any" if operator == "or" and len(texts) > 1 else "", rest
