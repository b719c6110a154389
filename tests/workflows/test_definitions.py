"""/workflow: drafts, their validation, versions, names and copies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from outreach.messaging.email_templates.compiler import Compiled as CompiledMail
from outreach.messaging.email_templates.compiler import compile_body
from outreach.messaging.email_templates.rendering import render
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import edges, node, published, when
from workflows.expressions import BadExpression, compile_value
from workflows.expressions.compile import MAX_PARTS, references


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast]]:
    with kept_for_module(django_db_blocker):
        yield make_cast(), make_cast()


@pytest.fixture
def cast(house: tuple[Cast, Cast], db: None) -> Cast:
    return house[0]


def test_names_get_suffixes(cast: Cast) -> None:
    names = [cast.session.post("/workflow", {"name": name}).data["name"] for name in ("Hi", "hi", "HI", "Hi (2)")]
    assert names == ["Hi", "hi (2)", "HI (3)", "Hi (2) (2)"]
    long = "x" * 200
    assert [len(cast.key.post("/workflow", {"name": long}).data["name"]) for _ in range(2)] == [200, 196]
    id = cast.key.post("/workflow", {"name": "Other"}).data["_id"]
    assert cast.key.put(f"/workflow/{id}", {"name": "hi"}).data["name"] == "hi (4)"
    assert cast.key.put(f"/workflow/{id}", {"name": "hi (4)"}).data["name"] == "hi (4)"


def test_a_draft_may_be_wrong_and_a_version_may_not(cast: Cast, house: tuple[Cast, Cast]) -> None:
    with house[1].scope():
        foreign = TagFactory()
    nodes = [
        node("if", "condition", {"filter": when("contact.nothing", "equals", "x")}),
        node("tag", "tags", {"tags": [foreign.pk]}),
        node("set", "set", {"values": {"a": "{{ steps.note.id }}", "b": "{{ contact.name | shout }}"}}),
        node("note", "note", {"notes": "", "colour": "red"}),
        node("odd", "teleport"),
    ]
    lines = edges("if:true > tag", "if:maybe > set", "tag > set", "set > note", "note > tag", "note > lost")
    body = {"name": "Wrong", "triggerEventType": "contact.exploded", "nodes": nodes, "edges": lines}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    id, found = answer.data["_id"], answer.data["validation"]["errors"]
    assert {(one["code"], one["nodeId"]) for one in found} >= {
        ("unknownEvent", None),
        ("unknownType", "odd"),
        ("unknownFilter", "set"),
        ("unknownField", "note"),
        ("badValue", "note"),
        ("unknownHandle", None),
        ("danglingEdge", None),
    }
    answer = cast.key.post(f"/workflow/{id}/publish")
    assert answer.status == 400
    assert [one["code"] for one in answer.body["errors"]] == [one["code"] for one in found]
    assert "odd" in answer.body["warning"]
    # What stands alone is well, and what the company lacks comes to light.
    answer = cast.key.put(f"/workflow/{id}", {"nodes": nodes[:3][:2], "edges": lines[:1]})
    codes = {one["code"] for one in answer.data["validation"]["errors"]}
    assert codes == {"unknownEvent", "unknownField", "tagMissing"}
    circle = [node("a", "set", {"values": {"a": 1}}), node("b", "set", {"values": {"a": 1}})]
    answer = cast.key.put(f"/workflow/{id}", {"nodes": circle, "edges": edges("a > b", "b > a")})
    assert {one["nodeId"] for one in answer.data["validation"]["errors"] if one["code"] == "cycle"} == {"a", "b"}


def test_all_that_is_wrong_is_told_at_once(cast: Cast) -> None:
    id = cast.key.post("/workflow", {"name": "All"}).data["_id"]
    gone = "a" * 24
    nodes = [
        node("odd", "teleport"),
        node("tag", "tags", {"tags": [gone]}),
        node("set", "set", {"values": {name: f"{{{{ steps.{name}.id }}}}" for name in ("later", "odd", "no")}}),
        node("wait", "wait", {"for": {"amount": 401, "unit": "days"}}),
        node("http", "http", {"url": "http://192.168.0.1/x"}),
        node("self", "workflow", {"workflow": id}),
        node("follow", "followUp", {"title": "x"}),
        node("later", "note", {"notes": "{{ now | dateAdd: 1, 'fortnights' }}"}),
    ]
    ids = [one["id"] for one in nodes]
    lines = edges(*(f"{one} > {after}" for one, after in pairwise(ids)))
    fields = ["email", "tags", "colour"]
    config = {"changedFields": fields, "segment": gone, "filter": when("contact.zork", "equals", 1)}
    body = {"triggerEventType": "contact.updated", "config": config, "nodes": nodes, "edges": lines}
    told = cast.key.put(f"/workflow/{id}", body).data["validation"]
    assert {(one["code"], one["nodeId"], one["path"]) for one in told["errors"]} == {
        ("unknownType", "odd", "type"),
        ("tagMissing", "tag", "config.tags"),
        ("unknownReference", "set", "steps.no.id"),
        ("unknownReference", "set", "steps.later.id"),
        ("recursion", "self", "config.workflow"),
        ("tooLong", "wait", "config.for"),
        ("privateUrl", "http", "config.url"),
        ("workflowMissing", "self", "config.workflow"),
        ("badValue", "later", "config.notes"),
        ("unknownField", None, "config.changedFields"),
        ("unknownField", None, "config.filter"),
    }
    assert ("unused", "config.segment") in {(one["code"], one["path"]) for one in told["warnings"]}
    assert not [one for one in told["errors"] if one["message"].startswith(one["path"])]


def test_a_workflow_that_runs_itself_is_told_before_it_is_published(cast: Cast) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    told = cast.key.put(f"/workflow/{id}", {"nodes": [node("self", "workflow", {"workflow": id})], "edges": []})
    assert [one["code"] for one in told.data["validation"]["errors"]] == ["recursion"]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"triggerEventType": "contact.created", "config": {"changedFields": ["email"]}}, "unused"),
        ({"triggerEventType": "manual", "config": {"filter": when("contact.name", "equals", "x")}}, "unused"),
        ({"nodes": [node("a", "contact", {"action": "upsert", "values": {"name": "x"}})]}, "noKey"),
        ({"nodes": [node("a", "followUp", {"title": "x"})]}, "noLead"),
        (
            {
                "triggerEventType": "schedule",
                "schedule": {"type": "dates", "at": ["2020-01-01T00:00:00Z"]},
            },
            "neverFires",
        ),
    ],
)
def test_what_is_probably_not_meant_is_a_warning(cast: Cast, values: dict[str, Any], code: str) -> None:
    nodes = [node("a", "set", {"values": {"a": 1}})]
    told = cast.key.post("/workflow", {"name": "W", "triggerEventType": "contact.created", "nodes": nodes, **values})
    found = told.data["validation"]
    assert ([one["code"] for one in found["warnings"]], found["errors"]) == ([code], [])


def test_a_loop_keeps_its_items_to_itself(cast: Cast) -> None:
    nodes = [
        node("loop", "loop", {"items": "{{ trigger.payload.names }}"}),
        node("in", "set", {"values": {"a": 1}}),
        node("after", "set", {"values": {"a": 1}}),
    ]
    lines = edges("loop:item > in", "loop:done > after", "after > in")
    answer = cast.key.post("/workflow", {"name": "L", "triggerEventType": "manual", "nodes": nodes, "edges": lines})
    assert ("leavesLoop", "in") in {(one["code"], one["nodeId"]) for one in answer.data["validation"]["errors"]}


def test_versions_are_numbered_kept_and_restored(cast: Cast) -> None:
    first = [node("a", "set", {"values": {"a": 1}})]
    id = published(cast, first, edges())
    assert cast.key.post(f"/workflow/{id}/publish").data["version"] == 1  # nothing has changed
    answer = cast.key.put(f"/workflow/{id}", {"nodes": [node("b", "set", {"values": {"b": 1}})], "edges": []})
    assert (answer.data["version"], answer.data["hasChanges"], answer.data["status"]) == (1, True, "published")
    assert cast.key.post(f"/workflow/{id}/publish").data["version"] == 2
    assert [row["number"] for row in cast.key.get(f"/workflow/{id}/versions", p=1, n=10).body["data"]] == [2, 1]
    graph = cast.key.get(f"/workflow/{id}/versions/1").data["graph"]
    assert [one["id"] for one in graph["nodes"]] == ["trigger", "a"]
    answer = cast.key.post(f"/workflow/{id}/versions/1/restore")
    assert (answer.data["nodes"], answer.data["hasChanges"]) == (graph["nodes"], True)
    assert [cast.key.get(f"/workflow/{id}/versions/{bad}").status for bad in ("9", "x", "-1")] == [404, 404, 404]


def test_copies(cast: Cast) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges())
    copy = cast.key.post(f"/workflow/{id}/duplicate").data
    assert (copy["name"], copy["status"], copy["version"]) == ("Welcome (2)", "unpublished", None)
    file = cast.key.get(f"/workflow/{id}/export").data
    again = cast.key.post("/workflow/import", file)
    assert (again.status, again.data["name"], again.data["nodes"]) == (201, "Welcome (3)", copy["nodes"])
    assert cast.key.post("/workflow/import", {**file, "format": "n8n"}).status == 400


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"status": "running"}, "status"),
        ({"status": "paused"}, "status"),
        ({"nodes": [{"id": "a b"}]}, "nodes[0].id"),
        ({"nodes": [{"id": "a"}, {"id": "a"}]}, "twice"),
        ({"nodes": ["x"]}, "nodes[0]"),
        ({"nodes": [{"id": "a", "data": {"x": "y" * 40_000}}]}, "nodes[0].data"),
        ({"nodes": [{"id": f"n{n}"} for n in range(201)]}, "nodes"),
        ({"edges": [{"source": "a"}]}, "edges[0].target"),
        ({"config": {"x": "y" * 70_000}}, "config"),
        ({"unchangedSince": "2020-01-01T00:00:00.000Z", "name": "x"}, "unchangedSince"),
    ],
)
def test_what_is_no_workflow_is_refused(cast: Cast, body: dict[str, Any], named: str) -> None:
    id = cast.key.post("/workflow", {"name": "W"}).data["_id"]
    answer = cast.key.put(f"/workflow/{id}", body)
    assert answer.status in (400, 409)
    assert named in answer.body["warning"]


def test_the_catalogue_describes_all_node_types(cast: Cast) -> None:
    data = cast.key.get("/workflow/catalogue").data
    found = {one["type"]: one for one in data["nodes"]}
    assert found["wait"]["schema"]["properties"]["for"]
    assert found["condition"]["handles"] == ["true", "false"]
    assert found["mail"]["handles"] == ["out", "suppressed"]
    assert {"kind": "contact.created", "label": "A contact is created"} in data["triggers"]


SCOPE = {"contact": {"name": "Ann Example", "tags": ["a", "b"]}, "vars": {"n": 2}}


def test_hostile_texts_cost_no_more_than_their_length() -> None:
    assert list(references("{" * 5_000_000)) == []
    assert list(references("{{ a }}" * 2 + "{{ b")) == [(0, 7), (7, 14)]
    assert len(list(references("{{" * 2_000 + "}}" * 2_000))) == 0  # the first reference is too long
    for text in ("{{" * 2_000_000, "{{ now }}" * (MAX_PARTS + 1)):
        with pytest.raises(BadExpression):
            compile_value(text)
    blanks = " " * 1_000_000
    assert render("S", CompiledMail("", f"a{blanks}b{{{{ x }}}} {{{{ x }}}}", ()), (), {"x": "1"}).text.endswith("b1 1")
    compile_body("<style " * 40_000)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ contact.name | firstName | upper }}!", "ANN!"),
        ("{{vars.n}}", 2),
        ("{{ vars.n | add: 1.5 }}", 3.5),
        ("{{ contact.tags.1 }}", "b"),
        ("{{ contact.none | default: 'x, | y' }}", "x, | y"),
        ("{{ contact.__class__.__mro__ }}", None),
        ({"a": ["{{ contact.tags | join: '-' }}"]}, {"a": ["a-b"]}),
        ("no {{ braces", BadExpression),
        ("{{ open('x') }}", BadExpression),
        ("{{ contact.name | eval }}", BadExpression),
        ("{{ os.environ }}", BadExpression),
    ],
)
def test_expressions_look_up_and_convert(text: Any, value: Any) -> None:
    if value is BadExpression:
        with pytest.raises(BadExpression):
            compile_value(text)
    else:
        assert compile_value(text).read(SCOPE) == value


def test_what_is_nested_beyond_any_use_is_refused(cast: Cast) -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    answer = cast.key.post("/workflow", {"name": "Deep", "config": {"x": deep}})
    assert (answer.status, "nested too deeply" in answer.body["message"]) == (400, True), answer.body
    for _ in range(170):
        deep = deep[0]
    answer = cast.key.post("/workflow", {"name": "Deep", "config": {"x": deep}})
    assert (answer.status, answer.body["warning"].startswith("config")) == (400, True), answer.body
    assert Client().post("/api/public/workflow-hooks/a%00b", {}, content_type="application/json").status_code == 404
