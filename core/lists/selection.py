"""The standard bulk selection (interface section 4.1): ids, nids and selectAll in the body, filters in the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connections
from django.db.models import Q, QuerySet
from django.db.transaction import TransactionManagementError

from core.errors import NamedError
from core.lists.fields import FieldSet
from core.lists.query import FILTERS, LISTED, ListQuery, read_ids, read_parameters, refuse_empty, split_values
from core.lists.values import refuse
from core.types import JsonObject, Values

BATCH = 5000


@dataclass(frozen=True)
class BulkSelection:
    """The records of a list that a bulk operation acts on."""

    where: Q
    everything: bool = False
    """The query string selects the records, not ids."""
    raw: Values = field(default_factory=dict)
    """The selection as JSON, for work after the request: `parse(raw, raw["query"], fields)` reads it again."""

    @classmethod
    def parse(
        cls,
        body: Any,
        params: Values,
        fields: FieldSet,
        *,
        extra: Iterable[str] = (),
        now: datetime | None = None,
        nothing: str = "InvalidRequest_400",
    ) -> BulkSelection:
        """Parse the selection of a request.

        It has the body's `ids`, or with `selectAll` the records that the query string selects, without `nids`. As the
        contract says, selectAll ignores the ids. Without it the query string is ignored, but a filter without a value
        is refused. withinLast and withinNext count from `now` (default: the present).
        `nothing` is the name of the error of a body that selects nothing.
        """
        query = read_parameters(params)
        # `filters=` left empty by a mistake would otherwise select everything.
        refuse_empty(query, (*FILTERS, "searchBy", "searchValue"))
        ids, nids = (read_ids([] if body.get(name) is None else body[name], name) for name in ("ids", "nids"))
        everything = body.get("selectAll", False)
        if not isinstance(everything, bool):
            raise refuse("selectAll", "needs to be true or false")
        # Nothing selected is an error, and never "all".
        if not everything and not ids:
            raise NamedError(
                nothing,
                "name the records in ids, or set selectAll to true to act on all that match the query string",
                field="ids",
            )
        where = Q(pk__in=ids)
        if everything:
            where = ListQuery.parse(params, fields, extra=extra, now=now, strict=True).where
        raw = (
            {"selectAll": True, "nids": nids, "query": _plain(query)}
            if everything
            else {"ids": ids, "nids": nids, "query": {}}
        )
        return cls(where & ~Q(pk__in=nids) if nids else where, everything, raw)

    @property
    def ids(self) -> set[str]:
        """Return the ids that the selection names; none where the query string selects."""
        return set(self.raw.get("ids", ())) - set(self.raw.get("nids", ()))

    @classmethod
    def of_ids(cls, ids: Sequence[str]) -> BulkSelection:
        """Return the selection of these records."""
        return cls(Q(pk__in=ids), raw={"ids": list(ids), "nids": [], "query": {}})

    def apply(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter the queryset by the selection."""
        return queryset.filter(self.where)


def _plain(query: Mapping[str, list[Any]]) -> JsonObject:
    """Return the parameters as an object, the listed ones as arrays."""
    return {name: split_values(values, name) if name in LISTED else values[-1] for name, values in query.items()}


def in_batches(
    queryset: QuerySet[Any], size: int = BATCH, *, lock: bool = False, no_key: bool = False
) -> Iterator[list[str]]:
    """Yield the ids of the queryset in ascending order, `size` at a time, as they were at the first step.

    The caller owns the transaction. `lock` locks the rows in this order, so that bulk operations wait for each other
    and never deadlock. With `no_key` others may still refer to the rows, which the caller only updates.
    """
    # A server-side cursor, and its locks, live as long as the transaction.
    if not connections[queryset.db].in_atomic_block:
        raise TransactionManagementError("in_batches() needs a transaction around it")
    ids = queryset.order_by("pk").values_list("pk", flat=True)
    if lock:
        ids = ids.select_for_update(of=("self",), no_key=no_key)
    # One statement for all batches: writes to a batch cannot change the rows of the next one.
    rows = ids.iterator(chunk_size=size)
    while batch := list(islice(rows, size)):
        yield batch
