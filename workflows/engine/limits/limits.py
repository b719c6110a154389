"""Limits of starts: the plan's runs a month, the rates of the company and of a workflow, and a workflow's runs at once.

Nothing fails by a limit. A run over a rate begins at a time of its own, by a timer. A run without a place waits for a
notice that one is free (workflows.engine.limits.places).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from core.access import entitlement
from core.errors import NamedError
from core.ids import new_id
from core.tenancy import company_id
from core.types import JsonObject
from workflows.engine.limits.models import StartBucket
from workflows.engine.models import WorkflowRun
from workflows.graphs.settings import WorkflowConfig

RUNS_A_MONTH = "workflow-runs"
"""Name of the plan's limit of runs that begin in a month (UTC)."""
STARTS_A_SECOND = "workflow-starts"
"""Name of the plan's limit of starts a second; without one it is WORKFLOW_STARTS_PER_SECOND."""
QUOTA, CONCURRENCY = "quota", "concurrency"
RATE = "rate"
WINDOW = "window"
BACKLOG = "importBacklog"
MAX_QUEUED = 20_000
"""From so many queued runs of a company on, its events wait with their deliveries (workflows.triggers.backlog)."""

# One row holds the time of the next start: a turn costs one write, however many are reserved.
RESERVE = """
INSERT INTO workflows_startbucket AS bucket (id, company_id, key, next_at, month, started, created_at, updated_at)
VALUES (%(id)s, %(company)s, %(key)s, %(floor)s + %(taken)s, %(month)s, %(number)s, %(now)s, %(now)s)
ON CONFLICT (company_id, key) DO UPDATE SET next_at = greatest(bucket.next_at, %(floor)s) + %(taken)s,
    started = CASE WHEN bucket.month = excluded.month THEN bucket.started ELSE 0 END + excluded.started,
    month = excluded.month, updated_at = excluded.updated_at
RETURNING next_at - %(taken)s, started
"""
RELEASE = """
UPDATE workflows_startbucket SET next_at = next_at - %(taken)s, started = started - %(number)s
WHERE company_id = %(company)s AND key = %(key)s
"""


@dataclass(frozen=True)
class Allowance:
    """Limits of the company's plan on starts."""

    month: int | None
    """Runs a month; None: no limit."""
    rate: int
    """Starts a second."""

    @property
    def interval(self) -> dt.timedelta:
        return dt.timedelta(seconds=1 / self.rate)

    @property
    def burst(self) -> int:
        """Return the number of starts allowed at once after a quiet time."""
        return self.rate * int(settings.WORKFLOW_START_BURST_SECONDS)


def plan_limits() -> Allowance:
    """Return the limits of the active company's plan."""
    try:
        limits = entitlement(company_id()).limits
    # Runs that are under way go on; what they may send is decided by the subscription itself.
    except NamedError:  # without a subscription the plan is not read
        limits = {}
    rate = limits.get(STARTS_A_SECOND) or settings.WORKFLOW_STARTS_PER_SECOND
    return Allowance(limits.get(RUNS_A_MONTH), max(1, int(rate)))


def month_of(now: dt.datetime) -> dt.date:
    # UTC, like the billing of the plan's months, and not the company's calendar.
    return now.astimezone(dt.UTC).date().replace(day=1)


def next_month(now: dt.datetime) -> dt.datetime:
    """Return the start of the next month (UTC)."""
    first = (month_of(now) + dt.timedelta(days=32)).replace(day=1)
    return dt.datetime.combine(first, dt.time(), dt.UTC)


@dataclass(frozen=True)
class StartReservations:
    """Start times of runs: one for each of the first; the others exceed the quota."""

    times: Sequence[dt.datetime]

    @classmethod
    def reserve(cls, number: int, workflow_id: str, config: WorkflowConfig, now: dt.datetime) -> StartReservations:
        """Reserve start times for so many runs of the active company.

        Its bucket is locked until the caller's transaction ends. Each bucket is locked after the company's, so that
        starts wait for each other in one order.
        """
        allowed = plan_limits()
        interval, burst = allowed.interval, allowed.burst
        begin, started = _reserve("", number, interval, burst, now)
        # Reserve first and release the excess: the row lock makes the quota free of races.
        if allowed.month is not None and started > allowed.month:
            over = min(number, started - allowed.month)
            _release("", over, interval)
            number -= over
        times = _times(begin, interval, number)
        if config.rate is not None and number:
            # The workflow's bucket comes after the company's, in every transaction.
            begin, _ = _reserve(workflow_id, number, config.rate.interval, 1, now)
            times = [max(pair) for pair in zip(times, _times(begin, config.rate.interval, number), strict=True)]
        return cls(times)


def _times(begin: dt.datetime, interval: dt.timedelta, number: int) -> list[dt.datetime]:
    return [begin + interval * place for place in range(number)]


def _reserve(key: str, number: int, interval: dt.timedelta, burst: int, now: dt.datetime) -> tuple[dt.datetime, int]:
    """Take so many starts from a bucket. Returns the time of the first, and how many there are this month."""
    params: JsonObject = {
        "id": new_id(),
        "company": company_id(),
        "key": key,
        # Unused time counts up to the burst, and no further back.
        "floor": now - interval * (burst - 1),
        "taken": interval * number,
        "month": month_of(now),
        "number": number,
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(RESERVE, params)
        begin, started = cursor.fetchone()
        return begin, int(started)


def _release(key: str, number: int, interval: dt.timedelta) -> None:
    params: JsonObject = {"company": company_id(), "key": key, "taken": interval * number, "number": number}
    with connection.cursor() as cursor:
        cursor.execute(RELEASE, params)


def started_this_month() -> int:
    """Return how many runs of the active company have begun this month."""
    bucket = StartBucket.objects.filter(key="").first()
    return 0 if bucket is None or bucket.month != month_of(dt.datetime.now(dt.UTC)) else int(bucket.started)


def can_start_now(now: dt.datetime) -> bool:
    """Return whether a start of the active company would begin at once."""
    bucket = StartBucket.objects.filter(key="").only("next_at").first()
    return bucket is None or bool(bucket.next_at <= now)


def count_queued_runs() -> int:
    """Count the queued runs of the active company, up to MAX_QUEUED."""
    # Counted no further than the limit.
    return int(WorkflowRun.objects.filter(status=WorkflowRun.Status.QUEUED).order_by()[:MAX_QUEUED].count())


def queue_reason(run: WorkflowRun, now: dt.datetime) -> str:
    """Return why a run may not move yet: quota, concurrency, rate; empty: it may."""
    if run.place in (QUOTA, CONCURRENCY):
        return run.place
    return RATE if run.begins_at is not None and run.begins_at > now else ""
