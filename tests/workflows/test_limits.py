"""Limits of starts: rates, the plan's month, a workflow's runs at once, and the backlog of events."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from billing.subscriptions.services import override_subscription
from core.jobs import WORK
from core.models import Event
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.engine import claims, slices
from workflows.engine.limits import limits, places
from workflows.models import PlaceNotice, QueuedEvent, StartBucket, WorkflowRun

SHORT = [node("a", "set", {"values": {"a": 1}})]
WAIT = [node("wait", "wait", {"for": {"amount": 1, "unit": "hours"}})]


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def people(cast: Cast, number: int, **body: Any) -> list[str]:
    items = [
        {"name": f"P{n}", "email": f"p{n}@example.org", "countryCode": "49", "number": f"15123{n:05}"}
        for n in range(number)
    ]
    answer = cast.key.post("/contact/bulk", {"formData": items, **body})
    assert len(answer.data["created"]) == number, answer.body
    return [one["_id"] for one in answer.data["created"]]


def told(cast: Cast, workflow: str) -> list[tuple[str, str]]:
    return [(run.status, run.reason) for run in runs(cast, workflow)]


def drain() -> None:
    """Work until nothing moves."""
    for name in ("events", "workflow-backlog", "workflow-runs"):
        WORK[name].drain(float("inf"))


def look_again() -> None:
    with unscoped(reason="test: all companies"):
        assert not places.poll()


def allow(cast: Cast, **named: int) -> None:
    override_subscription(
        company_id=cast.company.pk, modules=None, limits={name.replace("_", "-"): n for name, n in named.items()}
    )


def test_runs_at_once_wait_for_places(cast: Cast) -> None:
    id = published(cast, WAIT, edges(), config={"concurrency": 2})
    people(cast, 5)
    work()
    waiting, parked = ("waiting", ""), ("queued", "concurrency")
    assert told(cast, id) == [waiting] * 2 + [parked] * 3
    rows = runs(cast, id)
    answer = cast.key.get(f"/workflow/runs/{rows[2].pk}").data
    assert "maximum of parallel runs" in answer["why"]
    assert answer["eta"] is None  # none has ended yet
    found = cast.key.get("/workflow/backlog").data
    assert (found["runs"], found["reasons"]) == (3, {"concurrency": 3})
    assert [(one["_id"], one["concurrency"], one["underWay"]) for one in found["workflows"]] == [(id, 2, 2)]
    # One is cancelled, one ends, one is deleted: each leaves its place to the next, in their order.
    cast.key.post(f"/workflow/runs/{rows[0].pk}/cancel")
    cast.key.delete(f"/workflow/runs/{rows[1].pk}")
    work()
    assert told(cast, id) == [("cancelled", "byMember"), waiting, waiting, parked]
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        work()
        assert told(cast, id)[1:] == [("completed", "end")] * 2 + [waiting]
        # What is restarted, and what is paused and resumed, goes through the same door.
        cast.key.post(f"/workflow/runs/{rows[0].pk}/restart", {})
        cast.key.post(f"/workflow/runs/{rows[2].pk}/restart", {})
        work()
        assert sorted(told(cast, id)) == sorted([waiting, parked, ("completed", "end"), waiting])
    with cast.scope():
        assert not PlaceNotice.objects.exists()
        assert WorkflowRun.objects.filter(place="held").count() == 2


def test_a_paused_run_without_a_place_gets_one_only_when_it_goes_on(cast: Cast) -> None:
    id = published(cast, WAIT, edges(), config={"concurrency": 1})
    people(cast, 3)
    work()
    first, second, _ = (run.pk for run in runs(cast, id))
    cast.key.post(f"/workflow/runs/{second}/pause")
    cast.key.post(f"/workflow/runs/{first}/cancel")
    work()
    assert told(cast, id) == [("cancelled", "byMember"), ("paused", "byMember"), ("waiting", "")]
    cast.key.post(f"/workflow/runs/{second}/resume")
    work()
    assert told(cast, id)[1] == ("queued", "concurrency")
    cast.key.put(f"/workflow/{id}", {"config": {}, "status": "published"})
    look_again()  # the limit is gone: nobody has left a notice
    work()
    assert told(cast, id)[1:] == [("waiting", "")] * 2


def test_a_workflows_rate_gives_each_run_its_turn(cast: Cast) -> None:
    now = datetime.fromisoformat("2027-05-04T09:00:00+00:00")
    with time_machine.travel(now, tick=False) as clock:
        id = published(cast, SHORT, edges(), config={"rate": {"starts": 6, "per": {"amount": 1, "unit": "hours"}}})
        people(cast, 3)
        work()
        assert told(cast, id) == [("completed", "end"), ("queued", "rate"), ("queued", "rate")]
        answer = cast.key.get(f"/workflow/runs/{runs(cast, id)[2].pk}").data
        assert (answer["eta"], "start limit" in answer["why"]) == ("2027-05-04T09:20:00.000Z", True)
        # A pause and a resume don't let it begin earlier.
        for verb in ("pause", "resume"):
            cast.key.post(f"/workflow/runs/{answer['_id']}/{verb}")
        work()
        assert told(cast, id)[2] == ("queued", "rate")
        for minutes, done in ((9, 1), (11, 2), (21, 3)):
            clock.move_to(now + timedelta(minutes=minutes))
            work()
            assert [status for status, _ in told(cast, id)].count("completed") == done


def test_a_companys_rate_is_shared_by_its_workflows(cast: Cast, settings: Any) -> None:
    settings.WORKFLOW_START_BURST_SECONDS = 2
    allow(cast, workflow_starts=2)
    now = datetime.fromisoformat("2027-05-04T09:00:00+00:00")
    with time_machine.travel(now, tick=False) as clock:
        ids = [published(cast, SHORT, edges(), name=name) for name in ("A", "B")]
        people(cast, 4)
        work()
        done = [[status for status, _ in told(cast, id)].count("completed") for id in ids]
        assert done == [4, 0]  # a burst of four, by two workflows
        clock.move_to(now + timedelta(seconds=1))
        work()
        assert told(cast, ids[1]) == [("completed", "end")] * 2 + [("queued", "rate")] * 2


def test_over_the_months_runs_one_waits_for_the_next_or_a_larger_plan(cast: Cast) -> None:
    allow(cast, workflow_runs=2)
    now = datetime.fromisoformat("2027-05-31T12:00:00+00:00")
    with time_machine.travel(now, tick=False) as clock:
        id = published(cast, SHORT, edges())
        people(cast, 5)
        work()
        assert told(cast, id) == [("completed", "end")] * 2 + [("queued", "quota")] * 3
        answer = cast.key.get(f"/workflow/runs/{runs(cast, id)[4].pk}").data
        assert (answer["eta"], "plan" in answer["why"]) == ("2027-06-01T00:00:00.000Z", True)
        found = cast.key.get("/workflow/backlog").data
        assert found["month"] == {"used": 2, "limit": 2, "endsAt": "2027-06-01T00:00:00.000Z"}
        allow(cast, workflow_runs=3)
        look_again()
        work()
        assert [reason for _, reason in told(cast, id)] == ["end"] * 3 + ["quota"] * 2
        clock.move_to(now + timedelta(days=1))
        look_again()
        work()
        assert [status for status, _ in told(cast, id)] == ["completed"] * 5
        assert cast.key.get("/workflow/backlog").data["month"]["used"] == 2


def test_events_of_many_records_start_behind_what_happens_now(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    id = published(cast, SHORT, edges())
    people(cast, 3, automation="queue")
    WORK["events"].drain(float("inf"))
    assert runs(cast, id) == []
    with cast.scope():
        assert QueuedEvent.objects.count() == 3
        assert {event.cause["queue"] for event in Event.objects.filter(kind="contact.created")} == {True}
    found = cast.key.get("/workflow/backlog").data
    assert (found["events"], found["runs"]) == (3, 0)
    late = contact(cast)
    monkeypatch.setattr(limits, "can_start_now", lambda now: False)  # the company's rate is used up
    drain()
    assert [run.contact_id for run in runs(cast, id)] == [late]
    monkeypatch.undo()
    WORK["events"].drain(float("inf"))
    WORK["workflow-backlog"].drain(float("inf"))
    assert [(run.priority, run.reason) for run in runs(cast, id)[1:]] == [(9, "importBacklog")] * 3
    work()
    assert {run.status for run in runs(cast, id)} == {"completed"}
    with cast.scope():
        assert not QueuedEvent.objects.exists()


def test_runs_that_go_behind_are_a_fifth_of_a_slice_beside_others(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MAX_RUNS", 10)
    behind = published(cast, SHORT, edges(), name="Behind", config={"priority": 9})
    fresh = published(cast, SHORT, edges(), name="Fresh")
    people(cast, 12)
    WORK["events"].drain(float("inf"))

    def done() -> tuple[int, ...]:
        return tuple([status for status, _ in told(cast, id)].count("completed") for id in (fresh, behind))

    found = []
    while slices.work_slice():
        found.append(done())
    assert found == [(10, 2), (12, 4), (12, 12)]


def test_starts_stop_while_many_runs_are_queued(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_QUEUED", 3)
    id = published(cast, SHORT, edges())
    for first in (0, 3):  # two batches of events
        people(cast, 3) if not first else [contact(cast, email=f"{n}@example.org", number=f"16{n:08}") for n in "123"]
        WORK["events"].drain(float("inf"))
        WORK["workflow-backlog"].drain(float("inf"))
    assert len(runs(cast, id)) == 3
    with cast.scope():
        assert QueuedEvent.objects.filter(priority=5).count() == 3
    drain()
    drain()
    assert [run.status for run in runs(cast, id)] == ["completed"] * 6


def test_a_bulk_job_keeps_how_its_workflows_start(cast: Cast) -> None:
    ids = people(cast, 2, automation="skip")
    id = published(cast, SHORT, edges(), triggerEventType="contact.updated")
    body = {"ids": ids, "formData": {"name": "Changed"}, "automation": "queue"}
    answer = cast.key.put("/contact", body)
    assert answer.status == 200, answer.body
    assert cast.key.get(f"/bulk-job/{answer.body['bulkJob']}").data["automation"] == "queue"
    drain()
    assert [run.priority for run in runs(cast, id)] == [9, 9]


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"concurrency": 0}, "config.concurrency"),
        ({"rate": {"starts": 1}}, "config.rate"),
        ({"rate": {"starts": 0, "per": {"amount": 1, "unit": "days"}}}, "config.rate"),
        ({"retention": 0}, "config.retention"),
    ],
)
def test_bad_limits_are_named(cast: Cast, config: dict[str, Any], path: str) -> None:
    body = {"name": "Bad", "triggerEventType": "manual", "nodes": SHORT, "edges": [], "config": config}
    errors = cast.key.post("/workflow", body).data["validation"]["errors"]
    assert errors[0]["path"].startswith(path), errors


def test_buckets_are_the_companys_own(cast: Cast) -> None:
    id = published(cast, SHORT, edges())
    contact(cast)
    work()
    other = make_cast()
    with other.scope():
        assert not StartBucket.objects.exists()
    assert other.key.get("/workflow/backlog").data["month"]["used"] == 0
    assert [status for status, _ in told(cast, id)] == ["completed"]
