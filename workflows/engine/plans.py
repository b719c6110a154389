"""Compiled versions."""

from __future__ import annotations

from functools import lru_cache

from core.errors import NamedError
from workflows.graphs.models import WorkflowVersion
from workflows.graphs.plan import Plan, compile_graph


@lru_cache(maxsize=256)
def plan_of(version_id: str) -> Plan:
    """Return the compiled form of a version, which never changes. Raises InvalidRequest_400 for one that cannot run any
    more, since a node type has gone."""
    graph = WorkflowVersion.objects.values_list("graph", flat=True).get(pk=version_id)
    plan = compile_graph(graph)
    if plan is None:
        raise NamedError(
            "InvalidRequest_400", "its graph cannot run any more; publish the workflow again", field="version"
        )
    return plan
