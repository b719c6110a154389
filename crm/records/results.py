"""Results of writing records of any kind, one or many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import NamedError
from crm.records.problems import ValueProblem

MAX_NAMED = 20
"""Maximum number of records that a warning names."""
MAX_BULK = 500
"""Maximum number of items that one request creates."""


class UNSET:
    """Marks a value that was not given, where null would empty it."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A record that was written, and the problems of its omitted values.

    `updated` means that it existed already. `notes` go into the response's warning, `job` can undo what was
    overwritten. `codes` are the kinds of the notes, which pages show in texts of their own.
    """

    id: str
    left_out: list[ValueProblem] = field(default_factory=list)
    updated: bool = False
    notes: list[str] = field(default_factory=list)
    job: str | None = None
    codes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of a bulk creation that failed."""

    index: int
    form_data: Any
    name: str
    warning: str


@dataclass(slots=True)
class BulkResult:
    """The outcome of a bulk creation: ids in the items' order, failures, and (index, problem) of each invalid value.

    `notes` has (index, text) for the response's warning, `job` can undo what was overwritten.
    """

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    errors: list[tuple[int, ValueProblem]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    job: str | None = None

    def refuse_failed(self) -> None:
        """Raise the error of the first item that failed, for a request that takes all of its items or none."""
        if self.failed:
            first, others = self.failed[0], len(self.failed) - 1
            more = f" ({others} more failed)" if others else ""
            raise NamedError(first.name, f"{first.warning}{more}; nothing was written", field=f"formData.{first.index}")


def join_notes(notes: Sequence[str]) -> str:
    """Join the notes into one warning, without the last ones of very many."""
    more = [f"and {len(notes) - MAX_NAMED} more"] if len(notes) > MAX_NAMED else []
    return "; ".join([*notes[:MAX_NAMED], *more])
