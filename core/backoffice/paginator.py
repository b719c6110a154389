"""Pages of tables that may have millions of rows."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db import connection, models
from django.utils.functional import cached_property

EXACT = 10_000
"""Rows that are counted one by one; beyond, a whole table shows the planner's estimate, and a filtered one this number and one."""


def estimated_count(model: type[models.Model]) -> int:
    """The number of rows in the model's table: exact when small, PostgreSQL's own estimate when large."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [f'"{model._meta.db_table}"'])
        estimate = cursor.fetchone()[0]
    return estimate if estimate > EXACT else capped_count(model._default_manager.all())


def capped_count(rows: models.QuerySet) -> int:
    """The number of rows, at most EXACT + 1, so that counting never reads a table of millions."""
    return rows.order_by()[: EXACT + 1].count()


class LimitedPaginator(Paginator):
    """A paginator that never counts a large table, and whose last page is where counting ends: nobody leafs through 200 pages."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return capped_count(rows) if rows.query.where else estimated_count(rows.model)

    @cached_property
    def num_pages(self) -> int:
        return max(1, min(super().num_pages, EXACT // self.per_page))
