"""How runs stand in a graph: what an editor draws over it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import Count

from workflows.definitions.selectors import run_counts
from workflows.engine.models import RunStep

AT_NODES = """
SELECT token.value ->> 0, r.status, count(*)
FROM workflows_workflowrun r, jsonb_each(r.state -> 'tokens') AS token
WHERE r.workflow_id = %s AND r.status = ANY(%s) GROUP BY 1, 2
"""
NOW = ["queued", "running", "waiting", "paused", "failed"]


def overlay_of(workflow_id: str) -> dict[str, Any]:
    """Return the counts of a workflow's runs by node."""
    nodes: dict[str, dict[str, Any]] = defaultdict(lambda: {"now": {}, "done": {}})
    with connection.cursor() as cursor:
        cursor.execute(AT_NODES, [workflow_id, NOW])
        for node, status, number in cursor.fetchall():
            nodes[node]["now"][status] = number
    steps = RunStep.objects.filter(run__workflow=workflow_id).order_by().values_list("node", "status", "handle")
    for node, status, handle, number in steps.annotate(number=Count("pk")):
        key = handle or "out" if status == "done" else status
        nodes[node]["done"][key] = nodes[node]["done"].get(key, 0) + number
    return {"nodes": dict(nodes), "runCounts": run_counts([workflow_id]).get(workflow_id, {})}
