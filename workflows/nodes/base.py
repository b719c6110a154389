"""Node types: settings, handles, and a function that takes many runs through a node at once."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from core.errors import detail_of, with_operation
from core.types import JsonObject, Values
from workflows.expressions import Compiled
from workflows.expressions.compile import Escape
from workflows.expressions.conditions import CompiledConditions, Subject
from workflows.nodes.requests import Ask, CallResult, CallToMake, Reason

Status = Literal["done", "waiting", "failed"]
Group = Literal["trigger", "logic", "records", "messages", "team", "outside"]
MAX_OUTPUT = 64_000
"""Bytes of an output that a step keeps."""


class NodeConfig(BaseModel):
    """Base of the settings of nodes. Unknown keys are refused."""

    # A misspelled setting would otherwise be left out in silence.
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, populate_by_name=True)
    main: ClassVar[tuple[str, ...]] = ()
    """Settings that the form shows first, in their order; the others are folded. Empty: all, as declared."""


class Span(NodeConfig):
    """A span of time."""

    amount: int = Field(ge=1, le=100_000)
    unit: Literal["seconds", "minutes", "hours", "days", "weeks", "months"]

    def as_json(self) -> JsonObject:
        return {"amount": self.amount, "unit": self.unit}


@dataclass(slots=True)
class Outcome:
    """The result of a run at a node."""

    status: Status = "done"
    handle: str = "out"
    output: Any = None
    input: Any = None
    """The rendered settings of a failed node."""
    until: datetime | None = None
    """Latest end of a wait; None: only an arrival ends it."""
    waits_for: str = "timer"
    """The cause that ends a wait, in one word: timer, event, call, child, approval, …"""
    request: Ask | None = None
    """The request to make; its response resumes the run."""
    code: str = ""
    message: str = ""
    """The text of its error for programs."""
    reason: Reason = field(default_factory=Reason)
    permanent: bool = False
    """Another try would fail as well."""
    deletes: bool = False
    """It has deleted the run's own record: no further node runs."""
    unknown: bool = False
    """The outcome is uncertain: `on_error.unknown` decides."""
    end_reason: str = ""
    """The reason for which the whole run ends."""
    variables: JsonObject = field(default_factory=dict)
    items: list[Any] | None = None
    """Items of a loop."""
    parallel: int = 1
    """Number of items that run at once."""
    loops_back: bool = False
    """The loop comes back to its node after them."""
    record: tuple[str, str] | None = None
    """A record that was made, as (panel, id): it is the run's own, if that has none."""


