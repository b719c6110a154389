"""Loops: over lists with several items under way, and rounds as long as conditions hold."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import edges, node, published, runs, steps, when, work
from workflows.models import WorkflowRun

MINUTE = {"amount": 1, "unit": "minutes"}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def started(cast: Cast, loop: dict[str, Any], *body: dict[str, Any]) -> tuple[str, WorkflowRun]:
    """Publish a workflow with a loop and start it once; returns its id and the run."""
    chain = [f"{one['id']} > {after['id']}" for one, after in zip(body, body[1:], strict=False)]
    lines = edges("s > loop", f"loop:item > {body[0]['id']}", *chain, "loop:done > end")
    graph = [node("s", "set", {"values": {"n": 0}}), node("loop", "loop", loop), *body, node("end", "stop")]
    workflow = published(cast, graph, lines, triggerEventType="manual")
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"withoutRecord": True}).status == 201
    work()
    return workflow, runs(cast, workflow)[0]


def more(field: str = "n") -> dict[str, Any]:
    return node("more", "set", {"values": {field: f"{{{{ vars.{field} | add: 1 }}}}"}})


def test_rounds_go_on_as_long_as_conditions_hold(cast: Cast) -> None:
    _, run = started(cast, {"mode": "while", "filter": when("vars.n", "lessThan", 3)}, more())
    assert (run.status, run.state["vars"], run.state["rounds"]) == ("completed", {"n": 3}, {})
    assert [one[0] for one in steps(cast, run)].count("loop") == 4
    _, run = started(cast, {"mode": "while", "filter": when("vars.n", "lessThan", 300), "cap": 5}, more())
    assert (run.status, run.state["vars"]) == ("completed", {"n": 5})
    _, run = started(cast, {"mode": "while", "filter": when("vars.n", "lessThan", 0)}, more())
    assert (run.status, run.state["vars"]) == ("completed", {"n": 0})


def test_there_is_a_pause_between_two_rounds(cast: Cast) -> None:
    loop = {"mode": "while", "filter": when("vars.n", "lessThan", 2), "pause": MINUTE}
    with time_machine.travel(timezone.now(), tick=False) as clock:
        workflow, run = started(cast, loop, more())
        for rounds in (1, 2):
            [run] = runs(cast, workflow)
            assert (run.status, run.state["vars"]) == ("waiting", {"n": rounds})
            work()
            assert runs(cast, workflow)[0].state["vars"] == {"n": rounds}
            clock.shift(timedelta(minutes=1, seconds=1))
            work()
        [run] = runs(cast, workflow)
    assert (run.status, run.reason) == ("completed", "stop")


def test_so_many_items_are_under_way_at_once(cast: Cast) -> None:
    pause = node("pause", "wait", {"for": MINUTE})
    with time_machine.travel(timezone.now(), tick=False) as clock:
        seen = node("seen", "set", {"values": {"last": "{{ loop.item }}"}})
        workflow, run = started(cast, {"items": list("abcde"), "parallel": 2}, pause, seen, more())
        for waiting, done in ((2, 0), (2, 2), (1, 4)):
            [run] = runs(cast, workflow)
            assert (len(run.state["scopes"]), run.state["vars"]["n"]) == (waiting, done)
            clock.shift(timedelta(minutes=1, seconds=1))
            work()
        [run] = runs(cast, workflow)
    assert (run.status, run.state["vars"]) == ("completed", {"n": 5, "last": "e"})
    assert (run.state["scopes"], run.state["loops"], run.state["rounds"]) == ({}, {}, {})


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ({}, "items: is needed by a loop of mode list"),
        ({"mode": "while"}, "filter: is needed by a loop of mode while"),
        ({"items": [], "pause": MINUTE}, "pause: is not for a loop of mode list"),
        ({"mode": "while", "filter": when("vars.n", "isEmpty"), "items": []}, "items: is not for a loop of mode while"),
        ({"items": [], "parallel": 11}, "input should be less than or equal to 10"),
    ],
)
def test_settings_that_do_not_fit_are_refused(cast: Cast, loop: dict[str, Any], told: str) -> None:
    body = {"name": "L", "triggerEventType": "manual", "nodes": [node("l", "loop", loop)], "edges": []}
    [problem] = cast.key.post("/workflow", body).data["validation"]["errors"]
    assert problem["message"] == told


def test_a_way_for_errors_that_leads_nowhere_is_told_of(cast: Cast) -> None:
    body = {"name": "E", "triggerEventType": "manual"}
    graph = [node("a", "set", {"values": {"x": 1}}, onError={"then": "branch"}), node("b", "stop")]
    found = cast.key.post("/workflow", {**body, "nodes": graph, "edges": edges()}).data["validation"]
    assert [(one["code"], one["nodeId"]) for one in found["warnings"]] == [("noErrorEdge", "a")]
    answer = cast.key.post("/workflow", {**body, "nodes": graph, "edges": edges("a:error > b")})
    assert answer.data["validation"] == {"errors": [], "warnings": []}
