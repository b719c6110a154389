"""What is old goes, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.ids import min_id_at
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.engine import retention
from workflows.models import RunSkip, RunStep, ScheduleFiring

NODES = [node("a", "set", {"values": {"a": 1}})]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def delete_old() -> None:
    for _ in range(10):
        with unscoped(reason="test: a periodic task"):
            if not retention.delete_old():
                return
    raise AssertionError("there is always more")


def test_runs_that_ended_long_ago_go_with_their_steps(cast: Cast, settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    settings.WORKFLOW_RUN_DAYS = 30
    usual = published(cast, NODES, edges(), name="Usual")
    short = published(cast, NODES, edges(), name="Short", config={"retention": 3})
    wait = node("wait", "wait", {"for": {"amount": 5, "unit": "days"}})
    waiting = published(cast, [wait, *NODES], edges("wait > a"), name="Waiting", config={"retention": 3})
    for n in range(3):
        contact(cast, email=f"{n}@example.org", number=f"15123456{n}0")
    work()
    begun = timezone.now()
    with cast.scope():
        RunSkip.objects.create(pk=min_id_at(begun - timedelta(days=31)), workflow_id=usual, day=begun, reason="filter")
        for days in (390, 401):
            due = begun - timedelta(days=days)
            ScheduleFiring.objects.create(pk=min_id_at(due), workflow_id=usual, due_at=due)

    def left(days: int) -> list[int]:
        with time_machine.travel(begun + timedelta(days=days), tick=False):
            work()
            delete_old()
        return [len(runs(cast, id)) for id in (usual, short, waiting)]

    assert left(2) == [3, 3, 3]
    assert left(4) == [3, 0, 3]  # those that wait are not old, however long they do
    assert left(6) == [3, 0, 3]  # they ended just now
    with cast.scope():
        assert not RunSkip.objects.filter(reason="filter").exists()
        assert ScheduleFiring.objects.count() == 1
        assert RunStep.objects.filter(run__workflow=short).count() == 0
    assert left(31) == [0, 0, 0]
    with cast.scope():
        assert RunStep.objects.count() == 0
