"""Results of writing records of any kind, one or many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crm.records.schema import ValueProblem

MAX_BULK = 500
"""Maximum number of items that one request creates."""


class UNSET:
    """Marks a value that was not given, where null would empty it."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A record that was written, and the problems of the values that were left out of it."""

    id: str
    left_out: list[ValueProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of a bulk creation that failed."""

    index: int
    form_data: Any
    name: str
    warning: str


@dataclass(slots=True)
class BulkResult:
    """The outcome of a bulk creation: ids in the items' order, failures, and (index, problem) of each invalid value."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    errors: list[tuple[int, ValueProblem]] = field(default_factory=list)
