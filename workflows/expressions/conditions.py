"""Conditions of workflows: the tree that lists take, over the run's records and over its values.

`contact.<field>` and `lead.<field>` are fields of the records' lists and are decided by SQL, for many runs at once.
`event`, `trigger`, `steps`, `vars`, `loop` and `run` are values of the run and are decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from core.errors import NamedError
from core.lists import tree
from core.lists.tree import Condition, Group
from core.lists.values import refuse
from core.types import Values
from crm.records.types import RECORD_TYPES, kind_of
from workflows.expressions.comparison import Comparison
from workflows.expressions.compile import look_up

PANELS = ("contact", "lead")
VALUES = ("event", "trigger", "steps", "vars", "loop", "run")
Scope = Values
Decide = Callable[[Sequence[bool], Scope, datetime, list[str]], bool]


@dataclass(frozen=True)
class Subject:
    """The subject of a condition: the ids of the run's records by panel, and the run's values."""

    ids: Mapping[str, str | None]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of conditions for a case, with the comparisons that were not possible."""

    holds: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CompiledConditions:
    """A compiled tree. `parts` are decided by SQL, as (panel, tree)."""

    decide: Decide
    parts: tuple[tuple[str, Group], ...] = ()
    paths: frozenset[str] = field(default_factory=frozenset)

    def holds(self, cases: Sequence[Subject], now: datetime) -> list[bool]:
        """Return of each case whether the conditions hold."""
        return [verdict.holds for verdict in self.judge(cases, now)]

    def judge(self, cases: Sequence[Subject], now: datetime) -> list[Verdict]:
        """Return the verdict of each case: one query per part, however many cases there are."""
        # All records of the batch at once: a query for each run would cost more than the rest of the node.
        matches = [_matching_ids(panel, part, cases, now) for panel, part in self.parts]
        verdicts = []
        for case in cases:
            parts = [case.ids.get(panel) in ids for (panel, _), ids in zip(self.parts, matches, strict=True)]
            warnings: list[str] = []
            holds = self.decide(parts, case.scope, now, warnings)
            verdicts.append(Verdict(holds, tuple(dict.fromkeys(warnings))))
        return verdicts


def compile_conditions(raw: Any, where: str) -> CompiledConditions:
    """Compile a tree. Raises InvalidRequest_400 for one that is malformed or names an unknown root."""
    parsed = tree.parse(raw, where)
    parts: list[tuple[str, Group]] = []
    paths: set[str] = set()
    decide = _compile(parsed, where, parts, paths)
    return CompiledConditions(decide, tuple(parts), frozenset(paths))


def check_conditions(compiled: CompiledConditions, where: str) -> None:
    """Raise InvalidRequest_400 for a field, operator or value that the company's records do not have or take."""
    for panel, part in compiled.parts:
        try:
            tree.check(part, RECORD_TYPES[panel].fields, parameter=where)
        except NamedError as error:
            raise NamedError(
                "InvalidRequest_400", f"{error.reason} (of {panel})", field=error.fields, code=error.code
            ) from None


def _root(node: Condition, where: str) -> str:
    root, _, rest = node.field.partition(".")
    if root not in (*PANELS, *VALUES) or not rest:
        names = ", ".join(f"{name}.…" for name in (*PANELS, *VALUES))
        raise refuse(where, f"the field {node.field[:60]!r} begins with none of {names}")
    return root


def _panel(node: Condition | Group, where: str) -> str | None:
    """Return the panel whose fields alone the node names."""
    if isinstance(node, Condition):
        root = _root(node, where)
        return root if root in PANELS else None
    panels = {_panel(child, where) for child in node.conditions}
    # A group over one panel alone is one query; a mixed one is divided at its children.
    return panels.pop() if len(panels) == 1 else None


def _compile(node: Condition | Group, where: str, parts: list[tuple[str, Group]], paths: set[str]) -> Decide:
    panel = _panel(node, where)
    if panel is not None:
        place = len(parts)
        parts.append((panel, Group("and", (_without_panel(node),))))
        return lambda part_results, scope, now, warnings: part_results[place]
    if isinstance(node, Condition):
        paths.add(node.field)
        return _of_value(node, where)
    children = [_compile(child, where, parts, paths) for child in node.conditions]
    if node.operator == "or":
        return lambda part_results, scope, now, warnings: any(
            child(part_results, scope, now, warnings) for child in children
        )
    return lambda part_results, scope, now, warnings: all(
        child(part_results, scope, now, warnings) for child in children
    )


def _without_panel(node: Condition | Group) -> Condition | Group:
    """Return the node with the field names of its panel's list."""
    if isinstance(node, Condition):
        return replace(node, field=node.field.partition(".")[2])
    return Group(node.operator, tuple(_without_panel(child) for child in node.conditions))


def _of_value(node: Condition, where: str) -> Decide:
    # The path is split once, when the graph is compiled.
    keys = node.field.split(".")
    if node.operator in ("isEmpty", "isNotEmpty"):
        must_be_empty = node.operator == "isEmpty"
        return lambda part_results, scope, now, warnings: (_read(scope, keys) in (None, "", [], {})) is must_be_empty
    comparison = Comparison.compile(node, where)
    return lambda part_results, scope, now, warnings: comparison.holds(_read(scope, keys), now, warnings)


def _read(scope: Scope, keys: Sequence[str]) -> Any:
    value: Any = scope.get(keys[0])
    for key in keys[1:]:
        value = look_up(value, key)
    return value


def _matching_ids(panel: str, part: Group, cases: Sequence[Subject], now: datetime) -> set[str]:
    ids = {id for case in cases if (id := case.ids.get(panel)) is not None}
    if not ids:
        return set()
    where = tree.compile(part, RECORD_TYPES[panel].fields, now=now)
    # A deleted record meets no condition, like one that is not there.
    return set(kind_of(panel).live().filter(pk__in=ids).filter(where).order_by().values_list("pk", flat=True))
