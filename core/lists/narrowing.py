"""Conditions on the grams of texts (core.search), which an index answers.

A text of fewer than three bytes has none: it is compared with every record on the way, and most records have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, F, Func, Q, Value

from core.lists.values import fold
from core.tenancy import active_scope

SEPARATOR = "\x01"
"""What stands between the values of a record, and in no gram."""
MAX_TEXT = 64
"""Characters of a longer text that are looked for by their grams; more would cost and find no fewer records."""


class HasGrams(Func):
    """Whether the column at `path` has all of the text's grams, in rows of the seed."""

    def __init__(self, path: str, seed: str, text: str) -> None:
        super().__init__(F(path), Value(seed), Value(text), output_field=BooleanField())

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:  # type: ignore[override]
        (column, _), (seed, seed_params), (text, text_params) = (
            compiler.compile(part) for part in self.source_expressions
        )
        # Both arguments are constants, so the planner calls the function once and knows the grams that it estimates.
        return f"{column} @> search_grams({seed}, {text})", (*seed_params, *text_params)


@dataclass
class Narrowing:
    """Whether conditions are to be narrowed, and whether one of them was."""

    wanted: bool = True
    used: bool = False


_narrowing: ContextVar[Narrowing | None] = ContextVar("leadwright_narrowing", default=None)


@contextmanager
def narrowing(*, wanted: bool = True) -> Iterator[Narrowing]:
    """Inside the block conditions are made with grams, or without."""
    watched = Narrowing(wanted)
    token = _narrowing.set(watched)
    try:
        yield watched
    finally:
        _narrowing.reset(token)


@dataclass(frozen=True)
class Narrow:
    """A ListField's `narrow`: by the grams at `path`, whose seed is the active company unless it is given.

    Fields with equal ones are looked up by one condition.
    """

    path: str = "search"
    seed: str | None = None

    def __call__(self, text: str) -> Q | None:
        """What every record that contains the text meets; None when there is nothing to look up."""
        watched, seed, text = _narrowing.get(), self.seed or _company(), text[:MAX_TEXT]
        if seed is None or len(fold(text).encode()) < 3 or SEPARATOR in text:
            return None
        if watched is not None:
            watched.used = True
            if not watched.wanted:
                return None
        return Q(HasGrams(self.path, seed, text))


def _company() -> str | None:
    scope = active_scope()
    return None if scope is None else scope.company_id