class RunFacts(Protocol):
    """Attributes of a run that a node may read."""

    @property
    def id(self) -> str: ...
    @property
    def workflow_id(self) -> str: ...
    @property
    def workflow(self) -> Any: ...
    @property
    def version_id(self) -> str: ...
    @property
    def contact_id(self) -> str | None: ...
    @property
    def lead_id(self) -> str | None: ...
    @property
    def epoch(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def created_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class ResumeEvent:
    """The cause that ended a run's wait at a node: a kind, `timer` for the time, and its payload."""

    kind: str
    payload: Any = None


@dataclass(slots=True)
class Item:
    """A run at a node."""

    run: RunFacts
    scope: Values
    """The values that expressions refer to."""
    make_key: Callable[[], str]
    token: str = ""
    """The branch of the run that is here. With the run's id and epoch it is the address of a response (waits.inbox)."""
    arrived: ResumeEvent | None = None
    """The cause that ended its wait at this node; None: it has only reached the node."""
    round: int = 0
    """Number of times that a loop has returned to its node."""
    outcome: Outcome = field(default_factory=Outcome)
    warnings: list[str] = field(default_factory=list)
    """Comparisons that were not possible; the step's output shows them."""

    @property
    def key(self) -> str:
        """The key of the effect: the same for each try, another one for each time that the run comes here."""
        return self.make_key()

    @property
    def case(self) -> Subject:
        return Subject({"contact": self.run.contact_id, "lead": self.run.lead_id}, self.scope)

    def fail(self, code: str, text: str, *, field: str = "", operation: str = "", permanent: bool = True) -> None:
        """Let the step fail. `field` is the setting that the text is about, `operation` one of the API that helps."""
        self.outcome = Outcome(
            "failed",
            code=code,
            message=with_operation(detail_of(field, text), operation)[:2000],
            reason=Reason(text[:2000], field),
            permanent=permanent,
        )


@dataclass(slots=True)
class NodeBatch:
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
    node_id: str = ""

    def render(self, name: str, item: Item) -> Any:
        """Return a setting with its expressions replaced by the run's values."""
        compiled = self.templates.get(name)
        return getattr(self.config, name) if compiled is None else compiled.read(item.scope)

    def holds(self, name: str) -> list[bool]:
        """Return of each run whether the conditions of a setting hold. Its step shows what could not be compared."""
        verdicts = self.conditions[name].judge([item.case for item in self.items], self.now)
        for item, verdict in zip(self.items, verdicts, strict=True):
            item.warnings += verdict.warnings
        return [verdict.holds for verdict in verdicts]


def is_larger(value: Any, most: int) -> bool:
    """Return whether a value has more than this number of characters as JSON, without writing it.

    The same list may occur in it so often that it would not fit into memory.
    """
    values = [value]
    size = 0
    while values:
        part = values.pop()
        if isinstance(part, Mapping):
            values.extend(part.values())
            size += sum(len(key) + 4 for key in part)
        elif isinstance(part, list | tuple):
            # Before the list's items are put on the stack, which would take the memory that is to be spared.
            if size + 2 * len(part) > most:
                return True
            values.extend(part)
        else:
            size += len(part) + 2 if isinstance(part, str) else 4
        size += 2
        if size > most:
            return True
    return False


def one_out(config: Any) -> tuple[str, ...]:
    return ("out",)


@dataclass(frozen=True)
class NodeType:
    """A type of nodes. `run(batch)` sets the outcome of each item; it is called inside a savepoint.

    If it raises, the savepoint is rolled back and the items are run again one by one. An error that an item raises
    alone is its own.
    """

    type: str
    group: Group
    label: str
    help: str
    config: builtins.type[NodeConfig]
    run: Callable[[NodeBatch], None]
    resume: Callable[[NodeBatch], None] | None = None
    """Takes runs on whose wait here is over (`item.arrived`), as `run` does. Without it a wait has one end, the time,
    and leads on by `out`."""
    handles: Callable[[Any], tuple[str, ...]] = one_out
    icon: str = ""
    version: int = 1
    templates: tuple[str, ...] = ()
    """Settings that may hold expressions, at any depth."""
    escapes: Mapping[str, Escape] = field(default_factory=dict)
    """Setting -> how the values of expressions have to be written in it."""
    call: Callable[[CallToMake], CallResult] | None = None
    """Runs a call that the node has requested, outside of any transaction; raises for a call that must not be made."""
    conditions: Callable[[Any], Values] = lambda config: {}
    """Returns name -> tree of the conditions that the settings hold."""
    check: Callable[[Any], Sequence[tuple[str, str, str]]] = lambda config: ()
    """Returns the missing records of the company, as (code, path, message), when the workflow is published."""
    hints: Callable[[Any], Sequence[tuple[str, str, str]]] = lambda config: ()
    """Returns allowed settings that are probably unintended, as (code, path, message); a warning."""
    needs_lead: bool = False
    """A run that is about no lead fails here."""
    needs: Callable[[Any], tuple[str, ...]] = lambda config: ()
    """The permissions that its actions require of the publisher, such as contact.PUT."""
    writes: bool = False
    """It changes records, so that their values are read again after it."""
    writes_keys: Callable[[Any], bool] = lambda config: False
    """It may change unique values of contacts, for which writers wait for each other."""
    events: Callable[[Any], tuple[str, ...]] = lambda config: ()
    """The kinds of events that runs may wait for here."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Name of a value that later nodes may refer to -> its type."""
    guards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of an output -> the permissions that nodes need to refer to it, such as contact.GET."""
    effect: Callable[[Values], str] | None = None
    """Describes the node's action in a sentence, from its rendered settings, for a dry run. None: `help` serves
    instead, except for nodes of logic, which have no effect outside of the run."""

    def effect_of(self, settings: Values) -> str | None:
        """Return the effect of a node with these rendered settings; None: nothing outside of its run."""
        if self.effect is not None:
            return self.effect(settings)
        return None if self.group in ("trigger", "logic") else self.help

    def handle(self, batch: NodeBatch, *, resumes: bool) -> None:
        """Take runs through the node that have come to it, or that go on after a wait at it."""
        (self.resume if resumes and self.resume is not None else self.run)(batch)

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema of the settings, from which the editor draws its form."""
        schema = self.config.model_json_schema(by_alias=True)
        return {**schema, "x-main": list(self.config.main)} if self.config.main else schema
