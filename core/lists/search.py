"""searchValue over several fields: one condition that indexes can answer, also when the fields are of several tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db.models import BooleanField, Expression, Q, QuerySet
from django.db.models.sql import Query

from core.lists.fields import ListField
from core.lists.operators import contains

if TYPE_CHECKING:
    from core.lists.query import ListQuery

MANY = 5000
"""Matching records of which a page is found by walking along its order, rather than by sorting them."""
FENCE = 2**31 - 1


def search_in(fields: Sequence[ListField], text: str) -> Q:
    """The records of which one of the fields contains the text, whatever its capitals, or one of the field's own spellings of it."""
    groups: dict[Callable[[str], Q | None] | None, list[Q]] = {}
    for field in fields:
        for spelling in dict.fromkeys(field.respell(text)):
            by_index = field.narrow is not None and field.narrow(spelling) is not None
            groups.setdefault(field.narrow if by_index else None, []).append(contains(field, spelling))
    parts = [reduce(or_, found) for found in groups.values()]
    # Where one field has no index all records are read anyway, and then once.
    return reduce(or_, parts) if None in groups or len(parts) == 1 else Q(Either(parts))


def few_or_many(queryset: QuerySet, query: ListQuery) -> tuple[QuerySet, int | None]:
    """The records that the query asks for, in the form in which a page of them is quick, and their number where it is found on the way.

    The planner takes grams for independent of each other and expects far too few records. That is harmless where they are few: they are
    found by the index, all of them, and sorted. Of many, a page's rows soon come up on a walk along the index that gives the order,
    which compares the text alone. Which it is is counted, up to MANY, on a first page; later ones have it in their cursor.
    """
    matching = queryset.filter(query.where)
    if query.wide is None:
        return matching, None
    total = matching.order_by()[: MANY + 1].count() if query.cursor is None else query.cursor.total
    if total > MANY:
        return queryset.filter(query.wide()), None
    # The limit is never reached; it keeps the planner from walking along the order all the same.
    return queryset.filter(pk__in=matching.order_by().values("pk")[:FENCE]), total


class Either(Expression):
    """The records that meet one of the conditions, each found by an index of its own: PostgreSQL joins the indexes of one table only.

    `id IN (… UNION ALL …)` where `… OR …` would be tried on every record.
    """

    conditional = True

    def __init__(self, parts: Sequence[Q]) -> None:
        super().__init__(output_field=BooleanField())
        self.parts = list(parts)

    def resolve_expression(self, query: Query, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        first, *others = (query.model._default_manager.filter(part).order_by().values("pk") for part in self.parts)  # type: ignore[union-attr]
        return Q(pk__in=first.union(*others, all=True)).resolve_expression(query, *args, **kwargs)
