"""Things done at once: pauses, holds and publications against workers, two workers at once, and workers that die."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.jobs import WORK
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once
from tests.workflows.helpers import contact, edges, node, people, published, runs, steps, work
from workflows.definitions.publishing import publish_workflow, unpublish_workflow
from workflows.engine import locks, operations, slices, starts
from workflows.engine.limits import places
from workflows.models import RunReady, RunStep, RunTimer, Workflow, WorkflowRun, WorkflowTrigger


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


class Held:
    """A slice that stops before it ends, in a thread of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inside, self.go_on = threading.Event(), threading.Event()
        write = slices.writing.write

        def slow(*arguments: Any) -> None:
            write(*arguments)
            self.inside.set()
            self.go_on.wait(20)

        monkeypatch.setattr(slices.writing, "write", slow)
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            slices.work_slice()
        finally:
            connection.close()

    def __enter__(self) -> Held:
        self.thread.start()
        assert self.inside.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self.thread.join(20)


@pytest.mark.parametrize("locked", [True, False])
def test_two_slices_never_have_the_same_run(cast: Cast, monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    """A notice that comes while a slice has the run waits for it: the run's row is the claim."""
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    contact(cast)
    WORK["events"].drain(float("inf"))
    (run,) = runs(cast, id)
    entered: list[int] = []
    advance, lock = slices.advance, QuerySet.select_for_update

    def counted(cursors: Any, house: Any) -> None:
        entered.append(len(cursors))
        advance(cursors, house)

    def unlocked(rows: Any, *arguments: Any, **options: Any) -> Any:
        return rows if rows.model is WorkflowRun else lock(rows, *arguments, **options)

    monkeypatch.setattr(slices, "advance", counted)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", unlocked)
    second = threading.Thread(target=lambda: (slices.work_slice(), connection.close()))
    with Held(monkeypatch):
        with cast.scope():
            RunReady.objects.create(run=run)
        second.start()
        second.join(0.5)
    second.join(20)
    assert entered == ([1] if locked else [1, 1])
    if locked:
        work()
        assert runs(cast, id)[0].status == "completed"
        with cast.scope():
            assert (RunStep.objects.count(), RunReady.objects.count()) == (2, 0)


def without(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Take a lock away, to see that the test beside fails then."""
    monkeypatch.setattr(locks, name, lambda workflow_ids: list(workflow_ids))


@pytest.mark.parametrize("locked", [True, False])
def test_who_holds_runs_waits_for_the_slice_that_has_them(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    wait = node("wait", "wait", {"for": {"amount": 1, "unit": "hours"}})
    id = published(cast, [wait], edges())
    contact(cast)
    WORK["events"].drain(float("inf"))
    done: list[int] = []
    settle = operations.completion.settle
    # The fence alone has to stop it, not the rows whose statuses follow.
    monkeypatch.setattr(operations.completion, "settle", lambda workflow_id: None)
    if not locked:
        without(monkeypatch, "lock_alone")

    def call() -> None:
        try:
            with cast.scope():
                operations.pause_runs(workflow_id=id)
                done.append(RunStep.objects.count())
        finally:
            connection.close()

    stopper = threading.Thread(target=call)
    with Held(monkeypatch):
        stopper.start()
        stopper.join(0.5)
    stopper.join(20)
    assert done == ([2] if locked else [0])  # without the lock it answers, and the steps come after
    monkeypatch.setattr(operations.completion, "settle", settle)
    work()
    assert runs(cast, id)[0].status == "paused"
    with cast.scope():
        assert RunStep.objects.count() == 2


def test_who_holds_runs_never_waits_for_a_slice_that_waits_for_them(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slice takes the fence before it locks runs: else both would wait for each other, until one is thrown out."""
    id = published(cast, [node("wait", "wait", {"for": {"amount": 1, "unit": "hours"}})], edges())
    people(cast, 3)
    WORK["events"].drain(float("inf"))
    at_fence, held = threading.Event(), threading.Event()
    lock = locks.lock_shared

    def late(workflow_ids: Any) -> None:
        if threading.current_thread() is worker:
            at_fence.set()
            held.wait(20)
        lock(workflow_ids)

    monkeypatch.setattr(locks, "lock_shared", late)
    worker = threading.Thread(target=lambda: (slices.work_slice(), connection.close()))
    worker.start()
    assert at_fence.wait(20)
    with cast.scope(), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '5s'")
        operations.pause_runs(workflow_id=id)  # with the rows of all of its runs
    held.set()
    worker.join(20)
    work()
    assert {run.status for run in runs(cast, id)} == {"paused"}
    assert cast.key.post(f"/workflow/{id}/runs/resume").data == {"count": 3}
    work()
    assert {run.status for run in runs(cast, id)} == {"waiting"}


@pytest.mark.parametrize("locked", [True, False])
def test_a_pause_waits_for_the_slice_that_has_the_run(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    contact(cast)
    WORK["events"].drain(float("inf"))
    (run,) = runs(cast, id)
    if not locked:
        monkeypatch.setattr(operations, "_lock_run", lambda id: WorkflowRun.objects.get(pk=id))
    refused: list[NamedError] = []

    def call() -> None:
        try:
            with cast.scope():
                operations.pause_run(id=run.pk)
        except NamedError as error:
            refused.append(error)
        finally:
            connection.close()

    stopper = threading.Thread(target=call)
    with Held(monkeypatch):
        stopper.start()
        stopper.join(0.5)
        assert stopper.is_alive()
    stopper.join(20)
    # The run has ended in the slice. Without the lock the pause overwrites that.
    assert (runs(cast, id)[0].status, len(refused)) == (("completed", 1) if locked else ("paused", 0))


@pytest.mark.parametrize("locked", [True, False])
def test_a_workflow_that_was_unpublished_before_an_event_is_taken_starts_nothing(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    contact(cast)
    taken = threading.Event()
    if not locked:
        without(monkeypatch, "lock_shared")

    def starter(n: int) -> None:
        taken.wait(10)
        WORK["events"].drain(float("inf"))

    def stopper() -> None:
        with cast.scope(), transaction.atomic():
            locks.lock_alone([id])
            taken.set()
            threading.Event().wait(0.5)
            unpublish_workflow(id=id, member_id=cast.owner.pk)

    at_once(2, None, lambda n: starter(n) if n else stopper())
    assert len(runs(cast, id)) == (0 if locked else 1)


@pytest.mark.parametrize("locked", [True, False])
def test_places_are_counted_by_one_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    wait = node("wait", "wait", {"for": {"amount": 1, "unit": "hours"}})
    id = published(cast, [wait], edges(), config={"concurrency": 1})
    people(cast, 3)
    WORK["events"].drain(float("inf"))
    if not locked:
        monkeypatch.setattr(places, "_count_alone", lambda id: None)
    counted, take = threading.Barrier(2), places._lock_next

    def together(rows: Any, most: int) -> Any:
        with suppress(threading.BrokenBarrierError):  # with the lock nobody else comes
            counted.wait(0.5)
        return take(rows, most)

    monkeypatch.setattr(places, "_lock_next", together)

    def admit(n: int) -> None:
        with cast.scope():
            places.admit(id)

    at_once(2, None, admit)
    assert sum(run.place == places.HELD for run in runs(cast, id)) == (1 if locked else 2)


@pytest.mark.parametrize("ordered", [True, False])
def test_who_ends_waits_and_who_tells_of_events_lock_in_one_order(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, ordered: bool
) -> None:
    """A slice ends a wait and begins another one for the same record, while an event about it is told of. If it took
    the lane only for the second one, each would hold what the other needs."""
    wait = {"event": "contact.updated", "timeout": {"amount": 1, "unit": "days"}}
    nodes = [node("a", "waitFor", wait), node("b", "waitFor", {**wait, "since": "node"})]
    id = published(cast, nodes, edges("a:timeout > b"))
    person = contact(cast)
    work()
    assert cast.key.put(f"/contact/{person}", {"formData": {"name": "Bea"}}).status == 200
    with cast.scope():
        RunTimer.objects.update(due_at=timezone.now())
    closed, laned = threading.Event(), threading.Event()
    close, lock = slices.writing.close_waits, locks.lock_event_types

    def close_waits(places: Any) -> None:
        close(places)
        if places:
            closed.set()
            laned.wait(0.5)  # in one order nobody gets the lane meanwhile

    def lock_lanes(ids: Any) -> None:
        teller = threading.current_thread() is not worker
        if teller or ordered or closed.is_set():
            lock(ids)
        if teller:
            laned.set()

    monkeypatch.setattr(slices.writing, "close_waits", close_waits)
    monkeypatch.setattr(locks, "lock_event_types", lock_lanes)
    worker = threading.Thread(target=lambda: (slices.work(), connection.close()))
    worker.start()
    assert closed.wait(20)
    WORK["events"].drain(float("inf"))
    worker.join(20)
    assert ("deadlock detected" in caplog.text) is not ordered
    if ordered:
        assert {status for _, status, _ in steps(cast, runs(cast, id)[0])} == {"done", "waiting"}


@pytest.mark.parametrize("mode", ["whenIdle", "once"])
@pytest.mark.parametrize("locked", [True, False])
def test_two_events_at_once_start_one_run(cast: Cast, monkeypatch: pytest.MonkeyPatch, mode: str, locked: bool) -> None:
    wait = node("wait", "wait", {"for": {"amount": 1, "unit": "hours"}})
    id = published(cast, [wait], edges(), config={"enrolment": {"mode": mode}})
    person = contact(cast)
    with cast.scope():
        workflow = Workflow.objects.get(pk=id)
        plan = slices.plan_of(workflow.version_id or "")
    if not locked:  # the index is the lock
        monkeypatch.setattr(starts, "INSERT", starts.INSERT.replace("entry, solo, ", "entry || id, solo || id, "))
    start = threading.Barrier(4)

    def starter(n: int) -> None:
        with cast.scope(), transaction.atomic():
            locks.lock_shared([id])
            start.wait(10)
            starts.start_runs(workflow, plan, [starts.Entry(f"event{n}", contact_id=person)])

    at_once(4, None, starter)
    assert len(runs(cast, id)) == (1 if locked else 4)


def test_what_is_emitted_after_a_publication_starts_runs(cast: Cast) -> None:
    """Even by a transaction that has begun before it: a snapshot of then would not see the trigger."""
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    cast.key.post(f"/workflow/{id}/unpublish")
    person = contact(cast)
    WORK["events"].drain(float("inf"))
    begun, told = threading.Event(), threading.Event()

    def writer() -> None:
        with cast.scope(), transaction.atomic():
            assert not WorkflowTrigger.objects.exists()
            begun.set()
            told.wait(10)
            emit("contact.created", [person])

    def publisher() -> None:
        begun.wait(10)
        with cast.scope():
            publish_workflow(id=id, member_id=cast.owner.pk)
        told.set()

    at_once(2, None, lambda n: publisher() if n else writer())
    work()
    assert [run.status for run in runs(cast, id)] == ["completed"]
