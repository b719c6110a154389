"""Prefilters: implied conditions on the trigrams of texts (core.search), which an index answers.

A text of fewer than three bytes has no trigrams: it is compared with every record, and most records contain it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, F, Func, Q, Value

from core.lists.values import upper_text
from core.tenancy import active_scope
from core.text.folding import fold

SEPARATOR = "\x01"
"""The character between the values of a record. No trigram contains it."""
MAX_TEXT = 64
"""The characters of a longer text whose trigrams are looked up; more would cost time and find no fewer records."""


class HasTrigrams(Func):
    """A condition: the column at `path` has all of the text's trigrams, hashed with the seed.

    `function` computes them.
    """

    function = "search_grams"

    def __init__(self, path: str, seed: str, text: str) -> None:
        super().__init__(F(path), Value(seed), Value(text), output_field=BooleanField())

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:  # type: ignore[override]
        (column, _), (seed, seed_params), (text, text_params) = (
            compiler.compile(part) for part in self.source_expressions
        )
        # Both arguments are constants, so the planner calls the function once and can estimate its trigrams.
        return f"{column} @> {self.function}({seed}, {text})", (*seed_params, *text_params)


class HadTrigrams(HasTrigrams):
    """The same of a record that was last written before texts were folded.

    It finds none once core.search_backfill has written all of them again.
    """

    function = "search_grams_unfolded"


@dataclass
class Prefiltering:
    """Flags: conditions get prefilters (`wanted`), and one of them could have one (`used`)."""

    wanted: bool = True
    used: bool = False


_prefiltering: ContextVar[Prefiltering | None] = ContextVar("leadwright_prefiltering", default=None)


@contextmanager
def prefilter_scope(*, wanted: bool = True) -> Iterator[Prefiltering]:
    """Decide whether the conditions that are made inside the block get prefilters."""
    state = Prefiltering(wanted)
    token = _prefiltering.set(state)
    try:
        yield state
    finally:
        _prefiltering.reset(token)


@dataclass(frozen=True)
class Prefilter:
    """A ListField's `prefilter` by the trigrams at `path`. The default seed is the active company's id.

    Fields with equal prefilters share one lookup.
    """

    path: str = "search"
    seed: str | None = None

    def __call__(self, text: str) -> Q | None:
        """Return a condition that every record which contains the text meets, or None for a text without trigrams."""
        state, seed = _prefiltering.get(), self.seed or _company()
        folded = fold(text)[:MAX_TEXT]
        # A text across two values could be found in none of them.
        if seed is None or len(folded.encode()) < 3 or SEPARATOR in folded:
            return None
        if state is not None:
            state.used = True
            if not state.wanted:
                return None
        condition = Q(HasTrigrams(self.path, seed, folded))
        start = text[:MAX_TEXT]
        # Only texts that folding changes can be stored in the older form.
        return condition if upper_text(start) == fold(start) else condition | Q(HadTrigrams(self.path, seed, start))


def _company() -> str | None:
    scope = active_scope()
    return None if scope is None else scope.company_id
