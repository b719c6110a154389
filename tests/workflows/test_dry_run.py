"""POST /workflow/:id/test: what a draft would do, and that nothing of it stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from core.tenancy import unscoped
from crm.models import Contact
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, when
from workflows.nodes.registry import NODE_TYPES


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast]]:
    with kept_for_module(django_db_blocker):
        yield make_cast(), make_cast()


@pytest.fixture
def cast(house: tuple[Cast, Cast], db: None) -> Cast:
    return house[0]


def draft(cast: Cast, nodes: list[dict[str, Any]], lines: list[dict[str, Any]], **values: Any) -> str:
    body = {"name": "Draft", "triggerEventType": "contact.created", "nodes": nodes, "edges": lines, **values}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def tried(cast: Cast, id: str, **body: Any) -> Any:
    answer = cast.key.post(f"/workflow/{id}/test", body)
    assert answer.status == 200, answer.body
    return answer.data


def counts() -> dict[str, int]:
    """Return the number of rows of each table."""
    with unscoped(reason="test: all tables"), connection.cursor() as cursor:
        found = {}
        for model in apps.get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy and "request" not in model._meta.db_table:
                cursor.execute(f'SELECT count(*) FROM "{model._meta.db_table}"')
                found[model._meta.db_table] = cursor.fetchone()[0]
    return found


def test_a_draft_does_what_it_says_and_nothing_of_it_stays(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory()
    id = draft(
        cast,
        [
            node("if", "condition", {"filter": when("contact.email", "endsWith", "example.org")}),
            node("set", "contact", {"action": "update", "values": {"name": "{{ contact.name | upper }}"}}),
            node("tag", "tags", {"tags": [tag.pk]}),
            node("wait", "wait", {"for": {"amount": 2, "unit": "days"}}),
            node("lead", "lead", {"action": "create", "values": {"status": "new"}}),
            node("task", "followUp", {"title": "Call {{ contact.name }}"}),
            node("say", "note", {"notes": "{{ steps.if.result }} {{ trigger.payload.source }}"}),
        ],
        edges("if:true > set", "set > tag", "tag > wait", "wait > lead", "lead > task", "task > say"),
    )
    person = contact(cast)
    before = counts()
    found = tried(cast, id, subject={"panel": "contact", "_id": person}, trigger={"source": "fair"})
    assert counts() == before
    with cast.scope():
        assert Contact.objects.get(pk=person).name == "Ann Example"
    assert (found["status"], found["reason"], found["problems"]) == ("completed", "end", [])
    steps = {step["node"]: step for step in found["steps"]}
    assert [step["node"] for step in found["steps"]] == ["trigger", "if", "set", "tag", "wait", "lead", "task", "say"]
    assert {step["status"] for step in found["steps"]} == {"done"}
    assert (steps["if"]["handle"], steps["if"]["output"], steps["if"]["effect"]) == ("true", {"result": True}, None)
    assert steps["set"]["input"]["values"] == {"name": "ANN EXAMPLE"}
    assert steps["set"]["output"] == {"id": person, "changed": True}
    assert steps["set"]["effect"] == "Sets name “ANN EXAMPLE” of the contact of the run."
    assert steps["tag"]["effect"] == "Adds 1 tag to the contact of the run."
    assert (steps["wait"]["waits"], steps["wait"]["effect"]) == (172_800, None)
    # What a node would write, later ones see.
    assert steps["task"]["input"]["title"] == "Call ANN EXAMPLE"
    assert steps["say"]["input"]["notes"] == "true fair"


def test_pinned_outcomes_stand_for_nodes(cast: Cast) -> None:
    id = draft(
        cast,
        [
            node("if", "condition", {"filter": when("contact.name", "isNotEmpty")}),
            node("set", "contact", {"action": "update", "values": {"name": "x"}}, pinned={"output": {"id": "kept"}}),
            node("end", "set", {"values": {"who": "{{ steps.set.id }}"}}),
            node("never", "stop"),
        ],
        edges("if:false > set", "if:true > never", "set > end"),
    )
    assert cast.key.get(f"/workflow/{id}").data["nodes"][2]["data"]["pinned"] == {"output": {"id": "kept"}}
    # Files do not hold them: they may tell of people.
    assert "pinned" not in cast.key.get(f"/workflow/{id}/export").data["nodes"][2]["data"]
    found = tried(cast, id, pinned={"if": {"handle": "false", "output": {"result": False}}})
    assert [step["node"] for step in found["steps"]] == ["trigger", "if", "set", "end"]
    assert found["steps"][-1]["output"] == {"who": "kept"}
    assert (found["steps"][2]["effect"], found["steps"][2]["input"]) == (None, None)
    found = tried(cast, id, pinned={"set": {"output": {"id": "given"}}}, until="if")
    assert (found["status"], found["reason"], found["steps"][-1]["node"]) == ("stopped", "until", "if")


def test_a_wrong_draft_runs_until_it_comes_to_what_is_wrong(cast: Cast) -> None:
    nodes = [
        node("a", "set", {"values": {"a": 1}}),
        node("odd", "teleport"),
        node("bad", "note", {"notes": ""}),
        node("b", "set", {"values": {"a": 1}}),
    ]
    id = draft(cast, nodes, edges("a > odd", "odd > b", "a > bad"), triggerEventType="")
    found = tried(cast, id)
    assert (found["status"], found["reason"]) == ("failed", "error")
    assert [(step["node"], step["status"]) for step in found["steps"]] == [
        ("trigger", "done"),
        ("a", "done"),
        ("odd", "failed"),
    ]
    assert (found["steps"][-1]["type"], found["steps"][-1]["error"]["code"]) == ("teleport", "unknownType")
    assert {(one["code"], one["nodeId"]) for one in found["problems"]} >= {("unknownType", "odd"), ("badValue", "bad")}
    # What a service refuses fails the step, by its policy.
    policy = {"then": "branch", "retry": {"attempts": 5}}
    bad = node("bad", "contact", {"action": "update", "values": {"email": "no address"}}, onError=policy)
    lines = edges("bad:error > b")
    id = draft(cast, [bad, nodes[3]], lines)
    person = contact(cast)
    found = tried(cast, id, subject={"panel": "contact", "_id": person})
    assert [(one["node"], one["status"]) for one in found["steps"][1:]] == [("bad", "failed"), ("b", "done")]
    assert found["steps"][1]["effect"] is None
    circle = edges("b > a", "a > b")
    found = tried(cast, draft(cast, [nodes[0], nodes[3]], circle))
    assert (found["status"], found["reason"], found["steps"]) == ("failed", "invalid", [])


def test_it_ends_after_500_steps(cast: Cast) -> None:
    items = list(range(600))
    id = draft(
        cast,
        [node("loop", "loop", {"items": items, "cap": 1000}), node("a", "set", {"values": {"a": 1}})],
        edges("loop:item > a"),
    )
    found = tried(cast, id)
    assert (found["status"], found["reason"], len(found["steps"])) == ("stopped", "tooManySteps", 500)


def test_a_filter_that_would_not_let_it_start_is_a_warning(cast: Cast) -> None:
    config = {"filter": when("contact.name", "equals", "Nobody")}
    id = draft(cast, [node("a", "set", {"values": {"a": 1}})], edges(), config=config)
    found = tried(cast, id, subject={"panel": "contact", "_id": contact(cast)})
    assert (found["status"], [one["code"] for one in found["warnings"]]) == ("completed", ["notAdmitted"])
    config = {"changedFields": ["email"]}
    id = draft(
        cast, [node("a", "set", {"values": {"a": 1}})], edges(), config=config, triggerEventType="contact.updated"
    )
    told = [
        [(one["code"], one["path"]) for one in tried(cast, id, **body)["warnings"]]
        for body in ({}, {"trigger": {"changes": {"name": {}}}}, {"trigger": {"changes": {"email": {}}}})
    ]
    at = "config.changedFields"
    assert told == [[("changesUnknown", at)], [("notAdmitted", at)], []]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"until": "nowhere"}, "until"),
        ({"pinned": {"nowhere": {}}}, "pinned.nowhere"),
        ({"pinned": {"a": 5}}, "pinned.a"),
        ({"pinned": {"a": {"handle": "sideways"}}}, "pinned.a"),
        ({"pinned": {"a": {"code": "x"}}}, "pinned.a"),
        ({"subject": {"panel": "contact", "_id": "0" * 24}}, "subject._id"),
        ({"subject": {"panel": "deal", "_id": "0" * 24}}, "subject.panel"),
        ({"live": True}, "live"),
    ],
)
def test_what_there_is_not_is_refused(cast: Cast, body: dict[str, Any], named: str) -> None:
    id = draft(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    answer = cast.key.post(f"/workflow/{id}/test", body)
    assert (answer.status, named in answer.body["warning"]) == (400, True), answer.body


def test_an_older_version_runs_dry_as_it_was(cast: Cast) -> None:
    id = draft(cast, [node("old", "set", {"values": {"a": 1}})], edges())
    assert cast.key.post(f"/workflow/{id}/publish").status == 200
    body = {"nodes": [node("new", "set", {"values": {"a": 2}})], "edges": []}
    assert cast.key.put(f"/workflow/{id}", body).status == 200
    asked: list[dict[str, Any]] = [{"version": 1}, {}]
    assert [tried(cast, id, **one)["steps"][-1]["node"] for one in asked] == ["old", "new"]
    refused = cast.key.post(f"/workflow/{id}/test", {"version": 2})
    assert (refused.status, "version 2" in refused.body["warning"]) == (404, True)


def test_other_companies_records_and_workflows_are_missing(cast: Cast, house: tuple[Cast, Cast]) -> None:
    id = draft(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    person = contact(house[1], email="other@example.org", number="1512345670")
    answer = cast.key.post(f"/workflow/{id}/test", {"subject": {"panel": "contact", "_id": person}})
    assert (answer.status, "subject._id" in answer.body["warning"]) == (400, True)
    assert house[1].key.post(f"/workflow/{id}/test", {}).status == 404


SAID = [
    ("mail", {"subject": "Hi Ann", "body": "x"}, "Writes an email to the contact of the run: “Hi Ann”."),
    (
        "genie",
        {"prompt": "Invite", "to": "a@b.example", "draft": True},
        "Writes an email to “a@b.example”: written by the AI app: “Invite”. The email waits for approval.",
    ),
    ("chat", {"to": ""}, "Sends an approved chat template to the contact of the run."),
    ("campaign", {"campaign": "0" * 24}, "Adds the contact of the run to the campaign (deleted)."),
    (
        "segment",
        {"segment": "0" * 24, "action": "remove"},
        "Removes the record of the run from the segment (deleted).",
    ),
    ("approval", {"members": ["1", "2"], "roles": ["3"], "text": "Go?"}, "Asks 2 members and 1 role: “Go?”"),
    ("http", {"method": "POST", "url": "https://a.example/x"}, "Calls POST https://a.example/x."),
    ("ai", {"task": "Sort it"}, "Asks the AI model: “Sort it”"),
    ("meeting", {"title": "Demo", "startsAt": "2031-01-01"}, "Creates a meeting: “Demo”, 2031-01-01."),
    ("call", {"direction": "inbound", "outcome": "connected"}, "Logs an incoming call: connected."),
    ("find", {"panel": "lead", "limit": 5}, "Looks for up to 5 leads."),
]


def test_each_node_says_what_it_would_do(cast: Cast) -> None:
    with cast.scope():
        assert [NODE_TYPES[type].effect_of(settings) for type, settings, _ in SAID] == [words for *_, words in SAID]
    acting = [one for one in NODE_TYPES.values() if one.group not in ("trigger", "logic")]
    assert [one.type for one in acting if one.effect is None] == []
