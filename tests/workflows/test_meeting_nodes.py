"""Nodes that wait for a meeting: its times, also when it is moved or cancelled, and its result."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, steps, work
from workflows.models import RunListener, RunTimer

HOURS = {"amount": 24, "unit": "hours"}
NODES = [
    node("day", "meetingTime", {"for": HOURS}),
    node("before", "set", {"values": {"before": "{{ steps.day.startsAt }}"}}),
    node("after", "meetingTime", {"when": "after", "for": {"amount": 1, "unit": "hours"}}),
    node("result", "meetingResult", {"timeout": {"amount": 2, "unit": "days"}}),
    *(node(name, "set", {"values": {"end": name}}) for name in ("held", "missed", "unmarked", "late", "gone")),
]
LINES = edges(
    *("day:out > before", "before > after", "after > result", "day:late > late", "day:cancelled > gone"),
    *("result:held > held", "result:noShow > missed", "result:timeout > unmarked", "after:cancelled > gone"),
    "result:cancelled > gone",
)


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(at("2027-03-01T08:00"), tick=False) as traveller:
        yield traveller


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def met(cast: Cast, start: str) -> tuple[str, str]:
    """Publish the workflow and create a meeting. Returns both ids."""
    id = published(cast, NODES, LINES, triggerEventType="meeting.created", config={"enrolment": {"mode": "always"}})
    person = contact(cast)
    answer = cast.key.post(
        "/meeting", {"title": "Demo", "startsAt": f"{start}Z", "endsAt": end(start), "contact": person}
    )
    assert answer.status == 201, answer.body
    work()
    return id, answer.data["_id"]


def end(start: str) -> str:
    return f"{start[:11]}{int(start[11:13]) + 1:02}{start[13:]}Z"


def change(cast: Cast, meeting: str, **values: Any) -> None:
    answer = cast.key.put(f"/meeting/{meeting}", values)
    assert answer.status == 200, answer.body
    work()


def ended(cast: Cast, id: str) -> Any:
    [run] = runs(cast, id)
    return run.status, (run.state.get("vars") or {}).get("end")


@pytest.mark.parametrize(("result", "last"), [("held", "held"), ("noShow", "missed"), ("", "unmarked")])
def test_a_run_follows_its_meeting_to_the_result(cast: Cast, clock: Any, result: str, last: str) -> None:
    id, meeting = met(cast, "2027-03-10T10:00")
    clock.move_to(at("2027-03-09T09:59"))
    work()
    assert [name for name, *_ in steps(cast, runs(cast, id)[0])] == ["trigger", "day"]
    clock.move_to(at("2027-03-09T10:00:01"))
    work()
    assert runs(cast, id)[0].state["vars"] == {"before": "2027-03-10T10:00:00.000Z"}
    clock.move_to(at("2027-03-10T12:30"))
    work()
    assert ended(cast, id) == ("waiting", None)
    if result:
        change(cast, meeting, result=result)
    else:
        clock.move_to(at("2027-03-12T11:00:01"))
        work()
    assert ended(cast, id) == ("completed", last)
    with cast.scope():
        assert not RunListener.objects.exists()
        assert not RunTimer.objects.exists()


@pytest.mark.parametrize(("moved", "due"), [("2027-03-20T10:00", "2027-03-19"), ("2027-03-05T10:00", "2027-03-04")])
def test_a_meeting_that_is_moved_takes_the_wait_along(cast: Cast, clock: Any, moved: str, due: str) -> None:
    id, meeting = met(cast, "2027-03-10T10:00")
    change(cast, meeting, startsAt=f"{moved}Z")
    clock.move_to(at(f"{due}T09:59"))
    work()
    assert ended(cast, id) == ("waiting", None)
    assert "before" not in runs(cast, id)[0].state["vars"]
    clock.move_to(at(f"{due}T10:00:01"))
    work()
    assert runs(cast, id)[0].state["vars"] == {"before": f"{moved}:00.000Z"}


@pytest.mark.parametrize("days", [0, 8])
def test_a_cancelled_meeting_ends_the_way(cast: Cast, clock: Any, days: int) -> None:
    id, meeting = met(cast, "2027-03-10T10:00")
    clock.move_to(at(f"2027-03-{1 + days:02}T13:00"))
    work()
    assert cast.key.delete("/meeting", {"ids": [meeting]}).status == 200
    work()
    clock.move_to(at("2027-03-20T08:00"))
    work()
    assert ended(cast, id)[0] == "completed"
    assert ended(cast, id)[1] == "gone"


def test_a_meeting_that_begins_soon_is_late(cast: Cast, clock: Any) -> None:
    id, _ = met(cast, "2027-03-02T07:00")
    assert ended(cast, id) == ("completed", "late")


def test_what_is_no_meeting_fails_the_step(cast: Cast) -> None:
    steps_of = [node("day", "meetingTime", {"meeting": "{{ trigger.input.meeting }}"})]
    id = published(cast, steps_of, edges(), triggerEventType="manual")
    for meeting in ("0" * 24, "tomorrow"):
        body = {"withoutRecord": True, "input": {"meeting": meeting}}
        assert cast.key.post(f"/workflow/{id}/enrol", body).status == 201
    work()
    assert [(run.status, run.error_code) for run in runs(cast, id)] == [("failed", "missing")] * 2


def test_a_dry_run_jumps_to_the_time(cast: Cast, clock: Any) -> None:
    id, meeting = met(cast, "2027-03-10T10:00")
    tried = cast.key.post(f"/workflow/{id}/test", {"record": meeting}).data
    shown = [(one["node"], one["handle"], one["waits"]) for one in tried["steps"]]
    assert shown[1:4] == [("day", "out", 8 * 86_400 + 7200), ("before", "out", None), ("after", "out", 93_600)]
    assert [one["code"] for one in tried["warnings"]] == ["notPinned"]
    assert tried["status"] == "completed"
