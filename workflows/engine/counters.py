"""Counts of runs at nodes, by hour: data for an editor's overlay, without reading the steps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import accumulate
from math import ceil, log2

from django.db import connection
from django.utils import timezone

from core.ids import new_id
from core.tenancy import company_id
from core.text.json import dumps
from workflows.engine.cursor import Cursor
from workflows.engine.models import NodeCount

KEPT = timedelta(days=90)
BATCH = 20_000
"""Number of rows that are merged, or deleted, in one transaction."""

ADD = """
INSERT INTO workflows_nodecount
    (id, company_id, workflow_id, version_id, node, hour, outcome, took, number, compact, created_at, updated_at)
SELECT id, %(company)s, workflow, version, node, %(hour)s, outcome, took, number, false, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, workflow text, version text, node text, outcome text,
    took smallint, number bigint)
"""
COMPACT = """
WITH loose AS (
    SELECT id FROM workflows_nodecount WHERE NOT compact ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM workflows_nodecount n USING loose WHERE n.id = loose.id RETURNING n.*
), put AS (
    INSERT INTO workflows_nodecount
        (id, company_id, workflow_id, version_id, node, hour, outcome, took, number, compact, created_at, updated_at)
    SELECT min(id), company_id, workflow_id, version_id, node, hour, outcome, took, sum(number), true, %(now)s, %(now)s
    FROM gone GROUP BY company_id, workflow_id, version_id, node, hour, outcome, took
    ON CONFLICT (version_id, node, hour, outcome, took) WHERE compact DO UPDATE
    SET number = workflows_nodecount.number + excluded.number, updated_at = excluded.updated_at
)
SELECT count(*) FROM gone
"""


def count(cursors: Iterable[Cursor], now: datetime) -> None:
    """Add the visits of a slice to the counts of each node."""
    numbers: Counter[tuple[str, str, str, str, int | None]] = Counter()
    for cursor in cursors:
        run = cursor.run
        for step in cursor.steps:
            outcome = step["handle"] or "out" if step["status"] == "done" else step["status"]
            numbers[run.workflow_id, run.version_id, step["node"], outcome, bucket(step["took"])] += 1
    if not numbers:
        return
    names = ("workflow", "version", "node", "outcome", "took")
    # Inserted and not added up: slices of the same node would wait for each other's row.
    rows = [{"id": new_id(), **dict(zip(names, key, strict=True)), "number": number} for key, number in numbers.items()]
    hour = now.replace(minute=0, second=0, microsecond=0)
    with connection.cursor() as cursor_:
        cursor_.execute(ADD, {"company": company_id(), "hour": hour, "now": now, "rows": dumps(rows).decode()})


def bucket(milliseconds: float | None) -> int | None:
    """Return the number of the least span of 2^(n/2) milliseconds that holds the time."""
    return None if milliseconds is None else max(0, ceil(2 * log2(max(milliseconds, 1))))


def percentiles(numbers: Mapping[int, int], *shares: float) -> list[int]:
    """Return for each share the milliseconds within which that share of the counted times (bucket -> number) ended.

    It is the upper end of its bucket: up to 1.4 times the real time.
    """
    buckets = sorted(numbers)
    sums = list(accumulate(numbers[number] for number in buckets))
    places = [bisect_left(sums, share * sums[-1]) for share in shares]
    return [round(2 ** (buckets[place] / 2)) for place in places]


def compact_hour() -> bool:
    """Put the counts of an hour together, and delete those older than KEPT. Returns whether there may be more."""
    now = timezone.now()
    # SKIP LOCKED lets two compactors share the rows; the unique key makes them add up in one place.
    with connection.cursor() as cursor:
        cursor.execute(COMPACT, {"most": BATCH, "now": now})
        put = cursor.fetchone()[0]
    old = list(NodeCount.objects.filter(hour__lt=now - KEPT).order_by("hour").values_list("pk", flat=True)[:BATCH])
    NodeCount.objects.filter(pk__in=old).delete()
    return bool(put == BATCH or len(old) == BATCH)
