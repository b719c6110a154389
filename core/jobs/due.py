"""The due work of all kinds, read by one statement.

The tick asks every second. PostgreSQL therefore plans the statement once for each session, and Django compiles it
once for each process. The present is Now(), so that the statement has no parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Now

from core.hold.models import Hold
from core.jobs.models import Claimable
from core.jobs.periodic import due_tasks
from core.jobs.registry import WORK, CeleryWork, queue_work_by_name
from core.jobs.sweeper import held_rows
from core.tenancy import unscoped
from core.tenancy.postgresql.cursors import planned_cursor

HOLD = "hold"


@dataclass(frozen=True)
class Due:
    """The work that may begin now, whether the service is held, and rows of dead workers (model, status)."""

    work: list[CeleryWork]
    held: bool
    orphans: list[tuple[type[Claimable], str]]


def read_due() -> Due:
    """Read the work that is due. Two statements."""
    with unscoped(reason="tick: due work of all companies"), planned_cursor() as cursor:
        cursor.execute(_statement(tuple(WORK)))
        names = {name for (name,) in cursor.fetchall()}
    is_held = HOLD in names
    due = [*(work for name, work in queue_work_by_name().items() if f"work {name}" in names), *due_tasks()]
    orphans = [(model, status) for model, status in held_rows() if _orphans_name(model, status) in names]
    return Due([work for work in due if work.while_held or not is_held], is_held, orphans)


def names_on_hold() -> list[str]:
    """Return the names of the work that is due and waits for the end of a hold (core.hold)."""
    kinds = [*(work for work in queue_work_by_name().values() if work.due()), *due_tasks()]
    return sorted({work.part_of or work.name for work in kinds if not work.while_held})


@lru_cache(maxsize=1)
def _statement(registered: tuple[str, ...]) -> str:
    """Return the statement that selects the name of whatever has rows now. The registered work is the cache's key."""
    queries = [(HOLD, Hold.objects.all())]
    for name, work in queue_work_by_name().items():
        queries += [(f"work {name}", rows) for rows in work.rows_due_at(Now())]
    queries += [(_orphans_name(model, status), model.orphans(status)) for model, status in held_rows()]
    first, *others = [_first_row(rows, name) for name, rows in queries]
    sql, params = first.union(*others, all=True).query.sql_with_params()
    with connection.cursor() as cursor:
        return str(cursor.mogrify(sql, params)).replace("%", "%%")


def _first_row(rows: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Return a query with one row, the name, if there are any rows."""
    return rows.order_by().values_list(Value(name, output_field=CharField()))[:1]


def _orphans_name(model: type[Claimable], status: str) -> str:
    return f"orphans {model._meta.label} {status}"
