"""The results of writing records of any kind: of one, and of many at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crm.records.schema import ValueProblem

MAX_BULK = 500
"""Items that one request creates at most."""


class UNSET:
    """Stands for a value that was not given, where null means to empty it."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A record that was written, and the values that were left out of it."""

    id: str
    left_out: list[ValueProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of a bulk creation that became no record."""

    index: int
    form_data: Any
    name: str
    warning: str


@dataclass(slots=True)
class BulkResult:
    """The outcome of a bulk creation: ids in the items' order, failures, and (index, problem) of each value in the way or left out."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    errors: list[tuple[int, ValueProblem]] = field(default_factory=list)
