"""What a node type is: its settings, its handles, and the function that takes many runs through a node at once."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from workflows.expressions import Compiled
from workflows.expressions.conditions import Case, CompiledConditions

Status = Literal["done", "waiting", "failed"]
Group = Literal["trigger", "logic", "records", "messages", "team"]
MAX_OUTPUT = 64_000
"""Bytes of an output that a step keeps."""


class NodeConfig(BaseModel):
    """Base of the settings of nodes. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, populate_by_name=True)


class Span(NodeConfig):
    """A span of time."""

    amount: int = Field(ge=1, le=100_000)
    unit: Literal["seconds", "minutes", "hours", "days", "weeks", "months"]

    def as_json(self) -> dict[str, Any]:
        return {"amount": self.amount, "unit": self.unit}


@dataclass(slots=True)
class Outcome:
    """What has become of a run at a node."""

    status: Status = "done"
    handle: str = "out"
    output: Any = None
    until: datetime | None = None
    """When a wait ends."""
    code: str = ""
    message: str = ""
    permanent: bool = False
    """Another try would fail as well."""
    ends: str = ""
    """The reason for which the whole run ends."""
    variables: dict[str, Any] = field(default_factory=dict)
    items: list[Any] | None = None
    """What a loop goes over."""
    record: tuple[str, str] | None = None
    """A record that was made, as (panel, id): it is the run's own, if that has none."""


class RunFacts(Protocol):
    """What a node may know of a run."""

    @property
    def id(self) -> str: ...
    @property
    def workflow_id(self) -> str: ...
    @property
    def contact_id(self) -> str | None: ...
    @property
    def lead_id(self) -> str | None: ...


@dataclass(slots=True)
class Item:
    """A run at a node."""

    run: RunFacts
    scope: Mapping[str, Any]
    """The values that expressions refer to."""
    key: str
    """The key of the effect: the same for each try, another one for each time that the run comes here."""
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def case(self) -> Case:
        return Case({"contact": self.run.contact_id, "lead": self.run.lead_id}, self.scope)

    def fail(self, code: str, message: str, *, permanent: bool = True) -> None:
        self.outcome = Outcome("failed", code=code, message=message[:2000], permanent=permanent)


@dataclass(slots=True)
class Wave:
    """Runs that are at the same node of a version, one per record."""

    config: Any
    items: Sequence[Item]
    now: datetime
    actor_id: str | None
    """The member who published the workflow, in whose name it acts."""
    company_id: str
    zone: str
    templates: Mapping[str, Compiled]
    conditions: Mapping[str, CompiledConditions]

    def render(self, name: str, item: Item) -> Any:
        """Return a setting with its expressions replaced by the run's values."""
        compiled = self.templates.get(name)
        return getattr(self.config, name) if compiled is None else compiled.read(item.scope)

    def holds(self, name: str) -> list[bool]:
        """Tell of each run whether the conditions of a setting hold."""
        return self.conditions[name].holds([item.case for item in self.items], self.now)


def is_larger(value: Any, most: int) -> bool:
    """Tell whether a value has more than so many characters as JSON, without writing it: the same list may stand in it
    so often that it would not fit into memory."""
    left, found = [value], 0
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            left.extend(one.values())
            found += sum(len(key) + 4 for key in one)
        elif isinstance(one, list | tuple):
            if found + 2 * len(one) > most:
                return True
            left.extend(one)
        else:
            found += len(one) + 2 if isinstance(one, str) else 4
        found += 2
        if found > most:
            return True
    return False


def one_out(config: Any) -> tuple[str, ...]:
    return ("out",)


@dataclass(frozen=True)
class NodeType:
    """A type of nodes. `run(wave)` sets the outcome of each item; it is called inside a savepoint.

    If it raises, the savepoint is rolled back and the items come again one by one; an error that an item raises alone
    is its own.
    """

    type: str
    group: Group
    label: str
    help: str
    config: builtins.type[NodeConfig]
    run: Callable[[Wave], None]
    handles: Callable[[Any], tuple[str, ...]] = one_out
    icon: str = ""
    version: int = 1
    templates: tuple[str, ...] = ()
    """Settings that may hold expressions, at any depth."""
    conditions: Callable[[Any], Mapping[str, Any]] = lambda config: {}
    """Returns name -> tree of the conditions that the settings hold."""
    check: Callable[[Any], Sequence[tuple[str, str, str]]] = lambda config: ()
    """Finds what the company lacks, as (code, path, message), when the workflow is published."""
    writes: bool = False
    """It changes records, so that their values are read anew after it."""
    writes_keys: Callable[[Any], bool] = lambda config: False
    """Whether it may write what makes contacts unique, for which writers wait for each other."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Name of a value that later nodes may refer to -> its type."""
    effect: Callable[[Mapping[str, Any]], str] | None = None
    """Says in a sentence what a node does, from its settings as rendered; a dry run tells it. None: `help` does, but
    for nodes of logic, which do nothing outside of the run."""

    def effect_of(self, settings: Mapping[str, Any]) -> str | None:
        """Return what a node with these settings, as rendered, would do; None: nothing outside of its run."""
        if self.effect is not None:
            return self.effect(settings)
        return None if self.group in ("trigger", "logic") else self.help

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the settings, from which the editor draws its form."""
        return self.config.model_json_schema(by_alias=True)
