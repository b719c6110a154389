"""The backlog of work, read by one statement over all kinds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models.functions import Now
from psycopg import sql

from core.jobs.models import Claimable
from core.jobs.registry import DrainedWork, queue_work_by_name

MAX_COUNT = 10_000
"""The maximum that rows are counted to, so that counting a long queue stays fast."""


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Rows of a kind of work: number due, time of the oldest, and number claimed."""

    name: str
    queue: str
    model: type[Claimable]
    waiting: int
    oldest: datetime | None
    running: int


def read_backlogs() -> list[Backlog]:
    """Return the backlog of each kind of work that claims rows, by name. One statement; open `unscoped` before."""
    kinds = [(name, work, work.model) for name, work in sorted(queue_work_by_name().items()) if work.model is not None]
    statement = sql.SQL(" UNION ALL ").join(_counts(name, work, model) for name, work, model in kinds)
    with connection.cursor() as cursor:
        cursor.execute(statement)
        counts = {name: (waiting, oldest, running) for name, waiting, oldest, running in cursor.fetchall()}
    backlogs = []
    for name, work, model in kinds:
        waiting, oldest, running = counts[name]
        backlogs.append(
            Backlog(name=name, queue=work.queue, model=model, waiting=waiting, oldest=oldest, running=running)
        )
    return backlogs


def _counts(name: str, work: DrainedWork, model: type[Claimable]) -> sql.Composed:
    """Return the query of one kind. Each part reads an index on status and due_at."""
    policy = model.claim_policy
    statuses = sql.SQL(", ").join(map(sql.Literal, sorted({policy.claimed, *policy.orphans})))
    return sql.SQL(
        "SELECT {name}::text, waiting.count, waiting.oldest,"
        " (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE status IN ({held}) LIMIT {most}) AS running)"
        " FROM (SELECT count(*), min(due_at) AS oldest FROM ({due}) AS due) AS waiting"
    ).format(
        name=sql.Literal(name),
        due=_due(work, model),
        most=sql.Literal(MAX_COUNT),
        table=sql.Identifier(model._meta.db_table),
        held=statuses,
    )


def _due(work: DrainedWork, model: type[Claimable]) -> sql.SQL:
    """Return the query of the due rows: those that the work itself claims, oldest first."""
    querysets = work.rows_due_at(Now())
    if not querysets:  # nothing is claimed now, for example emails without a mail server
        return sql.SQL("SELECT now() AS due_at WHERE false")
    # Work that lists another model (senders) claims every ready row of its own.
    rows = next((rows for rows in querysets if rows.model is model), model.claimable(Now()))
    statement, params = rows.order_by("due_at").values("due_at")[:MAX_COUNT].query.sql_with_params()
    with connection.cursor() as cursor:
        return sql.SQL(str(cursor.mogrify(statement, params)))
