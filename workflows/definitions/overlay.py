"""Run counts in a graph: the overlay of an editor's drawing. It reads an index of the live runs, and counts by hour."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime

from django.db.models import Count, Sum

from core.types import JsonObject
from workflows.engine.counters import percentiles
from workflows.engine.models import LIVE, NodeCount, WorkflowRun


def overlay_of(workflow_id: str, version_id: str | None = None, since: datetime | None = None) -> JsonObject:
    """Return the run counts of a workflow, or of one version, by node: present runs, and visits since the hour of
    `since`.

    `since` is at most 90 days ago. `took` has the milliseconds within which half of the visits ended, and 95 of 100.
    They include waits for calls, events and responses.
    """
    of = {"workflow": workflow_id} if version_id is None else {"workflow": workflow_id, "version": version_id}
    nodes: dict[str, JsonObject] = defaultdict(lambda: {"now": {}, "done": {}, "took": None})
    statuses: Counter[str] = Counter()
    live = WorkflowRun.objects.filter(**of, status__in=LIVE).order_by().values_list("nodes", "status")
    for places, status, number in live.annotate(number=Count("*")):
        statuses[status] += number
        for node in set(places):
            nodes[node]["now"][status] = nodes[node]["now"].get(status, 0) + number
    counts = NodeCount.objects.filter(**of)
    if since is not None:
        counts = counts.filter(hour__gte=since.replace(minute=0, second=0, microsecond=0))
    times: dict[str, Counter[int]] = defaultdict(Counter)
    rows = counts.order_by().values_list("node", "outcome", "took").annotate(number=Sum("number"))
    for node, outcome, took, number in rows:
        done = nodes[node]["done"]
        done[outcome] = done.get(outcome, 0) + number
        if took is not None:
            times[node][took] += number
    for node, numbers in times.items():
        nodes[node]["took"] = dict(zip(("p50", "p95"), percentiles(numbers, 0.5, 0.95), strict=True))
    return {"nodes": dict(nodes), "runCounts": dict(statuses)}
