"""Workers share the steps of runs: two at once, workers that die, and small companies next to large ones."""

from __future__ import annotations

import threading

import pytest

from core.jobs import WORK
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.processes import forked_drainer, kill
from tests.kit.threads import at_once
from tests.workflows.helpers import contact, edges, node, people, published, runs, work
from workflows.engine import claims, slices
from workflows.models import RunReady, RunStep, WorkflowRun

NAMES = 30


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def test_two_workers_take_each_step_once(cast: Cast) -> None:
    change = {"action": "update", "values": {"name": "{{ contact.name }}!"}}
    id = published(cast, [node("a", "contact", change), node("b", "contact", change)], edges("a > b"))
    people(cast, NAMES)
    WORK["events"].drain(float("inf"))
    with cast.scope():  # each run is told of three times
        rows = list(WorkflowRun.objects.values_list("pk", flat=True))
        RunReady.objects.bulk_create(RunReady(run_id=one) for one in rows for _ in range(2))
    at_once(3, None, lambda n: [slices.work() for _ in range(3)])
    work()
    assert {run.status for run in runs(cast, id)} == {"completed"}
    answer = cast.key.get("/contact", p=1, n=NAMES)
    assert all(row["name"].endswith("!!") and row["name"].count("!") == 2 for row in answer.body["data"])
    with cast.scope():
        assert RunStep.objects.count() == NAMES * 3


@in_make_check
def test_workers_that_are_killed_lose_and_repeat_nothing(cast: Cast) -> None:
    change = {"action": "update", "values": {"name": "{{ contact.name }}!"}}
    id = published(cast, [node("a", "contact", change), node("b", "note", {"notes": "x"})], edges("a > b"))
    people(cast, 100)
    WORK["events"].drain(float("inf"))
    for seconds in (0.0, 0.05, 0.1):
        worker = forked_drainer("workflow-runs", seconds=30)
        assert worker.stdout.readline() == "ready\n"
        threading.Event().wait(seconds)
        kill(worker)
    work()
    assert {run.status for run in runs(cast, id)} == {"completed"}
    answer = cast.key.get("/contact", p=1, n=100)
    assert {row["name"].count("!") for row in answer.body["data"]} == {1}
    with cast.scope():
        assert RunStep.objects.count() == 300
        assert not RunReady.objects.exists()


def test_a_small_company_is_served_beside_a_mountain(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MAX_RUNS", 20)
    nodes = [node("a", "set", {"values": {"a": 1}})]
    published(cast, nodes, edges())
    people(cast, 60)
    WORK["events"].drain(float("inf"))
    other = make_cast()
    small = published(other, nodes, edges())
    contact(other)
    WORK["events"].drain(float("inf"))
    slices.work_slice()
    assert [run.status for run in runs(other, small)] == ["completed"]
