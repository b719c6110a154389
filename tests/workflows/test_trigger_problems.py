"""Problems of a trigger that is not set up yet."""

from __future__ import annotations

import pytest

from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import node


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize("nodes", [[], [node("trigger", "trigger")]])
def test_a_schedule_without_times_is_one_problem(cast: Cast, nodes: list[object]) -> None:
    step = node("s", "set", {"values": {"a": "1"}})
    body = {"name": "Draft", "triggerEventType": "schedule", "nodes": [*nodes, step], "edges": []}
    if nodes:
        body["edges"] = [{"id": "e", "source": "trigger", "target": "s", "sourceHandle": "out"}]
    errors = cast.key.post("/workflow", body).data["validation"]["errors"]
    assert [(error["code"], error["path"]) for error in errors] == [("missing", "schedule")]


def test_a_workflow_without_trigger_is_one_problem(cast: Cast) -> None:
    step = node("s", "set", {"values": {"a": "1"}})
    body = {"name": "Draft", "nodes": [node("trigger", "trigger"), step], "edges": []}
    body["edges"] = [{"id": "e", "source": "trigger", "target": "s", "sourceHandle": "out"}]
    errors = cast.key.post("/workflow", body).data["validation"]["errors"]
    assert [error["code"] for error in errors] == ["noTrigger"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("schedule", ["missing", "noGraph"]), ("contact.created", ["noGraph"]), ("", ["noGraph", "noTrigger"])],
)
def test_an_empty_draft_names_each_thing_once(cast: Cast, kind: str, expected: list[str]) -> None:
    body = {"name": "Draft", "triggerEventType": kind, "nodes": [], "edges": []}
    made = cast.key.post("/workflow", body)
    assert made.status == 201, made.body
    errors = made.data["validation"]["errors"]
    assert sorted(error["code"] for error in errors) == expected
