"""Sorted sets in index order: nulls last in both directions, and any place in them found by comparison, never by counting.

A set sorted by a nullable key is walked in sections: first the rows that have a value, in the order of a plain index, then those that have
none, sorted by the remaining keys (which may split again). Within a section the place after a row is one row comparison, which an
index answers at any depth; where directions differ or later keys may be null it is spelled out, beside a bound on the first key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import ExpressionWrapper, Field, OrderBy, Q, QuerySet, Value
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, IsNull, LessThan, LessThanOrEqual

from core.lists.fields import ListField, column


@dataclass(frozen=True)
class SortKey:
    field: ListField
    descending: bool

    @property
    def order(self) -> str:
        return "desc" if self.descending else "asc"


@dataclass(frozen=True)
class _Key:
    """A key as it stands in one section: null does not occur in the section's first one."""

    value: ExpressionWrapper
    descending: bool
    nullable: bool


@dataclass(frozen=True)
class Section:
    """A contiguous part of the sorted set. `expressions` are the sort values of its rows, ending with the id; None stands for null."""

    queryset: QuerySet
    expressions: tuple[ExpressionWrapper | None, ...]


def sections(queryset: QuerySet, sort: Sequence[SortKey], after: Sequence[Any] | None = None) -> Iterator[Section]:
    """The ordered parts of the queryset, whole or from the row on whose sort values and id are `after` (that row excluded)."""
    passed = 0 if after is None else _leading_nulls(after, len(sort))
    for nulls in range(len(sort) + 1):
        if nulls >= passed:
            start = after if after is not None and nulls == passed else None
            yield _section(queryset, sort, nulls, None if start is None else start[nulls:])
        if nulls == len(sort) or not sort[nulls].field.nullable:
            return


def _leading_nulls(values: Sequence[Any], limit: int) -> int:
    return next((i for i in range(limit) if values[i] is not None), limit)


def _section(queryset: QuerySet, sort: Sequence[SortKey], nulls: int, after: Sequence[Any] | None) -> Section:
    """The rows without value in the first `nulls` keys and with one in the next."""
    order: list[OrderBy] = []
    where = Q()
    for sort_key in sort[:nulls]:
        where &= sort_key.field.unvalued()
        if sort_key.field.local:
            # Sorting by a column that is null throughout changes nothing, but lets an index (…, column, id) give the order of the rest.
            order.append(OrderBy(column(sort_key.field.expression), descending=sort_key.descending))
    keys: list[_Key] = []
    for slot, sort_key in enumerate(sort[nulls:], start=nulls):
        queryset = sort_key.field.join(queryset, slot)
        if slot == nulls and sort_key.field.nullable:
            where &= sort_key.field.valued(slot)
        keys.append(_Key(sort_key.field.sort_value(slot), sort_key.descending, sort_key.field.nullable and slot > nulls))
    keys.append(_Key(sort[nulls].field.tie_break(nulls) if nulls < len(sort) else column("pk"), sort[-1].descending, nullable=False))
    if after is not None:
        one_table = all(sort_key.field.local for sort_key in sort[nulls:]) or (len(keys) == 2 and sort[nulls].field.sorts_alone)
        where &= _beyond(keys, after, one_table=one_table)
    order += [OrderBy(key.value, descending=key.descending, nulls_last=True if key.nullable else None) for key in keys]
    # All in one filter(), since a second one would join a to-many relation a second time.
    return Section(queryset.filter(where).order_by(*order), (*[None] * nulls, *(key.value for key in keys)))


def _beyond(keys: Sequence[_Key], after: Sequence[Any], *, one_table: bool) -> Q:
    """The rows that come after the one with the sort values `after`."""
    if len({key.descending for key in keys}) > 1 or any(key.nullable for key in keys):
        return Q(_at_or_beyond(keys[0], after[0])) & _spelled_out(keys, after)
    comparison = TupleLessThan if keys[0].descending else TupleGreaterThan
    # Values are wrapped so that no column's field converts them.
    row = Q(comparison(Tuple(*(key.value for key in keys)), tuple(Value(value, output_field=Field()) for value in after)))
    # The planner cannot use a row comparison over two tables for the index of either.
    return row if one_table else Q(_at_or_beyond(keys[0], after[0])) & row


def _at_or_beyond(key: _Key, value: Any) -> LessThanOrEqual | GreaterThanOrEqual:
    return (LessThanOrEqual if key.descending else GreaterThanOrEqual)(key.value, value)


def _spelled_out(keys: Sequence[_Key], after: Sequence[Any]) -> Q:
    """a < x or (a = x and (b < y or (b = y and …))), with nulls after all values."""
    key, value = keys[0], after[0]
    strictly: Q | None = None
    if value is not None:
        strictly = Q((LessThan if key.descending else GreaterThan)(key.value, value))
        if key.nullable:
            strictly |= Q(IsNull(key.value, True))
    if len(keys) == 1:
        return strictly or Q(pk__in=[])
    same = Q(IsNull(key.value, True)) if value is None else Q(Exact(key.value, value))
    rest = same & _spelled_out(keys[1:], after[1:])
    return rest if strictly is None else strictly | rest
