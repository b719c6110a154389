"""What roles see of runs, what they may publish, and what no draft may hold."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Notification
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.definitions.rechecks import pause_disallowed

WORKFLOWS = {"GET": True, "POST": True, "PUT": True}
EMAIL = "ann@example.org"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast(permission={"workflow": WORKFLOWS})


def recheck() -> None:
    with unscoped(reason="test: the worker of periodic tasks"):
        pause_disallowed()


def test_runs_tell_nothing_of_contacts_to_roles_that_may_not_read_them(cast: Cast) -> None:
    found = {"panel": "contact", "filter": when("email", "equals", EMAIL), "fields": ["email"]}
    keep = {"values": {"mail": "{{ contact.email }}"}}
    nodes = [node("find", "find", found), node("set", "set", keep), node("no", "note", {"notes": "x", "panel": "lead"})]
    id = published(cast, nodes, edges("find:found > set", "set > no"))
    who = contact(cast)
    work()
    (run,) = runs(cast, id)
    assert run.status == "failed"
    paths = ("/workflow/runs", f"/workflow/runs/{run.pk}", f"/workflow/runs/{run.pk}/steps")
    for path in paths:
        shown, plain = cast.key.get(path), cast.narrow_session.get(path)
        assert plain.status == 200, plain.body
        assert EMAIL in str(shown.body)
        assert EMAIL not in str(plain.body)
        assert "Ann" not in str(plain.body)
    assert cast.narrow_session.get(paths[0]).data[0]["contact"]["_id"] == who
    by_email = {"filters": {"contact.email": EMAIL}}
    assert cast.key.get(paths[0], **by_email).status == 200
    assert cast.narrow_session.get(paths[0], **by_email).status == 400
    assert cast.narrow_session.get(paths[0], searchValue="ann@").data == []
    chosen = {"selectAll": True}
    assert cast.narrow_session.call("POST", "/workflow/runs/redrive", chosen, by_email).status == 400


@pytest.mark.parametrize(
    ("type", "config", "lacks"),
    [
        ("contact", {"action": "delete"}, "contact.DELETE"),
        ("lead", {"action": "update", "values": {"status": "new"}}, "lead.PUT"),
        ("find", {"panel": "lead", "filter": when("status", "equals", "new"), "fields": ["status"]}, "lead.GET"),
        ("set", {"values": {"who": "{{ contact.email }}"}}, "contact.GET"),
        ("note", {"notes": "x"}, "lead-activity.POST"),
    ],
)
def test_a_workflow_does_nothing_that_its_publisher_may_not(
    cast: Cast, type: str, config: dict[str, Any], lacks: str
) -> None:
    body = {"name": "W", "triggerEventType": "manual", "nodes": [node("n", type, config)], "edges": []}
    id = cast.key.post("/workflow", body).data["_id"]
    seen, own = (who.get(f"/workflow/{id}").data["validation"]["errors"] for who in (cast.narrow_session, cast.key))
    assert ([one["code"] for one in seen], own) == (["notAllowed"], [])
    refused = cast.narrow_session.post(f"/workflow/{id}/publish")
    assert refused.status == 400, refused.body
    assert [(one["code"], one["nodeId"]) for one in refused.body["errors"]] == [("notAllowed", "n")]
    assert lacks in refused.body["errors"][0]["message"]
    assert cast.narrow_session.put(f"/workflow/{id}", {"status": "published"}).status == 400
    assert cast.narrow_session.post(f"/workflow/{id}/test", {}).status == 403
    assert cast.key.post(f"/workflow/{id}/publish").status == 200


@pytest.mark.parametrize(
    ("values", "lacks"),
    [
        ({"triggerEventType": "contact.updated"}, "contact.GET"),
        ({"triggerEventType": "note.created"}, "lead-activity.GET"),
        ({"triggerEventType": "meeting.created"}, "meeting.GET"),
        ({"triggerEventType": "member.invited"}, "member.GET"),
        ({"triggerEventType": "manual", "config": {"exit": {"events": ["conversation.received"]}}}, "chatapp.GET"),
        ({"triggerEventType": "manual", "config": {"goal": {"events": ["lead.created"]}}}, "lead.GET"),
        (
            {
                "triggerEventType": "manual",
                "nodes": [node("w", "waitFor", {"event": "calllog.created", "timeout": {"amount": 1, "unit": "days"}})],
            },
            "lead-activity.GET",
        ),
    ],
)
def test_a_workflow_hears_no_event_that_its_publisher_may_not_read(
    cast: Cast, values: dict[str, Any], lacks: str
) -> None:
    body = {"name": "W", "nodes": [node("n", "set", {"values": {"a": "{{ trigger }}"}})], "edges": [], **values}
    id = cast.key.post("/workflow", body).data["_id"]
    refused = cast.narrow_session.post(f"/workflow/{id}/publish")
    assert refused.status == 400, refused.body
    assert lacks in str(refused.body["errors"])
    assert cast.key.post(f"/workflow/{id}/publish").status == 200


def test_a_workflow_is_paused_when_its_publisher_loses_a_permission(cast: Cast) -> None:
    role = f"/role/{cast.narrow.role_id}"
    allowed = {"workflow": WORKFLOWS, "contact": {"GET": True}}
    assert cast.key.put(role, {"permission": allowed}).status == 200
    nodes = [node("n", "set", {"values": {"a": "{{ contact.email }}"}})]
    body = {"name": "W", "triggerEventType": "contact.created", "nodes": nodes, "edges": []}
    id = cast.key.post("/workflow", body).data["_id"]
    assert cast.narrow_session.post(f"/workflow/{id}/publish").status == 200
    recheck()
    assert cast.key.get(f"/workflow/{id}").data["status"] == "published"
    assert cast.key.put(role, {"permission": {"workflow": WORKFLOWS, "contact": {"GET": False}}}).status == 200
    recheck()
    assert cast.key.get(f"/workflow/{id}").data["status"] == "paused"
    with cast.scope():
        (notice,) = Notification.objects.filter(member=cast.owner)
    assert "contact.GET" in notice.text
    contact(cast)
    work()
    assert runs(cast, id) == []
    assert cast.narrow_session.put(f"/workflow/{id}", {"status": "published"}).status == 400
    assert cast.key.put(f"/workflow/{id}", {"status": "published"}).status == 200
    recheck()
    assert cast.key.get(f"/workflow/{id}").data["status"] == "published"


WRONG: list[dict[str, Any]] = [
    *({"data": {"config": value}} for value in ("x", [1], 5, True, "", 0)),
    *({"data": {"config": {"cases": value, "arms": value}}} for value in ("x", 5, [5], {"a": 1}, [{"id": []}])),
    *({"data": {"onError": value}} for value in ("x", [1], {"then": []}, {"retry": 5})),
    *({"data": {"label": value}} for value in (5, [1], {"a": 1}, "x" * 300)),
    *({"data": {"disabled": value}} for value in ("x", 1, [1])),
    *({"data": {"pinned": value}} for value in ("x", [1], {"handle": []}, {"output": 1, "more": 1})),
    *({"position": value} for value in ("x", [1], {"x": "a"}, {"x": True}, {"y": 1e300})),
    *({"type": value} for value in (5, [], {"a": 1}, "x" * 100)),
    *({"data": value} for value in ("x", [1], 5)),
    *({"id": value} for value in (None, [], {}, 1.5, True)),
]


@pytest.mark.parametrize("type", ["switch", "http", "nothing"])
def test_wrong_shapes_are_refused_or_told_and_never_break_reading(cast: Cast, type: str) -> None:
    kept = cast.key.post("/workflow", {"name": "Kept", "triggerEventType": "manual"}).data["_id"]
    stored = 0
    for wrong in WRONG:
        one = {**node("n", type), **wrong}
        body = {"triggerEventType": "manual", "nodes": [one], "edges": []}
        made = cast.key.post("/workflow", {"name": "W", **body})
        answers = [
            made,
            cast.key.post("/workflow/import", {"name": "W", **body}),
            cast.key.put(f"/workflow/{kept}", body),
        ]
        assert {answer.status for answer in answers} in ({400}, {200, 201}), (wrong, made.body)
        if made.status == 400:
            assert "nodes[0]" in made.body["warning"]
            continue
        stored += 1
        id = made.data["_id"]
        assert cast.key.get(f"/workflow/{id}").status == 200, wrong
        for path in ("publish", "test", "duplicate"):
            assert cast.key.post(f"/workflow/{id}/{path}", {}).status < 500, (path, wrong)
        assert cast.key.get(f"/workflow/{id}/references", node="n").status < 500, wrong
    assert 0 < stored < len(WRONG)


def test_who_may_only_read_does_not_learn_where_runs_are_started(db: None) -> None:
    cast = make_cast(permission={"workflow": {"GET": True}})
    id = published(cast, [node("set", "set", {"values": {"a": "b"}})], [], triggerEventType="webhook")
    assert cast.key.get(f"/workflow/{id}").data["hookPath"].startswith("/api/public/workflow-hooks/")
    assert cast.narrow_session.get(f"/workflow/{id}").data["hookPath"] is None
