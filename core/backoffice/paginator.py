"""Pagination of tables that may have millions of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db import connection, models
from django.utils.functional import cached_property

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
else:
    _Paginator = Paginator

EXACT = 10_000
"""The largest exact count. Above it a whole table shows the planner's estimate, a filtered one this number and one."""


def estimated_count(model: type[models.Model]) -> int:
    """Count the rows of the model's table: exactly if it is small, by PostgreSQL's estimate if it is large."""
    return estimated_counts([model])[model]


def estimated_counts(kinds: Sequence[type[models.Model]]) -> dict[type[models.Model], int]:
    """Count the rows of several tables as `estimated_count` does. One query reads all estimates."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT reltuples::bigint FROM pg_class WHERE oid = name::regclass)"
            " FROM unnest(%s::text[]) WITH ORDINALITY AS tables(name, place) ORDER BY place",
            [[f'"{model._meta.db_table}"' for model in kinds]],
        )
        estimates = [estimate for (estimate,) in cursor.fetchall()]
    return {
        model: estimate if estimate > EXACT else capped_count(model._default_manager.all())
        for model, estimate in zip(kinds, estimates, strict=True)
    }


def capped_count(rows: models.QuerySet[Any]) -> int:
    """Count the rows, at most EXACT + 1, so that counting never reads millions of rows."""
    return rows.order_by()[: EXACT + 1].count()


class LimitedPaginator(_Paginator):
    """A paginator that never counts a large table. Its last page is where counting ends."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return capped_count(rows) if rows.query.where else estimated_count(rows.model)

    @cached_property
    def num_pages(self) -> int:
        return max(1, min(super().num_pages, EXACT // self.per_page))
