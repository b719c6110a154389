"""Comparisons with values of a run, whose types are not declared.

A text that says a number compares with numbers, one that says a date with dates, and "true" and "false" with booleans.
What cannot be compared makes the comparison false, or that of a negated operator true, and gives a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from core.errors import NamedError, shorten
from core.lists import ListField
from core.lists.operators import DATE, CompiledCondition
from core.lists.tree import Condition, compile_node, record_values
from core.lists.values import Kind
from workflows.expressions.filters import BadNumber, read_number

_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Comparison:
    """A condition on a value of the run, with the types in which its own value can be compared, the preferred first."""

    node: Condition
    kinds: tuple[Kind, ...]
    where: str

    @classmethod
    def compile(cls, node: Condition, where: str) -> Comparison:
        """Compile a condition. Raises InvalidRequest_400 for an operator or a value that fits no type."""
        now = datetime.now().astimezone()
        fitting: list[Kind] = []
        refusals: list[NamedError] = []
        for kind in _kinds_of(node):
            try:
                compile_node(_convert(node, kind), ListField(node.field, kind, "id"), where, now)
            except NamedError as error:
                refusals.append(error)
            else:
                fitting.append(kind)
        if not fitting:
            raise refusals[0]
        return cls(node, tuple(fitting), where)

    def holds(self, value: Any, now: datetime, warnings: list[str]) -> bool:
        """Return whether the comparison holds for a value, or for one of a list. Adds a warning for what cannot be
        compared."""
        typed: dict[Kind, list[Any]] = {}
        for item in value if isinstance(value, list) else [value]:
            # An empty text is no number and no date, and says nothing against it either.
            if item is None or (isinstance(item, str) and not item.strip() and "text" not in self.kinds):
                continue
            typed_value = self._typed_item(item)
            if typed_value is not None:
                typed.setdefault(typed_value[0], []).append(typed_value[1])
            else:
                warnings.append(self._warning(item))
        return self._decide(typed, now)

    def _decide(self, typed: dict[Kind, list[Any]], now: datetime) -> bool:
        compiled = {kind: self._compile_as(kind, now) for kind in (typed or self.kinds[:1])}
        expected_results = [result for _, result in next(iter(compiled.values())).predicates]
        results = [
            any(
                compiled[kind].predicates[place][0].holds(item)
                for kind, values in typed.items()
                for item in record_values(kind, values, self.node.time_zone)
            )
            == result
            for place, result in enumerate(expected_results)
        ]
        return any(results) if next(iter(compiled.values())).any_of else all(results)

    def _compile_as(self, kind: Kind, now: datetime) -> CompiledCondition:
        return compile_node(_convert(self.node, kind), ListField(self.node.field, kind, "id"), self.where, now)

    def _typed_item(self, item: Any) -> tuple[Kind, Any] | None:
        """Return the type in which an item is compared, and the item in it; None where none fits."""
        if isinstance(item, bool):
            return self._first_reading(("boolean", item), ("text", str(item).lower()))
        if isinstance(item, int | float | Decimal):
            return self._first_reading(("number", item), ("text", str(item)))
        if not isinstance(item, str):
            return None
        # A cheap look first: most texts are no dates.
        if "date" in self.kinds and _DAY.match(item) and record_values("date", item, self.node.time_zone):
            return "date", item
        if "text" in self.kinds:
            return "text", item
        # After text: a text that is compared as text must not turn into a number by chance.
        if "number" in self.kinds and (number := _number(item)) is not None:
            return "number", number
        boolean = _BOOLEANS.get(item.strip().lower())
        return ("boolean", boolean) if "boolean" in self.kinds and boolean is not None else None

    def _first_reading(self, *readings: tuple[Kind, Any]) -> tuple[Kind, Any] | None:
        return next((reading for reading in readings if reading[0] in self.kinds), None)

    def _warning(self, item: Any) -> str:
        text = shorten(repr(item) if isinstance(item, str) else str(item), 60)
        return f"{self.node.field}: {text} cannot be compared as a {self.kinds[0]}"


def _kinds_of(node: Condition) -> tuple[Kind, ...]:
    """Return the types that the condition's value can be read as, the preferred first."""
    if node.operator in DATE:
        return ("date",)
    operands = [item for item in (node.value if isinstance(node.value, list) else [node.value]) if item is not None]
    # Before numbers, since a bool is an int in Python.
    if operands and isinstance(operands[0], bool):
        return ("boolean",)
    if operands and not isinstance(operands[0], str):
        return ("number",)
    kinds: list[Kind] = ["text"]
    if operands and all(isinstance(item, str) and _number(item) is not None for item in operands):
        kinds.append("number")
    if operands and all(isinstance(item, str) and _DAY.match(item) for item in operands):
        kinds.append("date")
    return tuple(kinds)


def _convert(node: Condition, kind: Kind) -> Condition:
    """Return the condition with its value in a type: texts that say numbers as numbers."""
    if kind != "number":
        return node
    value = [_in_number(item) for item in node.value] if isinstance(node.value, list) else _in_number(node.value)
    return Condition(node.field, node.operator, value, node.time_zone)


def _in_number(value: Any) -> Any:
    return _number(value) if isinstance(value, str) else value


def _number(text: str) -> Decimal | None:
    try:
        return read_number(text)
    except BadNumber:
        return None
