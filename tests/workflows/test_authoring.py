"""What authors ask of a workflow: what a node may refer to, what versions differ in, templates to begin with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, steps, when, work
from workflows.definitions.starters import templates


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast]]:
    with kept_for_module(django_db_blocker):
        yield make_cast(permission={"workflow": {"GET": True}}), make_cast()


@pytest.fixture
def cast(house: tuple[Cast, Cast], db: None) -> Cast:
    return house[0]


LOOP = [
    node("if", "condition", {"filter": when("contact.name", "isNotEmpty")}),
    node("set", "set", {"values": {"names": ["x", "y"], "greeting": "Hello"}}),
    node("loop", "loop", {"items": "{{ vars.names }}"}),
    node("inside", "set", {"values": {"last": "{{ loop.item }}"}}),
    node("after", "set", {"values": {"done": True}}),
]
LINES = edges("if:true > set", "if:false > after", "set > loop", "loop:item > inside", "loop:done > after")


def test_references_are_what_comes_before_with_examples(cast: Cast, house: tuple[Cast, Cast]) -> None:
    contact(house[1], name="Other Company", email="other@example.org", number="1512345670")
    id = published(cast, LOOP, LINES)
    contact(cast)
    work()

    def at(place: str) -> dict[str, dict[str, Any]]:
        answer = cast.session.get(f"/workflow/{id}/references", node=place)
        assert answer.status == 200, answer.body
        return {one["path"]: one for one in answer.data["references"]}

    inside, after = at("inside"), at("after")
    assert inside["contact.name"] == {"path": "contact.name", "type": "text", "sample": "Ann Example", "always": True}
    assert (inside["lead.value"]["always"], inside["contact.createdAt"]["type"]) == (False, "date")
    assert inside["steps.if.result"] == {"path": "steps.if.result", "type": "boolean", "sample": True, "always": True}
    assert inside["vars.greeting"] == {"path": "vars.greeting", "type": "text", "sample": "Hello", "always": True}
    assert (after["vars.greeting"]["always"], "vars.done" in after) == (False, False)
    assert ("loop.item" in inside, "loop.item" in after) == (True, False)
    assert inside["trigger.objectId"]["type"] == "id"
    assert {"trigger.kind", "run._id", "company.name", "now"} <= inside.keys()
    # Examples come only of what the role shows.
    shown = cast.narrow_session.get(f"/workflow/{id}/references", node="inside").data["references"]
    assert {one["sample"] for one in shown if one["path"].startswith("contact.")} == {None}
    for bad in ({"node": "nowhere"}, {}):
        answer = cast.key.get(f"/workflow/{id}/references", **bad)
        assert (answer.status, "node" in answer.body["warning"]) == (400, True)
    assert house[1].key.get(f"/workflow/{id}/references", node="inside").status == 404


def test_versions_are_compared_by_sense(cast: Cast, house: tuple[Cast, Cast]) -> None:
    id = published(cast, LOOP, LINES)
    moved = [{**one, "position": {"x": 900, "y": 9}} for one in LOOP[:4]]
    moved[1] = node("set", "set", {"values": {"names": ["x"], "greeting": "Hello"}}, label="Names")
    moved.append(node("new", "stop", label="End"))
    lines = [*LINES[:1], *edges("loop:item > inside", "set > loop", "loop:done > new")]
    config = {"priority": 1, "enrolment": {"mode": "once"}}
    cast.key.put(f"/workflow/{id}", {"nodes": moved, "edges": lines, "config": config})
    answer = cast.key.get(f"/workflow/{id}/versions/diff", a="1", b="draft")
    assert answer.status == 200, answer.body
    assert answer.data["added"] == [{"node": "new", "label": "End", "type": "stop"}]
    assert [one["node"] for one in answer.data["removed"]] == ["after"]
    assert answer.data["changed"] == [
        {
            "node": "set",
            "label": "Names",
            "type": "set",
            "changes": [
                {"path": "config.values.names", "before": ["x", "y"], "after": ["x"]},
                {"path": "label", "before": None, "after": "Names"},
            ],
        }
    ]
    ways = {name: [(e["source"], e["target"]) for e in found] for name, found in answer.data["edges"].items()}
    assert ways["added"] == [("loop", "new")]
    assert set(ways["removed"]) == {("if", "after"), ("loop", "after")}
    assert answer.data["settings"] == [
        {"path": "config.priority", "before": None, "after": 1},
        {"path": "config.enrolment", "before": None, "after": {"mode": "once"}},
    ]
    same = cast.key.get(f"/workflow/{id}/versions/diff", a="1", b="1").data
    assert same == {"added": [], "removed": [], "changed": [], "edges": {"added": [], "removed": []}, "settings": []}
    statuses = [cast.key.get(f"/workflow/{id}/versions/diff", **bad).status for bad in ({"a": "9", "b": "1"}, {})]
    assert statuses == [404, 400]
    assert house[1].key.get(f"/workflow/{id}/versions/diff", a="1", b="draft").status == 404


def later(hours: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(hours=hours, seconds=1), tick=False)


HOUR = {"for": {"amount": 1, "unit": "hours"}}


def waiting(cast: Cast) -> tuple[str, str]:
    """Publish a workflow and let two runs wait, one of them at a node that goes. Returns workflow and contact."""
    nodes = [
        node("if", "condition", {"filter": when("contact.name", "equals", "Ann")}),
        node("stays", "wait", HOUR),
        node("goes", "wait", HOUR),
        node("end", "set", {"values": {"version": 1}}),
    ]
    id = published(cast, nodes, edges("if:true > stays", "if:false > goes", "stays > end", "goes > end"))
    person = contact(cast, name="Ann")
    contact(cast, name="Bob", email="bob@example.org", number="1512345679")
    work()
    assert [run.status for run in runs(cast, id)] == ["waiting", "waiting"]
    again = [*nodes[:2], node("goes", "note", {"notes": "now"}), node("end", "set", {"values": {"version": 2}})]
    answer = cast.key.put(f"/workflow/{id}", {"nodes": again, "edges": edges("if:true > stays", "stays > end")})
    assert answer.status == 200, answer.body
    return id, person


def test_a_new_version_takes_the_runs_that_fit_it(cast: Cast) -> None:
    id, person = waiting(cast)
    answer = cast.key.post(f"/workflow/{id}/publish", {"dryRun": True})
    assert (answer.status, answer.data["runs"]) == (200, {"keep": 2, "move": 1, "cancel": 2})
    assert answer.data["version"] == 1
    answer = cast.key.post(f"/workflow/{id}/publish", {"runs": "move"})
    assert (answer.data["version"], answer.data["runs"]) == (2, {"keep": 1, "move": 1, "cancel": 0})
    # Repeating it finds nothing more to move.
    assert cast.key.post(f"/workflow/{id}/publish", {"runs": "move"}).data["runs"] == {
        "keep": 1,
        "move": 0,
        "cancel": 0,
    }
    with later(1):
        work()
    found = {run.contact_id == person: run for run in runs(cast, id)}
    assert [run.status for run in found.values()] == ["completed", "completed"]
    assert (found[True].state["vars"], found[False].state["vars"]) == ({"version": 2}, {"version": 1})
    assert [name for name, *_ in steps(cast, found[True])] == ["trigger", "if", "stays", "end"]


def test_a_new_version_may_end_the_runs_of_older_ones(cast: Cast) -> None:
    id, _ = waiting(cast)
    answer = cast.key.post(f"/workflow/{id}/publish", {"runs": "cancel"})
    assert answer.data["runs"] == {"keep": 0, "move": 0, "cancel": 2}
    assert [(run.status, run.reason) for run in runs(cast, id)] == [("cancelled", "replaced")] * 2
    assert cast.key.post(f"/workflow/{id}/publish", {"runs": "drop"}).status == 400


@pytest.mark.parametrize("key", sorted(templates()))
def test_a_template_makes_a_draft_that_can_be_published(cast: Cast, key: str) -> None:
    with cast.scope():
        SmtpFactory()
    answer = cast.key.post("/workflow", {"template": key})
    assert answer.status == 201, answer.body
    draft = answer.data
    assert (draft["name"], draft["validation"]) == (templates()[key]["name"], {"errors": [], "warnings": []})
    assert "@me" not in json.dumps(draft)
    assert cast.key.post(f"/workflow/{draft['_id']}/publish").status == 200


def test_seven_templates_send_emails_and_say_so_in_a_line() -> None:
    mailing = [one for one in templates().values() if any(node["type"] == "mail" for node in one["nodes"])]
    assert len(mailing) >= 7
    assert all(len(one["description"]) <= 80 for one in mailing)


def test_templates_are_told_and_may_be_changed_on_the_way(cast: Cast) -> None:
    told = cast.session.get("/workflow/templates").data["templates"]
    assert [one["key"] for one in told] == sorted(templates())
    assert all(one["name"] and one["description"] and one["nodes"] for one in told)
    answer = cast.session.post("/workflow", {"template": "reply", "name": "Mine", "config": {"priority": 1}})
    assert (answer.data["name"], answer.data["config"]) == ("Mine", {"priority": 1})
    answer = cast.key.post("/workflow", {"template": "../settings"})
    assert (answer.status, "template" in answer.body["warning"]) == (400, True)
    answer = cast.key.post("/workflow", {})
    assert (answer.status, "name" in answer.body["warning"]) == (400, True)


@pytest.mark.parametrize(("status", "told"), [("new", 2), ("contacted", 1)])
def test_a_large_lead_is_told_of_again_only_while_it_is_new(cast: Cast, status: str, told: int) -> None:
    id = cast.key.post("/workflow", {"template": "hot-lead"}).data["_id"]
    lead = cast.key.post("/lead", {"contact": contact(cast), "formData": {"value": 20_000, "status": status}})
    body = {"subject": {"panel": "lead", "_id": lead.data["_id"]}}
    found = cast.key.post(f"/workflow/{id}/test", body).data
    assert (found["status"], found["warnings"]) == ("completed", [])
    assert [one["type"] for one in found["steps"]].count("notify") == told
