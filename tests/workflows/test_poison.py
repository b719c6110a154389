"""Runs on which workers die."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from core.jobs import WORK
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.engine import crash_markers
from workflows.models import RunReady, RunStep, SliceMark

DYING = """
import os, sys, time, django
django.setup()
from core.jobs import WORK
from workflows.nodes.registry import NODE_TYPES
from workflows.nodes import logic
run = logic.SET.run
def die(batch):
    if any(item.scope["contact"]["name"].startswith("Poison") for item in batch.items):
        os.kill(os.getpid(), 9)
    run(batch)
object.__setattr__(NODE_TYPES["set"], "run", die)
print("ready", flush=True)
WORK["workflow-runs"].drain(time.monotonic() + 60)
"""


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def age_marks() -> None:
    """Let the marks be of a while ago."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workflows_slicemark SET created_at = created_at - interval '1 minute'")


@in_make_check
def test_a_run_that_kills_its_workers_fails_and_the_others_go_on(cast: Cast, monkeypatch: Any) -> None:
    monkeypatch.setattr(crash_markers, "MAX_CRASHES", 3)
    id = published(cast, [node("a", "set", {"values": {"a": "{{ contact.name }}"}})], edges())
    for n, name in enumerate(("Ann", "Poison", "Cleo")):
        contact(cast, name=name, email=f"{n}@example.org", number=f"15123456{n}0")
    WORK["events"].drain(float("inf"))
    for deaths in (1, 2, 3):
        worker = Forked(DYING)
        assert worker.wait(60) == -9
        worker.stdout.close()
        age_marks()
        found = crash_markers.crash_counts()
        poisonous = runs(cast, id)[1].pk
        assert found[poisonous] == deaths
        # The first death may be anybody's of the slice; then they go alone, those with the fewest deaths first.
        assert deaths < 3 or set(found) == {poisonous}
    work()
    assert [(run.status, run.error_code) for run in runs(cast, id)] == [
        ("completed", ""),
        ("failed", "POISON"),
        ("completed", ""),
    ]
    with cast.scope():
        assert not RunReady.objects.exists()
        assert RunStep.objects.count() == 4
    assert not SliceMark.objects.exists()


def test_a_slice_that_ends_leaves_no_mark_even_if_it_is_rolled_back(cast: Cast, monkeypatch: Any) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    contact(cast)
    WORK["events"].drain(float("inf"))
    from django.db import OperationalError

    from workflows.engine import slices

    def deadlock(*_: Any) -> None:
        raise OperationalError("deadlock detected")

    with monkeypatch.context() as broken:
        broken.setattr(slices.writing, "write", deadlock)
        assert slices.work_slice() == 0
    assert not SliceMark.objects.exists()
    work()
    assert [run.status for run in runs(cast, id)] == ["completed"]
