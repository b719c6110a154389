"""Reads of workflows that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, QuerySet

from core.types import JsonObject
from workflows.engine.models import WorkflowRun
from workflows.graphs.models import Workflow


def kept_workflows() -> QuerySet[Workflow]:
    """Return the workflows that are not deleted."""
    workflows: QuerySet[Workflow] = Workflow.objects.filter(is_deleted=False)
    return workflows


def draft_of(workflow: Workflow) -> JsonObject:
    """Return the draft."""
    return {
        "triggerEventType": workflow.trigger_event_type,
        "config": workflow.config,
        "nodes": workflow.nodes,
        "edges": workflow.edges,
        "schedule": workflow.schedule,
    }


def graph_of(workflow: Workflow) -> JsonObject:
    """Return the draft as versions and files store it: without the outputs pinned for dry runs, which may contain
    personal data."""
    nodes = [
        {**node, "data": {name: value for name, value in node["data"].items() if name != "pinned"}}
        for node in workflow.nodes
    ]
    return {**draft_of(workflow), "nodes": nodes}


def run_counts(workflow_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return workflow -> status -> number of its runs that have not ended."""
    rows = (
        WorkflowRun.objects.filter(workflow__in=list(workflow_ids))
        .exclude(status__in=(WorkflowRun.Status.COMPLETED, WorkflowRun.Status.CANCELLED))
        .order_by()
        .values_list("workflow_id", "status")
        .annotate(number=Count("pk"))
    )
    counts: dict[str, dict[str, int]] = {}
    for workflow_id, status, number in rows:
        counts.setdefault(workflow_id, {})[status] = number
    return counts
