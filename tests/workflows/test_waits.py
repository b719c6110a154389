"""What runs wait for: events, other runs, answers of members; and what ends them early."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from accounts.models import Company
from accounts.notifications.models import Notification
from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.models import RunApproval, RunListener, RunTimer

DAY = {"amount": 1, "unit": "days"}
ALWAYS = {"enrolment": {"mode": "always"}}


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def later(days: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(days=days, seconds=1), tick=False)


def waiting_for(cast: Cast, **config: Any) -> str:
    wait = {"event": "contact.updated", "timeout": DAY, **config}
    nodes = [
        node("wait", "waitFor", wait),
        node("end", "set", {"values": {"got": "{{ steps.wait.payload.changes }}"}}),
        node("late", "set", {"values": {"late": True}}),
    ]
    return published(cast, nodes, edges("wait:event > end", "wait:timeout > late"))


def rename(cast: Cast, id: str, name: str) -> None:
    assert cast.key.put(f"/contact/{id}", {"formData": {"name": name}}).status == 200


def test_an_event_about_the_record_ends_the_wait(cast: Cast) -> None:
    id = waiting_for(cast, filter=when("contact.name", "contains", "Bea"))
    person, other = contact(cast), contact(cast, email="bob@example.org", number="1512345679")
    work()
    found = {run.contact_id: run for run in runs(cast, id)}
    (wait,) = cast.key.get(f"/workflow/runs/{found[person].pk}").data["waits"]
    assert (wait["for"], wait["until"] is None) == ("event", False)
    rename(cast, person, "Ada")
    work()
    assert {run.status for run in runs(cast, id)} == {"waiting"}  # it does not fit
    rename(cast, person, "Bea")
    work()
    done = {run.contact_id: run for run in runs(cast, id)}
    assert (done[person].status, done[other].status) == ("completed", "waiting")
    assert "name" in done[person].state["vars"]["got"]
    with later(1):
        work()
    done = {run.contact_id: run for run in runs(cast, id)}
    assert done[other].state["vars"] == {"late": True}
    with cast.scope():
        assert not RunListener.objects.exists()
        assert not RunTimer.objects.exists()


@pytest.mark.parametrize(("since", "status"), [("run", "completed"), ("node", "waiting")])
def test_what_has_happened_since_the_run_began_counts_if_it_is_asked_for(cast: Cast, since: str, status: str) -> None:
    nodes = [
        node("first", "wait", {"for": {"amount": 1, "unit": "hours"}}),
        node("wait", "waitFor", {"event": "contact.updated", "timeout": DAY, "since": since}),
    ]
    id = published(cast, nodes, edges("first > wait"))
    person = contact(cast)
    work()
    rename(cast, person, "Bea")
    work()
    with later(0.05):
        work()
        work()
    assert runs(cast, id)[0].status == status


@pytest.mark.parametrize("kind", ["contact", "lead"])
def test_what_comes_before_the_run_is_made_counts(cast: Cast, kind: str) -> None:
    """An event between the one that starts the run and its making; those before it do not count."""
    nodes = [node("wait", "waitFor", {"event": f"{kind}.updated", "timeout": DAY})]
    person = contact(cast)
    id = published(cast, nodes, edges(), triggerEventType="lead.created" if kind == "lead" else "contact.created")
    other = contact(cast, email="bob@example.org", number="1512345679")
    records = [other, contact(cast, email="eve@example.org", number="1512345670")]
    if kind == "lead":
        records = [cast.key.post("/lead", {"contact": one, "formData": {}}).data["_id"] for one in records]
    rename(cast, person, "Ada")
    changed = {"status": "contacted"} if kind == "lead" else {"name": "Bea"}
    assert cast.key.put(f"/{kind}/{records[0]}", {"formData": changed}).status == 200
    work()
    work()
    column = f"{kind}_id"
    assert {getattr(run, column): run.status for run in runs(cast, id)} == {
        records[0]: "completed",
        records[1]: "waiting",
    }


def test_an_event_before_the_one_that_starts_the_run_does_not_count(cast: Cast) -> None:
    nodes = [node("wait", "waitFor", {"event": "contact.updated", "timeout": DAY})]
    person = contact(cast)
    id = published(cast, nodes, edges(), triggerEventType="lead.created")
    rename(cast, person, "Ada")
    assert cast.key.post("/lead", {"contact": person, "formData": {}}).status == 201
    work()
    work()
    assert [run.status for run in runs(cast, id)] == ["waiting"]


def test_a_change_that_starts_the_run_does_not_end_its_wait(cast: Cast) -> None:
    nodes = [node("wait", "waitFor", {"event": "contact.updated", "timeout": DAY})]
    person = contact(cast)
    id = published(cast, nodes, edges(), triggerEventType="contact.updated")
    rename(cast, person, "Ada")
    work()
    work()
    assert [run.status for run in runs(cast, id)] == ["waiting"]
    rename(cast, person, "Bea")
    work()
    assert "completed" in [run.status for run in runs(cast, id)]


@pytest.mark.parametrize("name", ["goal", "exit"])
def test_a_goal_or_exit_that_comes_before_the_run_is_made_ends_it(cast: Cast, name: str) -> None:
    nodes = [node("wait", "wait", {"for": {"amount": 1, "unit": "days"}})]
    config = {name: {"events": ["contact.updated"]}}
    id = published(cast, nodes, edges(), config=config)
    early, late = contact(cast), contact(cast, email="bob@example.org", number="1512345679")
    rename(cast, early, "Bea")
    work()
    work()
    found = {run.contact_id: run for run in runs(cast, id)}
    assert (found[early].status, found[late].status) == ("completed" if name == "goal" else "cancelled", "waiting")
    rename(cast, late, "Bob")
    work()
    found = {run.contact_id: run for run in runs(cast, id)}
    assert found[late].status == found[early].status


def test_an_unknown_event_and_a_wait_without_end_are_refused(cast: Cast) -> None:
    body = {"name": "Bad", "triggerEventType": "manual", "edges": []}
    for config in ({"event": "nothing.done", "timeout": DAY}, {"event": "contact.updated"}):
        draft = cast.key.post("/workflow", {**body, "nodes": [node("a", "waitFor", config)]}).data
        assert {one["code"] for one in draft["validation"]["errors"]} <= {"unknownEvent", "missing"}
        assert draft["validation"]["errors"]


def child_of(cast: Cast, inner: list[Any], **config: Any) -> tuple[str, str]:
    child = published(cast, inner, edges(), name="Child", triggerEventType="manual")
    nodes = [
        node("child", "workflow", {"workflow": child, "input": {"who": "{{ contact.name }}"}, **config}),
        node("good", "set", {"values": {"got": "{{ steps.child.vars.a }}"}}),
        node("bad", "set", {"values": {"bad": "{{ steps.child.status }}"}}),
        node("late", "set", {"values": {"late": True}}),
    ]
    lines = edges("child > good", "child:failed > bad", "child:timeout > late")
    return published(cast, nodes, lines, name="Parent"), child


def test_a_run_waits_for_the_run_of_another_workflow(cast: Cast) -> None:
    parent, child = child_of(cast, [node("a", "set", {"values": {"a": "{{ trigger.input.who }}"}})])
    contact(cast)
    for _ in range(2):
        work()
    assert [run.status for run in runs(cast, child)] == ["completed"]
    (run,) = runs(cast, parent)
    assert (run.status, run.state["vars"]) == ("completed", {"got": "Ann Example"})
    assert cast.key.post(f"/workflow/runs/{run.pk}/restart").status == 200
    for _ in range(2):
        work()
    assert runs(cast, parent)[0].status == "completed"
    assert len(runs(cast, child)) == 1  # the same effect is not made twice


@pytest.mark.parametrize("way", ["failed", "cancelled", "timeout", "missing"])
def test_a_run_hears_that_the_other_one_did_not_complete(cast: Cast, way: str) -> None:
    wrong = {"action": "update", "values": {"email": "no address"}}
    wait = node("w", "wait", {"for": {"amount": 3, "unit": "days"}})
    inner = [node("x", "contact", wrong)] if way == "failed" else [wait]
    parent, child = child_of(cast, inner, timeout=DAY)
    if way == "missing":
        cast.key.post(f"/workflow/{child}/unpublish")
    contact(cast)
    work()
    if way == "cancelled":
        cast.key.post(f"/workflow/runs/{runs(cast, child)[0].pk}/cancel")
    with later(1 if way == "timeout" else 0):
        work()
    (run,) = runs(cast, parent)
    if way == "missing":
        assert (run.status, run.error_code) == ("failed", "workflowMissing")
    else:
        assert run.state["vars"] == ({"late": True} if way == "timeout" else {"bad": way})


def test_a_workflow_that_would_run_itself_or_none_is_refused(cast: Cast) -> None:
    parent, child = child_of(cast, [node("a", "set", {"values": {"a": 1}})])
    back = [node("back", "workflow", {"workflow": parent})]
    assert cast.key.put(f"/workflow/{child}", {"nodes": back, "edges": []}).status == 200
    answer = cast.key.post(f"/workflow/{child}/publish")
    assert (answer.status, [one["code"] for one in answer.body["errors"]]) == (400, ["recursion"])
    other = make_cast()
    body = {"name": "Bad", "triggerEventType": "manual", "nodes": [node("a", "workflow", {"workflow": child})]}
    draft = other.key.post("/workflow", {**body, "edges": []}).data
    assert [one["code"] for one in draft["validation"]["errors"]] == ["workflowMissing"]


def asking(cast: Cast, **config: Any) -> str:
    nodes = [
        node("ask", "approval", {"text": "Send to {{ contact.name }}?", "members": [cast.owner.pk], **config}),
        *(node(way, "set", {"values": {"way": way}}) for way in ("approved", "rejected", "timeout")),
    ]
    return published(cast, nodes, edges(*(f"ask:{way} > {way}" for way in ("approved", "rejected", "timeout"))))


@pytest.mark.parametrize("approved", [True, False])
def test_a_member_answers_once_and_only_who_is_asked(cast: Cast, approved: bool) -> None:
    id = asking(cast)
    contact(cast)
    work()
    with cast.scope():
        assert Notification.objects.filter(member=cast.owner, text__contains="Send to Ann Example?").exists()
    (row,) = cast.session.get("/workflow/approvals", filters='{"status": "open"}').body["data"]
    assert (row["text"], row["status"]) == ("Send to Ann Example?", "open")
    path = f"/workflow/approvals/{row['_id']}"
    assert cast.narrow_session.post(f"{path}/answer", {"approved": True}).status == 404
    assert make_cast().session.post(f"{path}/answer", {"approved": True}).status == 404
    assert cast.session.post(f"{path}/answer", {}).status == 400
    for _ in range(2):
        answer = cast.session.post(f"{path}/answer", {"approved": approved, "comment": "so"})
        assert (answer.status, answer.data["status"]) == (200, "approved" if approved else "rejected"), answer.body
    assert cast.session.post(f"{path}/answer", {"approved": not approved}).status == 409
    work()
    assert runs(cast, id)[0].state["vars"] == {"way": "approved" if approved else "rejected"}


def test_a_question_that_nobody_answers_is_over_in_time(cast: Cast) -> None:
    id = asking(cast, timeout={"amount": 10, "unit": "minutes"})
    contact(cast)
    work()
    with later(0.007):
        with cast.scope():
            row = RunApproval.objects.get()
        assert cast.session.post(f"/workflow/approvals/{row.pk}/answer", {"approved": True}).status == 409
        work()
    assert runs(cast, id)[0].state["vars"] == {"way": "timeout"}
    with cast.scope():
        assert RunApproval.objects.get().status == "timeout"


@pytest.mark.parametrize(
    ("config", "ended"),
    [
        ({"goal": {"filter": when("contact.name", "equals", "Bea")}}, ("completed", "goal")),
        ({"exit": {"filter": when("contact.name", "equals", "Bea")}}, ("cancelled", "exit")),
        ({"goal": {"events": ["contact.updated"]}}, ("completed", "goal")),
        ({"exit": {"events": ["contact.updated"]}}, ("cancelled", "exit")),
        ({"goal": {"filter": when("contact.name", "equals", "Cleo")}}, ("waiting", "")),
    ],
)
def test_a_goal_completes_runs_and_an_exit_cancels_them(
    cast: Cast, config: dict[str, Any], ended: tuple[str, str]
) -> None:
    id = published(cast, [node("wait", "wait", {"for": DAY})], edges(), config=config)
    person, _ = contact(cast), contact(cast, email="bob@example.org", number="1512345679")
    work()
    rename(cast, person, "Bea")
    work()
    found = {run.contact_id == person: (run.status, run.reason) for run in runs(cast, id)}
    assert found == {True: ended, False: ("waiting", "")}


@pytest.mark.parametrize(("clock", "hour"), [("", 0), ("T09:00", 9)])
@pytest.mark.parametrize("offset", [0, 2])
def test_a_wait_until_a_day_goes_by_the_companys_clock(cast: Cast, clock: str, hour: int, offset: int) -> None:
    zone = ZoneInfo("America/Los_Angeles")
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone=zone.key)
    day = timezone.now().astimezone(zone).date() + timedelta(days=30)
    config = {"until": f"{day}{clock}", "offset": offset}
    id = published(cast, [node("wait", "wait", config)], edges())
    contact(cast)
    work()
    (run,) = runs(cast, id)
    steps = cast.key.get(f"/workflow/runs/{run.pk}/steps").data
    step = next(step for step in steps if step["status"] == "waiting")
    end = datetime.combine(day + timedelta(days=offset), time(hour), zone)
    assert datetime.fromisoformat(step["output"]["until"]) == end
