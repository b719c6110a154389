"""The permissions to read that a workflow needs: for variables of other runs, for audiences, and for enrolment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.definitions.rechecks import pause_disallowed
from workflows.triggers.enrolment import call_hook

WORKFLOWS = {"GET": True, "POST": True, "PUT": True, "DELETE": True}
HOOK = {"url": "https://example.org/hook"}
DAY = {"amount": 1, "unit": "days"}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast(permission={"workflow": WORKFLOWS})


def permit(cast: Cast, *modules: str) -> None:
    """Let the narrow role read the modules beside its workflows, and none of the others."""
    others = ("contact", "lead", "segment", "company")
    permission = {"workflow": WORKFLOWS, **{name: {"GET": name in modules} for name in others}}
    assert cast.key.put(f"/role/{cast.narrow.role_id}", {"permission": permission}).status == 200


def draft(cast: Cast, nodes: list[Any], lines: list[Any] | None = None, **values: Any) -> str:
    body = {"name": "Draft", "triggerEventType": "manual", "nodes": nodes, "edges": lines or [], **values}
    answer = cast.narrow_session.post("/workflow", body)
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def lacks(cast: Cast, id: str) -> set[tuple[str, str, str]]:
    """Return the (node, path, permission) for which the narrow role cannot publish the workflow; none: it can."""
    answer = cast.narrow_session.post(f"/workflow/{id}/publish")
    if answer.status == 200:
        return set()
    assert answer.status == 400, answer.body
    errors = answer.body["errors"]
    assert {error["code"] for error in errors} == {"notAllowed"}
    return {(error["nodeId"] or "", error["path"], error["message"].split()[-1]) for error in errors}


def child(cast: Cast) -> str:
    values = {"phone": "{{ contact.number }}"}
    return published(cast, [node("keep", "set", {"values": values})], [], name="Child", triggerEventType="manual")


READERS = [
    node("read", "set", {"values": {"a": "{{ steps.run.vars.phone }}"}}),
    node("read", "set", {"values": {"a": "{{ steps.run }}"}}),
    node("read", "set", {"values": {"a": "{{ steps | json }}"}}),
    node("read", "http", {**HOOK, "body": {"all": "{{ steps.run.vars | json }}"}}),
    node("read", "condition", {"filter": when("steps.run.vars.phone", "startsWith", "151")}),
    node("read", "loop", {"items": "{{ steps.run.vars.list }}"}),
]


@pytest.mark.parametrize("reader", READERS)
def test_variables_of_another_run_are_for_who_may_read_contacts_and_leads(cast: Cast, reader: dict[str, Any]) -> None:
    nodes = [node("run", "workflow", {"workflow": child(cast)}), reader]
    id = draft(cast, nodes, edges("run > read"))
    both = {("read", "", "contact.GET"), ("read", "", "lead.GET")}
    assert lacks(cast, id) == both
    assert cast.narrow_session.post(f"/workflow/{id}/test", {}).status == 403
    permit(cast, "contact")
    assert lacks(cast, id) == {("read", "", "lead.GET")}
    permit(cast, "contact", "lead")
    assert lacks(cast, id) == set()


def test_a_goal_reads_no_variables_of_another_run_either(cast: Cast) -> None:
    goal = {"goal": {"filter": when("steps.run.vars.phone", "isNotEmpty")}}
    id = draft(cast, [node("run", "workflow", {"workflow": child(cast)})], config=goal)
    assert lacks(cast, id) == {("", "config", "contact.GET"), ("", "config", "lead.GET")}


def test_who_reads_no_variables_may_run_other_workflows(cast: Cast) -> None:
    nodes = [
        node("run", "workflow", {"workflow": child(cast)}),
        node("read", "set", {"values": {"a": "{{ steps.run.status }}", "b": "{{ steps.run.run }}"}}),
    ]
    assert lacks(cast, draft(cast, nodes, edges("run > read"))) == set()


def test_a_workflow_that_reads_variables_is_paused_when_its_publisher_may_read_no_leads(cast: Cast) -> None:
    permit(cast, "contact", "lead")
    id = draft(cast, [node("run", "workflow", {"workflow": child(cast)}), READERS[0]], edges("run > read"))
    assert lacks(cast, id) == set()
    permit(cast, "contact")
    with unscoped(reason="test: the worker of periodic tasks"):
        pause_disallowed()
    assert cast.key.get(f"/workflow/{id}").data["status"] == "paused"


SOON = (timezone.now() + timedelta(days=20)).isoformat()
OF_LEADS = {"panel": "lead", "filter": when("status", "equals", "new")}
OF_CONTACTS = {"panel": "contact", "filter": when("name", "startsWith", "A")}


@pytest.mark.parametrize(
    ("schedule", "panel"),
    [
        ({"type": "dates", "at": [SOON], "audience": OF_LEADS}, "lead"),
        ({"type": "cron", "cron": "0 9 * * 1", "audience": OF_CONTACTS}, "contact"),
        ({"type": "interval", "every": DAY, "audience": {"filter": when("email", "isNotEmpty")}}, "contact"),
        ({"type": "field", "field": {"panel": "lead", "name": "updatedAt", "offset": 2}}, "lead"),
        ({"type": "field", "field": {"name": "createdAt"}, "audience": OF_CONTACTS}, "contact"),
    ],
)
def test_an_audience_is_for_who_may_read_its_records(cast: Cast, schedule: dict[str, Any], panel: str) -> None:
    id = draft(cast, [node("call", "http", HOOK)], triggerEventType="schedule", schedule=schedule)
    assert lacks(cast, id) == {("", "schedule", f"{panel}.GET")}
    permit(cast, panel)
    assert lacks(cast, id) == set()
    permit(cast)
    with unscoped(reason="test: the worker of periodic tasks"):
        pause_disallowed()
    assert cast.key.get(f"/workflow/{id}").data["status"] == "paused"


def test_a_schedule_without_records_needs_no_permission_to_read_them(cast: Cast) -> None:
    plain = {"type": "cron", "cron": "30 7 * * *"}
    id = draft(cast, [node("call", "http", HOOK)], triggerEventType="schedule", schedule=plain)
    assert lacks(cast, id) == set()
    # The settings of a schedule start nothing where an event does.
    unused = {**plain, "audience": OF_LEADS}
    assert lacks(cast, draft(cast, [node("call", "http", HOOK)], schedule=unused)) == set()


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_a_segment_starts_runs_for_who_may_read_its_records(cast: Cast, panel: str) -> None:
    filters = {"advancedFilters": when("createdAt", "isNotEmpty")}
    segment = cast.key.post("/segment", {"name": "S", "panel": panel, **filters})
    assert segment.status == 201, segment.body
    config = {"segment": segment.data["_id"]}
    id = draft(cast, [node("call", "http", HOOK)], triggerEventType="segment.left", config=config)
    permit(cast, "segment")
    assert lacks(cast, id) == {("", "config", f"{panel}.GET")}
    permit(cast, "segment", panel)
    assert lacks(cast, id) == set()


def test_segments_are_waited_for_by_who_may_read_their_records(cast: Cast) -> None:
    permit(cast, "segment", "lead")
    wait = node("wait", "waitFor", {"event": "segment.entered", "timeout": DAY})
    assert lacks(cast, draft(cast, [wait])) == {("wait", "", "contact.GET")}
    ending = {"exit": {"events": ["segment.left"]}}
    assert lacks(cast, draft(cast, [node("call", "http", HOOK)], config=ending)) == {("", "config", "contact.GET")}


def test_records_are_enrolled_by_who_may_read_them(cast: Cast) -> None:
    id = draft(cast, [node("note", "set", {"values": {"a": 1}})])
    assert lacks(cast, id) == set()
    person = contact(cast, name="Zoe", email="zoe@example.org")
    place = f"/workflow/{id}/enrol"
    filters = {"filters": {"email": "zoe@example.org"}}
    for body, params in (
        ({"ids": [person], "panel": "contact"}, {}),
        ({"selectAll": True, "panel": "contact"}, filters),
        ({"selectAll": True, "panel": "lead"}, {}),
    ):
        refused = cast.narrow_session.call("POST", place, body, params)
        assert refused.status == 403, refused.body
        assert f"{body['panel']}.GET" in refused.body["warning"]
    assert runs(cast, id) == []
    assert cast.narrow_session.post(place, {"withoutRecord": True}).status == 201
    permit(cast, "contact")
    assert cast.narrow_session.post(place, {"ids": [person], "panel": "contact"}).data["startedCount"] == 1
    work()
    assert {run.contact_id for run in runs(cast, id)} == {None, person}


def parent(cast: Cast, callee: str, given: dict[str, Any], **values: Any) -> str:
    """Publish a workflow of the owner that gives the input to another one."""
    nodes = [node("run", "workflow", {"workflow": callee, "input": given})]
    return published(cast, nodes, [], **{"name": "Parent", "triggerEventType": "manual", **values})


def taker(cast: Cast) -> str:
    """Publish a workflow, in the name of the narrow role, that keeps its input."""
    id = draft(cast, [node("take", "set", {"values": {"taken": "{{ trigger.input.n }}"}})], name="Taker")
    assert lacks(cast, id) == set()
    return id


def only_run(cast: Cast, id: str) -> Any:
    """Let runs move, and return the one of the workflow."""
    for _ in range(4):
        work()
    (run,) = runs(cast, id)
    return run


def enrol(cast: Cast, id: str, **values: Any) -> None:
    answer = cast.key.post(f"/workflow/{id}/enrol", values)
    assert (answer.status, answer.data["startedCount"]) == (201, 1), answer.body


def test_an_input_is_not_given_to_who_may_not_read_what_it_may_hold(cast: Cast) -> None:
    callee = taker(cast)
    id = parent(cast, callee, {"n": "{{ contact.number }}"})
    enrol(cast, id, panel="contact", ids=[contact(cast)])
    run = only_run(cast, id)
    assert (run.status, run.error_code, run.error_node) == ("failed", "notAllowed", "run")
    assert "contact.GET" in run.error
    assert runs(cast, callee) == []
    # Once it is published by somebody who may read contacts, it gets the input.
    permit(cast, "contact")
    assert cast.key.post(f"/workflow/runs/{run.pk}/restart", {"from": "failed"}).status == 200
    assert only_run(cast, id).status == "completed"
    assert only_run(cast, callee).state["vars"] == {"taken": "1512345678"}


def test_an_input_is_not_passed_on_to_who_may_not_read_it(cast: Cast) -> None:
    callee = taker(cast)
    between = parent(cast, callee, {"n": "{{ trigger.input.m }}"}, name="Between")
    id = parent(cast, between, {"m": "{{ contact.number }}"})
    enrol(cast, id, panel="contact", ids=[contact(cast)])
    assert only_run(cast, id).status == "completed"
    assert only_run(cast, between).error_code == "notAllowed"
    assert runs(cast, callee) == []


def test_an_input_of_no_record_is_given_to_everybody(cast: Cast) -> None:
    callee = taker(cast)
    for number, given in enumerate(({"n": 7}, {"n": "{{ trigger.input.x }}"}), 1):
        id = parent(cast, callee, given, name=f"Parent {number}")
        enrol(cast, id, withoutRecord=True, input={"x": 7})
        assert only_run(cast, id).status == "completed"
        assert [run.state["vars"] for run in runs(cast, callee)] == [{"taken": 7}] * number


def samples(cast: Cast, id: str, place: str) -> str:
    answer = cast.narrow_session.get(f"/workflow/{id}/references", node=place)
    assert answer.status == 200, answer.body
    return str([reference["sample"] for reference in answer.data["references"]])


def test_examples_of_runs_are_for_who_may_read_contacts_and_leads(cast: Cast) -> None:
    find = node("find", "find", {"filter": when("name", "isNotEmpty"), "fields": ["number"]})
    nodes = [find, node("end", "set", {"values": {"a": 1}})]
    id = published(cast, nodes, edges("find:found > end"), triggerEventType="webhook")
    contact(cast)
    hook = cast.key.get(f"/workflow/{id}").data["hookPath"]
    call_hook(hook.rpartition("/")[2], {"street": "Quay Street"})
    only_run(cast, id)
    for modules, is_shown in (((), False), (("lead",), False), (("contact", "lead"), True)):
        permit(cast, *modules)
        shown = samples(cast, id, "end")
        assert ("1512345678" in shown, "Quay Street" in shown) == (is_shown, is_shown)


def test_examples_of_events_are_for_who_may_read_them(cast: Cast) -> None:
    contact(cast, name="Zoe Sample")
    id = draft(cast, [node("end", "set", {"values": {"a": 1}})], triggerEventType="contact.created")
    for modules in ((), ("lead",)):
        permit(cast, *modules)
        assert "Zoe" not in samples(cast, id, "end")
    permit(cast, "contact")
    assert "Zoe" in samples(cast, id, "end")
