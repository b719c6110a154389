"""searchValue over several fields: one condition that indexes can answer, even across tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import BooleanField, Expression, Q
from django.db.models.sql import Query

from core.lists.fields import ListField
from core.lists.operators import contains
from core.lists.values import refuse
from core.text.folding import fold

MAX_WORDS = 10
"""Each word costs an index scan; a longer text is searched as a whole."""


def check_visible(text: str, where: str) -> None:
    """Refuse a search for nothing but accents and characters without width, which searches take no notice of."""
    if not fold(text):
        raise refuse(where, "needs letters, digits or signs; it has accents or characters without width alone")


def search_in(fields: Sequence[ListField], text: str) -> Q:
    """Return the condition that each word of the text is in one of the fields, ignoring case and accents.

    A text with variants, such as a phone number with spaces, is searched as a whole. So is one that has only very short
    words, or very many.
    """
    varied = any(len(set(field.query_variants(text))) > 1 for field in fields)
    return reduce(and_, (_any_field_contains(fields, word) for word in ([text] if varied else words_of(text))))


def words_of(text: str) -> list[str]:
    """Split a search into words that are searched one by one, or return it whole."""
    words = [word for word in dict.fromkeys(text.split()) if fold(word)]
    # No index finds a word without trigrams, so that one word at least must have some.
    return words if len(words) <= MAX_WORDS and any(len(fold(word).encode()) >= 3 for word in words) else [text]


def _any_field_contains(fields: Sequence[ListField], text: str) -> Q:
    """Return the condition that one of the fields contains the text or one of its variants."""
    groups: dict[Callable[[str], Q | None] | None, list[Q]] = {}
    for field in fields:
        for variant in dict.fromkeys(field.query_variants(text)):
            indexed = field.prefilter is not None and field.prefilter(variant) is not None
            groups.setdefault(field.prefilter if indexed else None, []).append(contains(field, variant))
    parts = [reduce(or_, conditions) for conditions in groups.values()]
    # If one field has no index, all records are read anyway, and once is enough.
    return reduce(or_, parts) if None in groups or len(parts) == 1 else Q(AnyCondition(parts))


class AnyCondition(Expression):
    """The records that meet one of the conditions, each found by its own index.

    It compiles to `id IN (… UNION ALL …)`: PostgreSQL combines the indexes of one table only, and would test every
    record against `… OR …`.
    """

    conditional = True

    def __init__(self, parts: Sequence[Q]) -> None:
        super().__init__(output_field=BooleanField())
        self.parts = list(parts)

    def resolve_expression(self, query: Query, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        first, *others = (query.model._default_manager.filter(part).order_by().values("pk") for part in self.parts)  # type: ignore[union-attr]
        return Q(pk__in=first.union(*others, all=True)).resolve_expression(query, *args, **kwargs)
