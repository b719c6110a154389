"""Keyset pagination in index order: nulls last in both directions, and each position located by comparison, not
counting.

A set with a nullable sort key is read in sections: first the rows with a value, in the order of a plain index. Then
those without follow, sorted by the remaining keys (which may split again).

Within a section one row comparison selects the rows after a position, and an index serves it at any depth. Mixed
directions and nullable later keys need the full comparison, plus a bound on the first key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, ExpressionWrapper, Field, Func, OrderBy, Q, QuerySet, Subquery, Value
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, IsNull, LessThan, LessThanOrEqual

from core.lists.fields import ListField, expression_column
from core.lists.relations import RelationField, chunks, nearest


@dataclass(frozen=True)
class SortKey:
    field: ListField
    descending: bool

    @property
    def order(self) -> str:
        return "desc" if self.descending else "asc"


@dataclass(frozen=True)
class _Key:
    """A sort key of one section. The first key of a section is never null."""

    value: ExpressionWrapper[Any]
    descending: bool
    nullable: bool


Place = list[Any]
"""The sort values of a record, its id last. Times may be PostgreSQL's texts (core.lists.prepared)."""


@dataclass(frozen=True)
class Section:
    """A contiguous part of the sorted set: the rows without a value in the first `nulls` keys and with one in the next.

    `after` has the sort values and the id of the row before, `within` the ids of the records that are meant. `near`
    returns, for a number of rows, ids that include those of the section's first rows, where that is faster than sorting
    all.
    """

    listed: QuerySet[Any]
    sort: tuple[SortKey, ...]
    nulls: int
    after: Sequence[Any] | None = None
    within: QuerySet[Any] | None = None
    near: Callable[[int], QuerySet[Any]] | None = None

    @property
    def queryset(self) -> QuerySet[Any]:
        """The section's rows in order."""
        return self._built[0]

    @cached_property
    def _built(self) -> tuple[QuerySet[Any], tuple[ExpressionWrapper[Any], ...]]:
        return _build(self.listed, self.sort, self.nulls, self.after, self.within)

    def places(self) -> QuerySet[Any]:
        """Return the sort values that aren't null and the id of each record, in order.

        What is shown of the records is read afterwards: its columns would make the sort expensive, and its joins would
        hide from the planner which index to walk.
        """
        rows, values = self._built
        return rows.values_list(*values)

    def first_places(self, skip: int, count: int) -> list[Place]:
        """Return the places of `count` of the section's records, after `skip`."""
        rows = self.places()
        if self.near is not None:
            rows = rows.filter(AnyOf("pk", ArraySubquery(self.near(skip + count))))
        return [[*[None] * self.nulls, *row] for row in rows[skip : skip + count]]


class AnyOf(Func):
    """A condition: the value is in the array.

    Unlike IN over a subquery it is never planned as a join: PostgreSQL looks the rows up by key.
    """

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    arity = 2
    output_field = BooleanField()


class InSubquery(Func):
    """A condition: the value is among those of the subquery.

    PostgreSQL reads these once, into a hash table, and keeps the order of the rows that it tests: IS TRUE prevents a
    join.
    """

    template = "(%(expressions)s) IS TRUE"
    arg_joiner = " IN "
    arity = 2
    output_field = BooleanField()


def sort_sections(queryset: QuerySet[Any], sort: Sequence[SortKey]) -> QuerySet[Any]:
    """Return the queryset in the order of the sort, with records without a value last in both directions."""
    order: list[OrderBy] = []
    for slot, key in enumerate(sort):
        queryset = key.field.join(queryset, slot)
        value = key.field.sort_value(slot)
        order.append(OrderBy(value, descending=key.descending, nulls_last=key.field.may_lack_key or None))
    return queryset.order_by(*order, OrderBy(expression_column("pk"), descending=sort[-1].descending))


def section_querysets(
    queryset: QuerySet[Any],
    sort: Sequence[SortKey],
    after: Sequence[Any] | None = None,
    *,
    by_target: bool = False,
    within: QuerySet[Any] | None = None,
) -> Iterator[Section]:
    """Yield the sections of the queryset: all of them, or those after the row with the sort values and id `after`.

    With `by_target`, a sort by one RelationField yields a section per few targets, of which a page reads the first
    ones. Of the queryset only records whose ids are `within` are yielded.
    """
    passed = 0 if after is None else _leading_nulls(after, len(sort))
    for nulls in range(len(sort) + 1):
        if nulls >= passed:
            start = after if after is not None and nulls == passed else None
            if by_target and nulls == 0 and len(sort) == 1 and isinstance(sort[0].field, RelationField):
                rows = (
                    queryset
                    if within is None
                    else queryset.filter(InSubquery(expression_column("pk"), Subquery(within)))
                )
                yield from _sections_by_target(rows, sort[0], sort[0].field, start)
            else:
                yield Section(queryset, tuple(sort), nulls, None if start is None else start[nulls:], within)
        if nulls == len(sort) or not sort[nulls].field.may_lack_key:
            return


