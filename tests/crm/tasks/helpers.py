"""Creating tasks in tests."""

from __future__ import annotations

from typing import Any

from core.models import Event
from tests.kit.cast import Cast

MISSING = "0" * 24
PATH = "/task"
DUE = "2090-03-09T14:30:00+01:00"


def new(cast: Cast, kind: str = "", id: str = "", **body: Any) -> dict[str, Any]:
    """Create a task through the API, about the record if one is named."""
    record = {"record": {"kind": kind, "id": id}} if kind else {}
    answer = cast.key.post(PATH, {"title": "Send the offer", "dueAt": DUE, **record, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def put(cast: Cast, id: str, **body: Any) -> dict[str, Any]:
    """Change a task through the API."""
    answer = cast.key.put(f"{PATH}/{id}", body)
    assert answer.status == 200, answer.body
    return dict(answer.data)


def events(cast: Cast) -> list[tuple[str, Any]]:
    """Return kind and payload of the events of tasks, in their order."""
    with cast.scope():
        return list(Event.objects.filter(kind__startswith="task.").order_by("id").values_list("kind", "payload"))
