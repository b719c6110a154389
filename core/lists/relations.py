"""Sorting by a column of a foreign key's target without sorting the records: only the few targets are sorted.

The records of each target follow in the order of their ids, by an index (company, reference, id). A page needs at most
its own length of each target. Records of targets with the same value are mixed by id, so whole groups are read
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, cast

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Field, ForeignKey, Func, OuterRef, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, IsNull, LessThan, LessThanOrEqual

from core.lists.fields import ListField, expression_column
from core.lists.values import Kind
from core.text.folding import SortText

FIRST_CHUNK, GROWTH = 2, 8
"""Groups of targets read at once: most pages end within the first, and a thousand empty groups cost four statements."""


class RelationField(ListField):
    """The `attribute` of the target of the foreign key `relation`: of a team, a member, an import.

    Many records share a target, and no target may lack the attribute. Sorts need an index (company, relation, id) of
    the listed table.
    """

    def __init__(
        self, name: str, type: Kind, relation: str, attribute: str, *, searchable: bool = False, nullable: bool = True
    ) -> None:
        super().__init__(name, type, f"{relation}__{attribute}", searchable=searchable, nullable=nullable)
        self.relation = relation
        self.attribute = attribute
        self.reference = f"{relation}_id"

    @property
    def empty_column(self) -> str:
        return self.reference

    def without_value(self) -> Q:
        return Q(IsNull(expression_column(self.reference), True))

    def target_groups(
        self, queryset: QuerySet[Any], descending: bool, start: Any = None
    ) -> Iterator[tuple[Any, list[str]]]:
        """Yield the values of the targets in order, from `start` on, each with the ids of its targets."""
        reference = cast("ForeignKey[Any, Any]", queryset.model._meta.get_field(self.relation))
        value = expression_column(self.attribute if self.sorts_exactly else SortText(self.attribute))
        targets = reference.related_model._default_manager.order_by(value.desc() if descending else value.asc())
        if start is not None:
            bound = LessThanOrEqual if descending else GreaterThanOrEqual
            targets = targets.filter(bound(value, Value(start, output_field=Field())))
        for group_value, rows in groupby(targets.values_list(value, "pk"), key=lambda row: row[0]):
            yield group_value, [pk for _, pk in rows]


def chunks(
    field: RelationField, queryset: QuerySet[Any], after: Sequence[Any] | None, *, descending: bool
) -> Iterator[tuple[list[str], QuerySet[Any]]]:
    """Yield the targets' ids in the order of the sort, a few at a time, with the queryset's records after `after`."""
    groups = field.target_groups(queryset, descending, None if after is None else after[0])
    size, known_ids = FIRST_CHUNK, []
    for value, ids in groups:
        if after is not None and value == after[0]:
            bound = LessThan if descending else GreaterThan
            yield ids, queryset.filter(bound(expression_column("pk"), Value(after[1], output_field=Field())))
            continue
        known_ids.append(ids)
        if len(known_ids) == size:
            yield _flatten(known_ids), queryset
            size, known_ids = size * GROWTH, []
    if known_ids:
        yield _flatten(known_ids), queryset


def _flatten(groups: Iterable[list[str]]) -> list[str]:
    return [id for ids in groups for id in ids]


def nearest(
    field: RelationField, queryset: QuerySet[Any], targets: Sequence[str], descending: bool, limit: int
) -> QuerySet[Any]:
    """Return the ids of each target's first `limit` records of the queryset, by one index scan per target."""
    reference = cast("ForeignKey[Any, Any]", queryset.model._meta.get_field(field.relation))
    own = (
        queryset.filter(**{field.reference: OuterRef("pk")})
        .order_by("-pk" if descending else "pk")
        .values("pk")[:limit]
    )
    ids: Combinable = Func(ArraySubquery(own), function="unnest", output_field=Field(), set_returning=True)
    return reference.related_model._default_manager.filter(pk__in=targets).order_by().values_list(ids)