def _sections_by_target(
    queryset: QuerySet[Any], key: SortKey, field: RelationField, after: Sequence[Any] | None
) -> Iterator[Section]:
    for targets, rows in chunks(field, queryset, after, descending=key.descending):
        near = partial(nearest, field, rows, targets, key.descending)
        yield Section(rows.filter(**{f"{field.reference}__in": targets}), (key,), 0, near=near)


# The cursor's first nulls tell which section its row was in.
def _leading_nulls(values: Sequence[Any], limit: int) -> int:
    return next((i for i in range(limit) if values[i] is not None), limit)


def _build(
    queryset: QuerySet[Any],
    sort: Sequence[SortKey],
    nulls: int,
    after: Sequence[Any] | None,
    within: QuerySet[Any] | None,
) -> tuple[QuerySet[Any], tuple[ExpressionWrapper[Any], ...]]:
    """Return a section's rows in order, and their sort values that aren't null, the id last."""
    order: list[OrderBy] = []
    where = Q()
    for sort_key in sort[:nulls]:
        where &= sort_key.field.without_value()
        if (empty := sort_key.field.empty_column) is not None:
            # A sort column that is null throughout changes nothing, but lets an index (…, column, id) give the order.
            order.append(OrderBy(expression_column(empty), descending=sort_key.descending))
    keys: list[_Key] = []
    for slot, sort_key in enumerate(sort[nulls:], start=nulls):
        queryset = sort_key.field.join(queryset, slot)
        if slot == nulls and sort_key.field.may_lack_key:
            where &= sort_key.field.with_value(slot)
        keys.append(
            _Key(sort_key.field.sort_value(slot), sort_key.descending, sort_key.field.may_lack_key and slot > nulls)
        )
    keys.append(
        _Key(
            sort[nulls].field.tie_break(nulls) if nulls < len(sort) else expression_column("pk"),
            sort[-1].descending,
            nullable=False,
        )
    )
    if within is not None:
        # By the id in the table of the sort value, so that most of the other table's rows are never read.
        where &= Q(InSubquery(keys[-1].value, Subquery(within)))
    if after is not None:
        one_table = all(sort_key.field.local for sort_key in sort[nulls:]) or (
            len(keys) == 2 and sort[nulls].field.sorts_alone
        )
        where &= _rows_after(keys, after, one_table=one_table)
    order += [OrderBy(key.value, descending=key.descending, nulls_last=True if key.nullable else None) for key in keys]
    # One filter() for all: a second one would join a to-many relation again.
    return queryset.filter(where).order_by(*order), tuple(key.value for key in keys)


def _rows_after(keys: Sequence[_Key], after: Sequence[Any], *, one_table: bool) -> Q:
    """Match the rows after the one with the sort values `after`."""
    if len({key.descending for key in keys}) > 1 or any(key.nullable for key in keys):
        # The bound on the first key lets its index find the place; the rest only filters.
        return Q(_at_or_after(keys[0], after[0])) & _expand_comparison(keys, after)
    comparison = TupleLessThan if keys[0].descending else TupleGreaterThan
    # Values are wrapped, so that the column's field doesn't convert them.
    row = Q(
        comparison(Tuple(*(key.value for key in keys)), tuple(Value(value, output_field=Field()) for value in after))
    )
    # The planner cannot use a row comparison over two tables with the index of either.
    return row if one_table else Q(_at_or_after(keys[0], after[0])) & row


def _at_or_after(key: _Key, value: Any) -> LessThanOrEqual | GreaterThanOrEqual:
    return (LessThanOrEqual if key.descending else GreaterThanOrEqual)(key.value, value)


def _expand_comparison(keys: Sequence[_Key], after: Sequence[Any]) -> Q:
    """Spell out a < x or (a = x and (b < y or (b = y and …))), with nulls after all values."""
    key, value = keys[0], after[0]
    strictly: Q | None = None
    if value is not None:
        strictly = Q((LessThan if key.descending else GreaterThan)(key.value, value))
        if key.nullable:
            strictly |= Q(IsNull(key.value, True))
    if len(keys) == 1:
        # Nothing can come after a null of the last key.
        return strictly or Q(pk__in=[])
    same = Q(IsNull(key.value, True)) if value is None else Q(Exact(key.value, value))
    rest = same & _expand_comparison(keys[1:], after[1:])
    return rest if strictly is None else strictly | rest
