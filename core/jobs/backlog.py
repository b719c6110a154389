"""The backlog of work, read by one statement over all kinds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from psycopg import sql

from core.jobs.models import Claimable
from core.jobs.registry import drained

MAX_COUNT = 10_000
"""The maximum that rows are counted to, so that counting a long queue stays fast."""


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """The rows of a kind of work: due ones, the time of the oldest, and those that workers hold."""

    name: str
    queue: str
    model: type[Claimable]
    waiting: int
    oldest: datetime | None
    running: int


def read_backlogs() -> list[Backlog]:
    """Return the backlog of each kind of work that claims rows, by name. One statement; open `unscoped` before."""
    kinds = [(name, work, work.model) for name, work in sorted(drained().items()) if work.model is not None]
    statement = sql.SQL(" UNION ALL ").join(_counts(name, model) for name, _, model in kinds)
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


def _counts(name: str, model: type[Claimable]) -> sql.Composed:
    """Return the query of one kind. Each part reads an index on status and due_at."""
    policy = model.claim_policy
    due: Any = sql.SQL("FROM {table} WHERE status = {ready} AND due_at <= now()").format(
        table=sql.Identifier(model._meta.db_table), ready=sql.Literal(policy.ready)
    )
    held = sql.SQL(", ").join(map(sql.Literal, sorted({policy.claimed, *policy.orphans})))
    return sql.SQL(
        "SELECT {name}::text, (SELECT count(*) FROM (SELECT 1 {due} LIMIT {most}) AS waiting),"
        " (SELECT min(due_at) {due}),"
        " (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE status IN ({held}) LIMIT {most}) AS running)"
    ).format(
        name=sql.Literal(name),
        due=due,
        most=sql.Literal(MAX_COUNT),
        table=sql.Identifier(model._meta.db_table),
        held=held,
    )
