"""Runs: from an event through nodes, waits, joins, loops and errors, and what members do to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.models import Event
from crm.models import Contact, ContactTag, FollowUp, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, steps, when, work
from workflows.engine import completion


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def test_a_contact_goes_through_condition_change_tag_note_and_wait(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory()
    id = published(
        cast,
        [
            node("if", "condition", {"filter": when("contact.email", "endsWith", "example.org")}),
            node("set", "contact", {"action": "update", "values": {"name": "{{ contact.name | upper }}"}}),
            node("tag", "tags", {"tags": [tag.pk]}),
            node("wait", "wait", {"for": {"amount": 2, "unit": "days"}}),
            node("note", "note", {"notes": "Hello {{contact.name}}, {{steps.if.result}}"}),
        ],
        edges("if:true > set", "set > tag", "tag > wait", "wait > note"),
    )
    person = contact(cast)
    work()
    (run,) = runs(cast, id)
    assert (run.status, run.contact_id) == ("waiting", person)
    assert steps(cast, run) == [
        ("trigger", "done", "out"),
        ("if", "done", "true"),
        ("set", "done", "out"),
        ("tag", "done", "out"),
        ("wait", "waiting", ""),
    ]
    with cast.scope():
        assert Contact.objects.get(pk=person).name == "ANN EXAMPLE"
        assert ContactTag.objects.filter(contact=person, tag=tag).exists()
        # What a workflow changes says so, and does not start it again.
        changed = Event.objects.filter(kind="contact.updated", object_id=person).first()
        assert changed is not None
        assert changed.cause == {"workflow": id, "name": "Welcome", "depth": 1}
    # So does the timeline, by its name.
    work()
    told = cast.key.get(f"/contact/{person}/timeline", kind="changed").data
    assert [one["workflow"] for one in told] == [{"_id": id, "name": "Welcome"}] * 2  # name and tag
    answer = cast.key.get(f"/workflow/runs/{run.pk}")
    assert [wait["node"] for wait in answer.data["waits"]] == ["wait"]
    with time_machine.travel(timezone.now() + timedelta(days=2, seconds=1), tick=False):
        work()
    (run,) = runs(cast, id)
    assert (run.status, run.reason) == ("completed", "end")
    with cast.scope():
        assert LeadActivity.objects.get(kind="note").notes == "Hello ANN EXAMPLE, true"
        assert not FollowUp.objects.exists()


ANY = when("contact.name", "isNotEmpty")
WAIT = {"for": {"amount": 1, "unit": "hours"}}


def later(hours: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(hours=hours, seconds=1), tick=False)


def test_a_join_waits_for_the_branches_that_come_and_for_no_other(cast: Cast) -> None:
    id = published(
        cast,
        [
            node("if", "condition", {"filter": ANY}),
            node("fast", "set", {"values": {"a": 1}}),
            node("slow", "wait", WAIT),
            node("never", "set", {"values": {"b": 1}}),
            node("join", "join"),
            node("end", "set", {"values": {"c": "{{vars.a}}"}}),
        ],
        edges(
            *("if:true > fast", "if:true > slow", "if:false > never"),
            *("fast > join", "slow > join", "never > join", "join > end"),
        ),
    )
    contact(cast)
    work()
    (run,) = runs(cast, id)
    assert [name for name, *_ in steps(cast, run)] == ["trigger", "if", "fast", "slow"]
    with later(1):
        work()
    (run,) = runs(cast, id)
    assert (run.status, run.state["vars"]) == ("completed", {"a": 1, "c": 1})
    assert [name for name, *_ in steps(cast, run)].count("join") == 1


def test_a_loop_goes_through_its_items_one_after_another(cast: Cast) -> None:
    id = published(
        cast,
        [
            node("loop", "loop", {"items": "{{ trigger.input.names }}", "cap": 2}),
            node("wait", "wait", WAIT),
            node("note", "note", {"notes": "{{ loop.index }} {{ loop.item.name }}"}),
            node("end", "set", {"values": {"count": "{{ steps.loop.count }}", "left": "{{ steps.loop.left }}"}}),
        ],
        edges("loop:item > wait", "wait > note", "loop:done > end"),
        triggerEventType="manual",
    )
    person = contact(cast)
    names = [{"name": name} for name in ("x", "y", "z")]
    answer = cast.key.post(f"/workflow/{id}/enrol", {"ids": [person], "input": {"names": names}})
    assert (answer.status, answer.data) == (201, {"selectedCount": 1, "startedCount": 1})
    for hours in (0, 1, 2):
        with later(hours):
            work()
    (run,) = runs(cast, id)
    assert (run.status, run.state["vars"]) == ("completed", {"count": 2, "left": 1})
    with cast.scope():
        notes = LeadActivity.objects.filter(kind="note").order_by("happened_at")
        assert list(notes.values_list("notes", flat=True)) == ["0 x", "1 y"]


@pytest.mark.parametrize("then", ["fail", "continue", "branch"])
def test_a_node_that_fails_is_tried_again_and_then_goes_by_its_policy(cast: Cast, then: str) -> None:
    bad = {"action": "update", "values": {"email": "{{ vars.nothing | default: 'no address' }}"}}
    policy = {"retry": {"attempts": 1, "delay": {"amount": 1, "unit": "hours"}}, "then": then}
    lines = ["set > end", *(["set:error > sorry"] if then == "branch" else [])]
    sorry = [node("sorry", "set", {"values": {"why": "{{ steps.set.error.code }}"}})] if then == "branch" else []
    id = published(
        cast,
        [node("set", "contact", bad, onError=policy), node("end", "set", {"values": {"a": 1}}), *sorry],
        edges(*lines),
    )
    contact(cast)
    work()
    (run,) = runs(cast, id)
    went = steps(cast, run)
    # A value that is wrong stays wrong, so it is not tried again.
    assert went[1] == ("set", "failed", "")
    assert run.status == ("failed" if then == "fail" else "completed")
    if then == "fail":
        assert (run.error_node, run.error_code) == ("set", "InvalidSystemField_400")
        failure = cast.key.get(f"/workflow/runs/{run.pk}").data["failure"]
        assert failure["node"] == "set"
        assert "no address" in failure["message"]
    elif then == "branch":
        assert run.state["vars"] == {"why": "InvalidSystemField_400"}
    else:
        assert run.state["vars"] == {"a": 1}


def test_what_may_succeed_later_is_tried_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from workflows.nodes import logic

    policy = {"retry": {"attempts": 2, "delay": {"amount": 1, "unit": "hours"}}}
    id = published(cast, [node("set", "set", {"values": {"a": 1}}, onError=policy)], edges())
    contact(cast)
    calls: list[int] = []

    def flaky(batch: Any) -> None:
        calls.append(len(batch.items))
        if len(calls) < 3:
            raise RuntimeError("busy")
        logic._set(batch)

    from workflows.nodes.registry import NODE_TYPES

    monkeypatch.setitem(NODE_TYPES, "set", NODE_TYPES["set"])
    original = NODE_TYPES["set"].run
    object.__setattr__(NODE_TYPES["set"], "run", flaky)
    try:
        for hours in (0, 1, 3):
            with later(hours):
                work()
    finally:
        object.__setattr__(NODE_TYPES["set"], "run", original)
    (run,) = runs(cast, id)
    assert [(status, handle) for name, status, handle in steps(cast, run) if name == "set"] == [
        ("retrying", ""),
        ("retrying", ""),
        ("done", "out"),
    ]
    assert run.status == "completed"


def test_pause_resume_cancel_and_restart(cast: Cast) -> None:
    id = published(
        cast,
        [
            node("note", "note", {"notes": "before"}),
            node("wait", "wait", WAIT),
            node("end", "note", {"notes": "after"}),
        ],
        edges("note > wait", "wait > end"),
    )
    contact(cast)
    work()
    (run,) = runs(cast, id)
    path = f"/workflow/runs/{run.pk}"
    for _ in range(2):  # repeating an operation changes nothing
        answer = cast.key.post(f"{path}/pause")
        assert (answer.status, answer.data["status"], answer.data["reason"]) == (200, "paused", "byMember")
    with later(1):
        work()
        assert runs(cast, id)[0].status == "paused"
        assert cast.key.post(f"{path}/resume").data["status"] == "queued"
        work()
    assert runs(cast, id)[0].status == "completed"
    assert [cast.key.post(f"{path}/{verb}").status for verb in ("pause", "resume", "cancel")] == [400, 400, 400]
    answer = cast.key.post(f"{path}/restart", {"from": "end"})
    assert (answer.status, answer.data["status"]) == (200, "queued"), answer.body
    work()
    assert [name for name, *_ in steps(cast, run)] == ["trigger", "note", "wait", "end", "end"]
    assert cast.key.post(f"{path}/restart", {"from": "nowhere"}).status == 400
    assert cast.key.post(f"{path}/restart").status == 200
    work()
    for _ in range(2):
        answer = cast.key.post(f"{path}/cancel")
        assert (answer.data["status"], answer.data["reason"]) == ("cancelled", "byMember")
    with later(2):
        work()
    assert runs(cast, id)[0].status == "cancelled"
    with cast.scope():
        assert LeadActivity.objects.filter(kind="note").count() == 4
    assert cast.key.delete(path).status == 200
    assert cast.key.get(path).status == 404


def test_unpublishing_holds_the_runs_and_publishing_lets_them_go_on(cast: Cast) -> None:
    id = published(cast, [node("wait", "wait", WAIT), node("end", "note", {"notes": "done"})], edges("wait > end"))
    contact(cast)
    work()
    assert cast.key.post(f"/workflow/{id}/unpublish").data["status"] == "unpublished"
    (run,) = runs(cast, id)
    assert (run.status, run.reason) == ("paused", "unpublished")
    contact(cast, email="bob@example.org", number="1512345679")
    with later(1):
        work()
        assert [one.status for one in runs(cast, id)] == ["paused"]
        assert cast.key.post(f"/workflow/runs/{run.pk}/resume").status == 400
        answer = cast.key.put(f"/workflow/{id}", {"status": "published"})
        assert (answer.status, answer.data["version"]) == (200, 1)
        work()
    assert [one.status for one in runs(cast, id)] == ["completed"]


def test_all_runs_of_a_workflow_pause_together_and_new_ones_begin(cast: Cast) -> None:
    id = published(cast, [node("wait", "wait", WAIT)], edges())
    contact(cast)
    work()
    answer = cast.key.post(f"/workflow/{id}/runs/pause")
    assert (answer.status, answer.data) == (200, {"count": 1})
    contact(cast, email="bob@example.org", number="1512345679")
    work()
    assert [(one.status, one.reason) for one in runs(cast, id)] == [("paused", "paused"), ("waiting", "")]
    assert cast.key.post(f"/workflow/{id}/runs/resume").data == {"count": 1}
    work()
    assert [one.status for one in runs(cast, id)] == ["waiting", "waiting"]
    assert cast.key.delete(f"/workflow/{id}").status == 200
    assert {(one.status, one.reason) for one in runs(cast, id)} == {("cancelled", "workflowDeleted")}


@pytest.mark.parametrize(
    ("mode", "statuses"),
    [
        ("once", ["waiting"]),
        ("whenIdle", ["waiting"]),
        ("always", ["waiting", "waiting", "waiting"]),
        ("replace", ["cancelled", "waiting"]),
    ],
)
def test_enrolment(cast: Cast, mode: str, statuses: list[str]) -> None:
    config = {"enrolment": {"mode": mode}, "changedFields": ["name"]}
    id = published(cast, [node("wait", "wait", WAIT)], edges(), triggerEventType="contact.updated", config=config)
    person = contact(cast)
    assert cast.key.put(f"/contact/{person}", {"formData": {"name": "Bea"}}).status == 200
    work()
    assert len(runs(cast, id)) == 1
    for name in ("Cleo", "Dora"):  # two events at once
        assert cast.key.put(f"/contact/{person}", {"formData": {"name": name}}).status == 200
    assert cast.key.put(f"/contact/{person}", {"formData": {"email": "x@example.org"}}).status == 200
    work()
    assert [one.status for one in runs(cast, id)] == statuses


def test_what_a_workflow_changes_does_not_start_it_in_circles(cast: Cast) -> None:
    change = {"action": "update", "values": {"name": "{{ contact.name }}!"}}
    always = {"enrolment": {"mode": "always"}, "allowSelfTrigger": True}
    updated = {"triggerEventType": "contact.updated"}
    quiet = published(
        cast, [node("a", "contact", change)], edges(), config={"enrolment": {"mode": "always"}}, **updated
    )
    person = contact(cast)
    cast.key.put(f"/contact/{person}", {"formData": {"name": "Bea"}})
    for _ in range(4):
        work()
    assert len(runs(cast, quiet)) == 1
    cast.key.delete(f"/workflow/{quiet}")
    loud = published(cast, [node("a", "contact", change)], edges(), config=always, **updated)
    cast.key.put(f"/contact/{person}", {"formData": {"name": "Cleo"}})
    for _ in range(12):
        work()
    assert len(runs(cast, loud)) == 6  # the first one, and a chain of five
    with cast.scope():
        assert Contact.objects.get(pk=person).name == "Cleo!!!!!!"


def test_a_deleted_record_ends_its_runs_and_a_merged_one_takes_them_along(cast: Cast) -> None:
    id = published(cast, [node("wait", "wait", WAIT), node("end", "note", {"notes": "x"})], edges("wait > end"))
    gone, loser = contact(cast), contact(cast, email="bob@example.org", number="1512345679")
    winner = contact(cast, email="cleo@example.org", number="1512345670")
    work()
    cast.key.delete("/contact", {"ids": [gone]})
    with cast.scope():
        Contact.objects.filter(pk=loser).update(is_deleted=True, merged_into=winner)
    with later(1):
        work()
    assert [(one.status, one.reason, one.contact_id) for one in runs(cast, id)] == [
        ("cancelled", "subjectDeleted", gone),
        ("completed", "end", winner),
        ("completed", "end", winner),
    ]


@pytest.mark.parametrize(("status", "reason"), [("unpublished", "unpublished"), ("paused", "workflowPaused")])
def test_runs_of_a_workflow_that_is_held_pause_together_too(cast: Cast, status: str, reason: str) -> None:
    id = published(cast, [node("wait", "wait", WAIT)], edges())
    contact(cast)
    work()
    cast.key.put(f"/workflow/{id}", {"status": status})
    assert [(one.status, one.reason) for one in runs(cast, id)] == [("paused", reason)]
    assert cast.key.post(f"/workflow/{id}/runs/pause").data == {"count": 1}
    cast.key.put(f"/workflow/{id}", {"status": "published"})
    assert [(one.status, one.reason) for one in runs(cast, id)] == [("paused", "paused")]
    assert cast.key.post(f"/workflow/{id}/runs/resume").data == {"count": 1}
    with later(1):
        work()
    assert [one.status for one in runs(cast, id)] == ["completed"]


def test_a_run_that_deletes_its_record_does_nothing_after_it(cast: Cast) -> None:
    nodes = [node("gone", "contact", {"action": "delete"}), node("note", "note", {"notes": "after"})]
    more, last = (published(cast, nodes[:number], edges(*["gone > note"][: number - 1])) for number in (2, 1))
    person = contact(cast)
    work()
    found = {(run.workflow_id, run.status, run.reason) for run in [*runs(cast, more), *runs(cast, last)]}
    assert (more, "cancelled", "subjectDeleted") in found
    (run,) = runs(cast, more)
    assert "note" not in [name for name, *_ in steps(cast, run)]
    answer = cast.key.post(f"/workflow/runs/{run.pk}/restart")
    assert (answer.status, "has been deleted" in answer.body["warning"]) == (400, True)
    assert cast.key.get(f"/contact/{person}").status != 200


def test_what_is_paused_together_is_settled_in_batches(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    id = published(cast, [node("wait", "wait", WAIT)], edges())
    for number in range(3):
        contact(cast, email=f"a{number}@example.org", number=f"151234567{number}")
    work()
    monkeypatch.setattr(completion, "BATCH", 1)
    cast.key.post(f"/workflow/{id}/unpublish")
    assert cast.key.post(f"/workflow/{id}/runs/pause").data == {"count": 3}
    cast.key.put(f"/workflow/{id}", {"status": "published"})
    for _ in range(20):
        completion.settle_some()
    assert not completion.has_unsettled()
    assert {(one.status, one.reason) for one in runs(cast, id)} == {("paused", "paused")}
    assert cast.key.post(f"/workflow/{id}/runs/resume").data == {"count": 3}
    work()
    assert {one.status for one in runs(cast, id)} == {"waiting"}
