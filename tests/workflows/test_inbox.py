"""What runs wait for beside the time: arrivals in their inboxes, whatever happens to the run meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from tests.kit.cast import Cast
from tests.workflows.helpers import contact, edges, node, published, runs, steps, work
from workflows.engine.waits import inbox
from workflows.engine.waits.inbox import Arrival
from workflows.models import RunInbox, RunReady, RunTimer, WorkflowRun
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.registry import NODE_TYPES

HOUR = timedelta(hours=1)
asked: list[tuple[WorkflowRun, str, str]] = []
"""Run, token and key of each question."""


def _ask(batch: NodeBatch) -> None:
    for item in batch.items:
        asked.append((item.run, item.token, item.key))  # type: ignore[arg-type]
        item.outcome = Outcome("waiting", until=batch.now + HOUR, waits_for="call")


def _resume(batch: NodeBatch) -> None:
    for item in batch.items:
        assert item.arrived is not None
        item.outcome = Outcome(output={"kind": item.arrived.kind, "told": item.arrived.payload})


ASK = NodeType("ask", "logic", "Ask", "Asks and waits.", NodeConfig, _ask, resume=_resume)
GRAPH = ([node("ask", "ask"), node("end", "set", {"values": {"got": "{{ steps.ask }}"}})], edges("ask > end"))


@pytest.fixture
def waiting(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> WorkflowRun:
    """A run that has asked."""
    asked.clear()
    monkeypatch.setitem(NODE_TYPES, "ask", ASK)
    id = published(cast, *GRAPH)
    contact(cast)
    work()
    return runs(cast, id)[0]


@pytest.fixture
def cast(db: None) -> Cast:
    from tests.kit.cast import make_cast

    return make_cast()


def put(cast: Cast, payload: Any, *, epoch: int | None = None, times: int = 1) -> int:
    run, token, _ = asked[-1]
    arrival = Arrival(run.pk, token, run.epoch if epoch is None else epoch, "answer", payload)
    with cast.scope(), transaction.atomic():
        return inbox.put([arrival] * times)


def got(cast: Cast, run: WorkflowRun) -> Any:
    with cast.scope():
        run = WorkflowRun.objects.get(pk=run.pk)
        assert run.status == "completed", (run.status, run.error)
        left = [model.objects.filter(run=run).count() for model in (RunInbox, RunTimer, RunReady)]
        assert left == [0, 0, 0]
        return run.state["vars"]["got"]


def test_the_first_arrival_ends_the_wait_and_its_time_is_removed(cast: Cast, waiting: WorkflowRun) -> None:
    (wait,) = cast.key.get(f"/workflow/runs/{waiting.pk}").data["waits"]
    assert (wait["node"], wait["for"], wait["until"] is None) == ("ask", "call", False)
    assert put(cast, {"answer": 42}) == 1
    assert put(cast, {"answer": 43}, times=2) == 1
    work()
    assert got(cast, waiting) == {"kind": "answer", "told": {"answer": 42}}
    went = [(name, status) for name, status, _ in steps(cast, waiting)]
    assert went == [("trigger", "done"), ("ask", "waiting"), ("ask", "done"), ("end", "done")]
    assert put(cast, "late") == 0


@pytest.mark.parametrize("first", ["timer", "answer"])
def test_what_came_first_wins_when_both_are_there(cast: Cast, waiting: WorkflowRun, first: str) -> None:
    path = f"/workflow/runs/{waiting.pk}"
    cast.key.post(f"{path}/pause")
    with time_machine.travel(timezone.now() + (2 * HOUR if first == "timer" else HOUR / 2), tick=False):
        put(cast, "x")
        work()
        with cast.scope():
            assert RunInbox.objects.count() == 1  # it is kept while the run is paused
    with time_machine.travel(timezone.now() + 3 * HOUR, tick=False):
        assert cast.key.post(f"{path}/resume").status == 200
        work()
    assert got(cast, waiting)["kind"] == first


def test_what_was_asked_before_a_restart_is_not_taken_after_it(cast: Cast, waiting: WorkflowRun) -> None:
    path = f"/workflow/runs/{waiting.pk}"
    put(cast, "old")
    assert cast.key.post(f"{path}/restart").status == 200
    put(cast, "older", epoch=0)
    work()
    assert len(asked) == 2
    assert asked[0][2] == asked[1][2]  # the same effect
    with cast.scope():
        assert WorkflowRun.objects.get(pk=waiting.pk).status == "waiting"
    put(cast, "new")
    work()
    assert got(cast, waiting)["told"] == "new"


def test_a_cancelled_run_takes_nothing_and_one_that_is_gone_gets_nothing(cast: Cast, waiting: WorkflowRun) -> None:
    path = f"/workflow/runs/{waiting.pk}"
    cast.key.post(f"{path}/cancel")
    assert put(cast, "x") == 0
    assert cast.key.delete(path).status == 200
    with cast.scope():
        assert not RunInbox.objects.exists()
    assert put(cast, "x") == 0
