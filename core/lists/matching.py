"""The form of a list's conditions that pages fast: it depends on how many records match (docs/decisions/0009)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Case, Count, Exists, IntegerField, Q, QuerySet, Subquery, When
from django.db.models.lookups import Exact

from core.lists.fields import HasValue
from core.lists.keyset import AnyOf
from core.lists.prepared import COMPANY, plain_conditions
from core.lists.query import ListQuery
from core.tenancy import active_scope

MAX_COUNTED = 5000
"""Above this number of matches a page is found by walking the index of its order, not by sorting the matches. The total
of a search counts no further."""
FENCE = 2**31 - 1
SAMPLE = 500
COMMON = 3
"""A word that one in so many records of the sample has is not looked up: most records match."""
FEW_VALUES = 1000
"""Up to this number of records with a custom value, all of them are read and sorted."""
SOME_VALUES = 50_000
"""Up to this number their ids are read once, and compared with while the index of the order is walked."""


class Number(Subquery):
    """The number of the queryset's rows."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS rows)"
    output_field = IntegerField()
    empty_result_set_value = 0


@dataclass(frozen=True)
class Matching:
    """The records that match: `rows`, restricted to `within` if it is given.

    `total` is their number as far as it is known. `counted` counts them fast, up to MAX_COUNTED + 1 if `capped`.
    """

    rows: QuerySet[Any]
    counted: QuerySet[Any]
    total: int | None = None
    within: QuerySet[Any] | None = None
    capped: bool = False

    def count(self) -> int:
        """Return the number of matching records; MAX_COUNTED + 1 means more, if it is capped."""
        if self.total is not None:
            return self.total
        counted = self.counted.order_by()
        # Counting all matches of a frequent word would read most of the company's rows.
        return (counted[: MAX_COUNTED + 1] if self.capped else counted).count()

    def is_beyond(self, total: int) -> bool:
        """Return whether the total that `count` has returned is a lower bound."""
        return self.capped and total > MAX_COUNTED


def matching(listed: QuerySet[Any], matches: QuerySet[Any], query: ListQuery) -> Matching:
    """Return the records that match, in the form that pages fast.

    `matches` are those of `listed` that meet the query's conditions.
    """
    if query.without_prefilter is not None:
        return _match_text(listed, matches, query, query.without_prefilter())
    return _match_value(listed, matches, query) or Matching(matches, matches, capped=query.searched)


def _match_text(listed: QuerySet[Any], matches: QuerySet[Any], query: ListQuery, compare: Q) -> Matching:
    """Find the records by the trigrams of a text, or read in the sort order and `compare` the text.

    The planner assumes that trigrams are independent and expects far too few records. For few matches that is harmless:
    the index finds all of them, and they are sorted. For many, a scan of the sort order's index soon fills a page, and
    only compares the text. A first page samples some records and counts up to MAX_COUNTED to choose between the two;
    later pages read the choice from the cursor.
    """
    likely = listed.filter(compare)
    if not _has_subquery(compare):
        # For the planner a CASE holds for half of the records, so that it walks along the order.
        likely = listed.filter(Case(When(compare, then=True), default=False, output_field=BooleanField()))
    # The form of the first page, or pages of one list could differ in their rows.
    if query.cursor is not None:
        total = query.cursor.total
    else:
        # As an array, so that the sample is read first and compared afterwards.
        some = listed.filter(AnyOf("pk", ArraySubquery(listed.order_by().values("pk")[:SAMPLE])))
        common = some.filter(compare).order_by().count() * COMMON >= SAMPLE
        total = (likely if common else matches).order_by()[: MAX_COUNTED + 1].count()
    if total > MAX_COUNTED:
        return Matching(likely, matches, total if query.searched else None, capped=query.searched)
    # The limit is never reached; it only keeps the planner from walking the index of the order.
    rows = listed.filter(pk__in=matches.order_by().values("pk")[:FENCE])
    return Matching(rows, matches, total, capped=query.searched)


def _has_subquery(where: Q) -> bool:
    """Return whether one of the conditions reads other rows."""
    return any(_has_subquery(child) if isinstance(child, Q) else isinstance(child, Exists) for child in where.children)


def _match_value(listed: QuerySet[Any], matches: QuerySet[Any], query: ListQuery) -> Matching | None:
    """Find the records by the rarest of their custom values. None: there is no such condition, or too many match.

    By itself the planner would look up the value of each record in the sort order.
    """
    values, rest = _split(query.where)
    if not values:
        return None
    alone = not rest and len(values) == 1
    total = _number_of(listed, values[0], query) if alone else None
    if total is not None:
        expected, rarest = total, values[0]
    else:
        # The planner's own estimate: good enough to choose, and costs no reading.
        expected, rarest = min(
            ((_estimate_rows(condition.ids), condition) for condition in values), key=lambda pair: pair[0]
        )
    if expected > SOME_VALUES:
        return Matching(matches, matches, total, capped=query.searched)
    others = listed.filter(rest, *(Q(condition) for condition in values if condition is not rarest))
    # By key, never as a join that might read the whole table.
    rows = others.filter(AnyOf("pk", ArraySubquery(rarest.ids)))
    # A second condition may leave so little that a walk along the order would not end soon.
    if expected <= FEW_VALUES or not alone:
        return Matching(rows, rows, total, capped=query.searched)
    return Matching(others, rows, total, within=rarest.ids, capped=query.searched)


def _number_of(queryset: QuerySet[Any], value: HasValue, query: ListQuery) -> int | None:
    """Return the number of the queryset's records with the value, if it can be counted from the values; None otherwise.

    An index contains the values in order, while each record would be looked up to check that it belongs to the list.
    """
    left_out = _excluded_records(queryset)
    if left_out is None or query.searched:
        return None
    if query.cursor is not None:
        return query.cursor.total
    others = left_out.filter(pk__in=value.ids).order_by().values("pk")
    records = Count(value.record_ref, distinct=value.many)
    total: int = value.ids.aggregate(total=records - Number(others))["total"]
    return total


def _excluded_records(queryset: QuerySet[Any]) -> QuerySet[Any] | None:
    """Return the company's records that are not in the queryset, if one flag defines them, such as deletion; None
    otherwise."""
    scope = active_scope()
    if scope is None or scope.company_id is None:
        return None
    conditions = plain_conditions(queryset, scope.company_id) or ()
    flags = [(lookup, column, value) for lookup, column, value in conditions if value is not COMPANY]
    # A null flag would be in neither the list nor the rows left out.
    match flags:
        case [(lookup, column, False)] if lookup is Exact and not column.null and len(conditions) == 2:
            rows: QuerySet[Any] = queryset.model._default_manager.using(queryset.db).filter(**{column.name: True})
            return rows
    return None


def _split(where: Q) -> tuple[list[HasValue], Q]:
    """Return the conditions on values that must all hold, and the rest of `where`."""
    if where.negated or (where.connector != Q.AND and len(where.children) > 1):
        return [], where
    values: list[HasValue] = []
    rest: list[Any] = []
    for child in where.children:
        if isinstance(child, HasValue):
            values.append(child)
        elif isinstance(child, Q):
            inner, left = _split(child)
            values += inner
            rest += [left] if left else []
        else:
            rest.append(child)
    return values, Q(*rest)


def _estimate_rows(rows: QuerySet[Any]) -> int:
    """Return the number of rows that the planner expects."""
    return int(json.loads(rows.order_by().explain(format="json"))[0]["Plan"]["Plan Rows"])
