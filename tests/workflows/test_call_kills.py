"""Callers that are killed at each commit: with a key a call is made again, without one it is unknown; none is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.jobs import WORK, sweep
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.kit.data_server import DataServer, data_server
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked, kill
from tests.workflows.helpers import edges, node, published, runs, work
from workflows.engine.waits import calls
from workflows.models import RunCall
from workflows.nodes.requests import CallResult

DIE = """
import os, sys, django
django.setup()
from core.jobs import WORK
from workflows.engine.waits import calls

def die(*arguments, **options):
    os.kill(os.getpid(), 9)

point = sys.argv[1]
if point == "before the claim":
    calls.RunCall.objects.bulk_update = die
    type(calls.RunCall.objects).bulk_update = die
elif point == "before the call":
    calls._make = die
elif point == "before the answer is kept":
    calls._record = die
elif point == "before its commit":
    calls._deliver_answers = die
print("ready", flush=True)
WORK["workflow-calls"].drain(float("inf"))
"""


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="module")
def server() -> Iterator[DataServer]:
    with data_server() as found:
        yield found


def calling(cast: Cast, server: DataServer, *, keyed: bool) -> str:
    server.asked.clear()
    server.then({"ok": 1})
    config = {"url": f"{server.url}/hook", "body": {"a": 1}, "idempotent": keyed}
    id = published(cast, [node("http", "http", config)], edges(), triggerEventType="manual")
    cast.key.post(f"/workflow/{id}/enrol", {"withoutRecord": True})
    work()
    return id


@in_make_check
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize(
    ("point", "arrived"),
    [("before the claim", 0), ("before the call", 0), ("before the answer is kept", 1), ("before its commit", 1)],
)
def test_a_caller_that_is_killed(cast: Cast, server: DataServer, keyed: bool, point: str, arrived: int) -> None:
    id = calling(cast, server, keyed=keyed)
    worker = Forked(DIE, point)
    assert worker.stdout.readline() == "ready\n"
    assert worker.wait(30) == -9
    kill(worker)
    assert len(server.asked) == arrived
    sweep()
    WORK["workflow-calls"].drain(float("inf"))
    work()
    (run,) = runs(cast, id)
    with cast.scope():
        call = RunCall.objects.get()
    again = keyed or point == "before the claim"
    assert len(server.asked) == arrived + again
    assert len({asked.headers["idempotency-key"] for asked in server.asked}) <= 1
    assert (run.status, call.status) == (("completed", "done") if again else ("failed", "unknown"))
    if not again:
        assert run.error_code == "unknown"


def test_an_answer_that_comes_after_the_call_was_given_up_is_kept_and_not_applied(
    cast: Cast, server: DataServer
) -> None:
    id = calling(cast, server, keyed=False)
    (call,) = calls._claim(20)
    with unscoped(reason="test: its worker is taken for dead"):
        RunCall.objects.filter(pk=call.pk).update(worker=None)
    sweep()
    calls._end(call, CallResult("done", {"status": 200}))
    work()
    (run,) = runs(cast, id)
    with cast.scope():
        call = RunCall.objects.get()
    assert (run.status, call.status, call.late) == ("failed", "unknown", True)
    assert call.response["output"] == {"status": 200}


def test_many_calls_are_made_at_once_and_each_one_once(cast: Cast, server: DataServer) -> None:
    server.asked.clear()
    server.then({"ok": 1})
    config = {"url": f"{server.url}/hook", "body": {"a": 1}}
    id = published(cast, [node("http", "http", config)], edges(), triggerEventType="manual")
    for _ in range(12):
        cast.key.post(f"/workflow/{id}/enrol", {"withoutRecord": True})
    work()
    WORK["workflow-calls"].drain(float("inf"))
    work()
    assert {run.status for run in runs(cast, id)} == {"completed"}
    assert len({asked.headers["idempotency-key"] for asked in server.asked}) == len(server.asked) == 12
