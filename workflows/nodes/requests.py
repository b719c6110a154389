"""Requests of nodes, in addition to waits for a time. The engine writes them in the slice's transaction
(workflows.engine.waits.requests), and the response arrives in the run's inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from core.errors import detail_of, with_operation
from core.types import JsonObject, Values

MAX_CALL_BYTES = 64_000
"""Maximum bytes of a request, and of the stored part of a response."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of something outside. `kind` is the node type whose `call` makes it."""

    kind: str
    request: Values
    host: str
    """Host of the call; concurrent calls to one host are limited."""
    keyed: bool
    """It may be made again when it is unknown whether it was made."""


@dataclass(frozen=True, slots=True)
class Listen:
    """An event about the run's record, from `since` on; None: after the event that has started the run."""

    kind: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class StartRun:
    """A run of another workflow, about the same record."""

    workflow_id: str
    given: Values
    waits: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question that one of the members answers."""

    members: Sequence[str]
    text: str
    until: datetime


Ask = Call | Listen | StartRun | Question


@dataclass(frozen=True, slots=True)
class Reason:
    """The text about an error for people, and the setting that it is about, if it is about one."""

    text: str = ""
    field: str = ""

    def as_json(self) -> JsonObject:
        return {"field": self.field, "text": self.text}


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call. `text`, `field` and `operation` are those of its error (Item.fail)."""

    status: Literal["done", "failed", "unknown"]
    output: Any = None
    code: str = ""
    text: str = ""
    permanent: bool = False
    handle: str = "out"
    field: str = ""
    operation: str = ""

    @property
    def message(self) -> str:
        """The text of the error for programs."""
        return with_operation(detail_of(self.field, self.text), self.operation)

    def as_json(self) -> JsonObject:
        return {
            "status": self.status,
            "output": self.output,
            "code": self.code,
            "message": self.message[:2000],
            "text": self.text[:2000],
            "field": self.field,
            "operation": self.operation,
            "permanent": self.permanent,
            "handle": self.handle,
        }


@dataclass(frozen=True, slots=True)
class CallToMake:
    """A call as its maker gets it. `key` is that of the effect, the same for each try."""

    id: str
    key: str
    keyed: bool
    request: Values = field(default_factory=dict)
