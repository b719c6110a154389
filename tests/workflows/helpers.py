"""Workflows for tests: graphs in few words, and the work of their engine."""

from __future__ import annotations

from typing import Any

from core.jobs import WORK
from tests.kit.cast import Cast
from workflows.models import RunStep, WorkflowRun

CREATED = "contact.created"


def node(id: str, type: str, config: dict[str, Any] | None = None, **data: Any) -> dict[str, Any]:
    return {"id": id, "type": type, "position": {"x": 0, "y": 0}, "data": {"config": config or {}, **data}}


def edges(*pairs: str) -> list[dict[str, Any]]:
    """Return the edges of texts such as "a > b" or "a:true > b"."""
    found = []
    for pair in pairs:
        source, _, target = pair.partition(" > ")
        source, _, handle = source.partition(":")
        found.append({"id": pair, "source": source, "target": target, "sourceHandle": handle or "out"})
    return found


def when(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"operator": "and", "conditions": [{"field": field, "operator": operator, "value": value}]}


def published(cast: Any, nodes: list[dict[str, Any]], lines: list[dict[str, Any]], **values: Any) -> str:
    """Create a workflow and publish it; returns its id."""
    body = {"name": "Welcome", "triggerEventType": CREATED, "nodes": nodes, "edges": lines, **values}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    id = str(answer.data["_id"])
    answer = cast.key.post(f"/workflow/{id}/publish")
    assert (answer.status, answer.data["status"]) == (200, "published"), answer.body
    return id


def work() -> None:
    """Let events start runs, and move the runs."""
    WORK["events"].drain(float("inf"))
    WORK["workflow-runs"].drain(float("inf"))


def contact(cast: Any, **values: Any) -> str:
    """Create a contact by the API; returns its id."""
    form = {"name": "Ann Example", "email": "ann@example.org", "countryCode": "49", "number": "1512345678", **values}
    answer = cast.key.post("/contact", {"formData": form})
    assert answer.status in (200, 201), answer.body
    return str(answer.data["_id"])


def runs(cast: Any, workflow: str) -> list[WorkflowRun]:
    with cast.scope():
        return list(WorkflowRun.objects.filter(workflow=workflow).order_by("created_at", "pk"))


def steps(cast: Any, run: WorkflowRun) -> list[tuple[str, str, str]]:
    with cast.scope():
        rows = RunStep.objects.filter(run=run).order_by("created_at", "pk")
        return list(rows.values_list("node", "status", "handle"))


def people(cast: Cast, number: int) -> None:
    """Make contacts by one request."""
    items = [
        {"name": f"P{n}", "email": f"p{n}@example.org", "countryCode": "49", "number": f"15123{n:05}"}
        for n in range(number)
    ]
    answer = cast.key.post("/contact/bulk", {"formData": items})
    assert len(answer.data["created"]) == number, answer.body
