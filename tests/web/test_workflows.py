"""The pages of workflows: the list and files, the drawing as a nested list, forms from schemas, settings, runs."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member, Role
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of
from tests.workflows.helpers import contact, edges, node, when
from workflows.models import Workflow

EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def made(cast: Cast, *nodes: dict[str, Any], lines: tuple[str, ...] = (), **values: Any) -> tuple[str, str]:
    """Write a draft. Returns its id, and the address of its page."""
    body = {"name": "Welcome", "triggerEventType": "contact.created", **values}
    body |= {"nodes": [node("trigger", "trigger"), *nodes], "edges": edges(*lines)}
    id = cast.key.post("/workflow", body).data["_id"]
    return id, at(cast.owner, f"workflows/{id}")


def graph(cast: Cast, id: str) -> tuple[dict[str, dict[str, Any]], set[tuple[str, str, str]]]:
    """Return the data of the nodes, and (source, handle, target) of the edges."""
    found = cast.key.get(f"/workflow/{id}").data
    ways = {(one["source"], one["sourceHandle"], one["target"]) for one in found["edges"]}
    return {one["id"]: one["data"] for one in found["nodes"]}, ways


def test_a_workflow_is_added_exported_imported_duplicated_and_deleted(cast: Cast, client: Client) -> None:
    new = at(cast.owner, "workflows/new")
    assert client.post(new, {"name": "", "triggerEventType": "contact.created"}).status_code == 422
    first = client.post(new, {"name": EVIL, "triggerEventType": "contact.created"})
    page = client.get(first["Location"])
    assert (page.status_code, "<script>alert" in html_of(page)) == (200, False)
    file = client.post(f"{first['Location']}/settings", {"do": "export"})
    assert json.loads(file.content)["triggerEventType"] == "contact.created"
    sent = SimpleUploadedFile("workflow.json", file.content)
    imported = client.post(new, {"do": "import", "file": sent})
    assert (imported.status_code, EVIL[:9] in text_of(client.get(imported["Location"]))) == (303, True)
    for wrong in (b"[", b"[]", b'{"name": "x", "odd": 1}', b"\xff\xfe"):
        refused = client.post(new, {"do": "import", "file": SimpleUploadedFile("x.json", wrong)})
        assert refused.status_code == 422, wrong
    assert client.post(new, {"do": "template", "template": "nothing"}).status_code == 422
    template = client.post(new, {"do": "template", "template": "welcome-contact"})
    assert template.status_code == 303
    client.post(template["Location"], {"do": "delete"})
    copied = client.post(first["Location"], {"do": "duplicate"})
    assert copied.status_code == 303
    listed = text_of(client.get(at(cast.owner, "workflows")))
    assert listed.count("A contact is created") >= 3
    assert "Workflow deleted" in toast_of(client, client.post(copied["Location"], {"do": "delete"}))
    with cast.scope():
        ids = list(Workflow.objects.filter(is_deleted=False).values_list("pk", flat=True))
    gone = client.post(at(cast.owner, "workflows"), {"do": "delete", "ids": ids})
    assert "2 workflows deleted" in toast_of(client, gone)


def test_the_nested_list_adds_moves_and_deletes(cast: Cast, client: Client) -> None:
    id, place = made(cast, node("a", "note", label="First"), node("b", "wait"), lines=("trigger > a", "a > b"))

    def add(at: str, type: str) -> str:
        answer = client.post(f"{place}/add", {"do": "add", "at": at, "type": type})
        assert answer.status_code == 303, text_of(answer)
        return str(re.search(r"node=([\w-]+)", answer["Location"])[1])  # type: ignore[index]

    def act(what: str) -> str:
        return toast_of(client, client.post(f"{place}?view=list", {"do": "act", "act": what}))

    assert add("a/out", "condition") == "condition-1"
    assert graph(cast, id)[1] == {("trigger", "out", "a"), ("a", "out", "condition-1"), ("condition-1", "true", "b")}
    assert "This step does not exist" in toast_of(client, client.post(f"{place}/add", {"do": "add", "type": "trigger"}))
    gone = client.post(f"{place}/add", {"do": "add", "type": "note", "at": "a/error"})
    assert "This connection was deleted by someone else" in toast_of(client, gone)
    step = f"{place}/step?node=condition-1"
    connect = {"do": "connect", "node": "condition-1", "handle": "false"}
    assert "Connected" in toast_of(client, client.post(step, {**connect, "target": "b"}))
    assert "form a circle" in toast_of(client, client.post(step, {**connect, "target": "a"}))
    listed = text_of(client.get(place))
    assert ("continues at Wait" in listed, "If no" in listed) == (True, True)
    assert "Step moved" in act("up:condition-1")
    assert {("trigger", "out", "condition-1"), ("condition-1", "true", "a")} <= graph(cast, id)[1]
    act("switch:a")
    assert graph(cast, id)[0]["a"]["disabled"] is True
    assert "Disabled" in text_of(client.get(place))
    act("duplicate:a")
    assert graph(cast, id)[0]["note-1"]["label"] == "First (copy)"
    deleted = act("delete:a")
    assert ("Step deleted" in deleted, "a" in graph(cast, id)[0]) == (True, False)
    assert "be deleted. Edit it instead." in act("delete:trigger")
    fields = {
        name: value.replace("&quot;", '"')
        for name, value in re.findall(r'name="(do|graph|since)" value="([^"]*)"', deleted)
    }
    assert "Change undone" in toast_of(client, client.post(place, fields))
    assert "a" in graph(cast, id)[0]
    moved = client.post(f"{place}/step", {"do": "move", "node": "a", "place": "condition-1/false"})
    assert "Step moved" in toast_of(client, moved)
    assert ("condition-1", "false", "a") in graph(cast, id)[1]


def test_steps_opened_from_the_list_lead_back_to_it(cast: Cast, client: Client) -> None:
    _, place = made(cast, node("a", "note", label="First"), lines=("trigger > a",))
    listed = html_of(client.get(f"{place}?view=list"))
    step, add = f"{place}/step?node=a&view=list", f"{place}/add?at=a%2Fout&view=list"
    assert (f'href="{escape(step)}"' in listed, f'href="{escape(add)}"' in listed) == (True, True)
    form = html_of(client.get(step))
    assert (form.count(f'href="{place}?view=list#step-a"'), f'action="{escape(step)}"' in form) == (2, True)
    saved = client.post(step, {"do": "save", "node": "a", "config.notes": "Hi"})
    assert saved["Location"] == f"{place}?view=list#step-a"
    assert f'action="{escape(add)}"' in html_of(client.get(add))
    added = client.post(add, {"do": "add", "type": "stop"})
    assert added["Location"] == f"{place}/step?node=stop-1&view=list"
    from_canvas = client.post(f"{place}/step?node=a", {"do": "save", "node": "a", "config.notes": "Ho"})
    assert from_canvas["Location"] == f"{place}#step-a"


def test_forms_are_drawn_from_schemas_and_problems_stand_at_their_fields(cast: Cast, client: Client) -> None:
    with cast.scope():
        tag = TagFactory(name="Key account")
    fresh = {"id": "c", "type": "condition", "position": {"x": 0, "y": 0}, "data": {}}
    steps = [fresh, node("s", "switch"), node("w", "wait"), node("t", "tags"), node("v", "set")]
    id, place = made(cast, *steps, node("r", "contact", {"action": "update"}))
    step = f"{place}/step"

    def save(name: str, **sent: Any) -> dict[str, Any]:
        answer = client.post(step, {"do": "save", "node": name, **sent})
        assert answer.status_code == 303, text_of(answer)
        return dict(graph(cast, id)[0][name].get("config") or {})

    assert "Fill in “Conditions”." not in text_of(client.get(f"{step}?node=c"))
    assert "Condition : Fill in “Conditions”." in text_of(client.get(place))
    save("c")
    assert "Fill in “Conditions”." in text_of(client.get(f"{step}?node=c"))
    added = {"operator-contact.name": "contains", "value-contact.name": "Ann", "add": "contact.name"}
    one = {"field": "contact.name", "operator": "contains", "value": "Ann"}
    assert save("c", tree="config.filter", **added)["filter"] == {"operator": "and", "conditions": [one]}
    assert "Contact: Name contains Ann" in text_of(client.get(f"{step}?node=c"))
    assert "filter" not in save("c", tree="config.filter", drop="contact.name:contains:Ann")

    span = {"config.for.amount": "3", "config.for.unit": "days"}
    window = {"config.window:on": "on", "config.window.days": ["1", "2"], "config.window.start": "09:00"}
    waits = save("w", **span, **window)
    assert waits["for"] == {"amount": 3, "unit": "days"}
    assert waits["window"] == {"days": [1, 2], "start": "09:00"}
    assert "window" not in save("w", **span)

    row = {"config.cases.0:there": "1", "config.cases.0.id": "vip", "config.cases.0.label": "VIPs"}
    assert save("s", **row)["cases"] == [{"id": "vip", "label": "VIPs"}]
    kept = save("s", **row, tree="config.cases.0.filter", **added)
    assert kept["cases"][0]["filter"]["conditions"] == [one]
    assert "VIPs" in text_of(client.get(place))
    assert "cases" not in save("s", **row, drop_row="config.cases.0")

    assert save("t", **{"config.tags": [tag.pk], "config.action": "add"})["tags"] == [tag.pk]
    pairs = {"config.values:name.0": "score", "config.values:value.0": "12"}
    pairs |= {"config.values:name.1": "who", "config.values:value.1": "{{ contact.name }}"}
    assert save("v", **pairs)["values"] == {"score": 12, "who": "{{ contact.name }}"}
    fields = {"config.action": "update", "config.values:name.0": "name", "config.values:value.0": EVIL}
    assert save("r", **fields)["values"] == {"name": EVIL}
    shown = client.get(f"{step}?node=r")
    page = html_of(shown)
    assert ("<script>alert" in page, "&quot;&gt;&lt;script&gt;alert" in page) == (False, True)
    assert 'value="score"' in html_of(client.get(f"{step}?node=v"))


def test_somebody_else_s_change_is_not_overwritten_unasked(cast: Cast, client: Client) -> None:
    id, place = made(cast, node("n", "note", {"notes": "Mine"}), lines=("trigger > n",))
    step = f"{place}/step?node=n"
    opened = re.search(r'name="opened" value="(\w+)"', html_of(client.get(step)))[1]  # type: ignore[index]
    nodes = [node("trigger", "trigger"), node("n", "note", {"notes": "Theirs"})]
    assert cast.key.put(f"/workflow/{id}", {"nodes": nodes}).status == 200
    sent = {"node": "n", "opened": opened, "config.notes": "Again mine"}
    asked = client.post(step, {**sent, "do": "save"})
    assert (asked.status_code, "saved other changes" in text_of(asked)) == (422, True)
    assert ("Again mine" in html_of(asked), graph(cast, id)[0]["n"]["config"]["notes"]) == (True, "Theirs")
    assert client.post(step, {**sent, "do": "overwrite"}).status_code == 303
    assert graph(cast, id)[0]["n"]["config"]["notes"] == "Again mine"

    drawn = {"nodes": nodes, "edges": []}
    late = client.post(place, {"do": "draw", "graph": json.dumps(drawn), "since": "2020-01-01T00:00:00.000Z"})
    assert (late.status_code, late.json()) == (422, {"who": cast.owner.name})
    forced = client.post(place, {"do": "draw", "graph": json.dumps(drawn), "overwrite": "1"})
    assert (forced.status_code, forced.json()["shown"]["n"]["about"]) == (200, "Theirs")
    assert client.post(place, {"do": "draw", "graph": "["}).status_code == 400


def test_triggers_and_settings(cast: Cast, client: Client) -> None:
    id, place = made(cast, node("n", "note", {"notes": "Hi"}), lines=("trigger > n",))
    step = f"{place}/step?node=trigger"
    kind = {"do": "save", "node": "trigger", "triggerEventType": "schedule"}
    timed = {"schedule.type": "cron", "schedule.cron": "0 9 * * 1-5", "schedule.every.amount": "5"}
    assert client.post(step, {**kind, **timed}).status_code == 303
    assert cast.key.get(f"/workflow/{id}").data["schedule"] == {"type": "cron", "cron": "0 9 * * 1-5"}
    weekly = {"schedule.type": "cron", "rhythm": "weekly", "rhythm.weekday": "7", "rhythm.at": "07:30"}
    assert client.post(step, {**kind, **weekly, "schedule.timezone": "Asia/Tokyo"}).status_code == 303
    timed = {"type": "cron", "cron": "30 7 * * 0", "timezone": "Asia/Tokyo"}
    assert cast.key.get(f"/workflow/{id}").data["schedule"] == timed
    assert '<option value="weekly" selected>' in html_of(client.get(step))
    # Times are typed and shown in one's own zone, and one that was not touched keeps its seconds.
    cast.key.put(f"/workflow/{id}", {"schedule": {**timed, "until": "2031-05-01T10:00:30Z"}})
    shown = html_of(client.get(step))
    assert 'name="schedule.until" type="datetime-local" value="2031-05-01T10:00"' in shown
    between = {"schedule.from": "2031-01-31T09:00", "schedule.until": "2031-05-01T10:00"}
    assert client.post(step, {**kind, **weekly, "schedule.timezone": "Asia/Tokyo", **between}).status_code == 303
    assert cast.key.get(f"/workflow/{id}").data["schedule"] == {
        **timed,
        "from": "2031-01-31T09:00:00Z",
        "until": "2031-05-01T10:00:30Z",
    }
    body = {"name": "Big ones", "panel": "contact", "advancedFilters": when("name", "contains", "big")}
    segment = cast.key.post("/segment", body).data["_id"]
    entered = {**kind, "triggerEventType": "segment.entered", "config.segment": ""}
    assert client.post(step, entered).status_code == 303
    assert f'href="{place}/step?node=trigger#at-config.segment" data-node="">Fill in “Segment”.' in html_of(
        client.get(place)
    )
    assert client.post(step, {**entered, "config.segment": segment}).status_code == 303
    assert f'<option value="{segment}" selected>Big ones</option>' in html_of(client.get(step))
    assert cast.key.get(f"/workflow/{id}").data["config"]["segment"] == segment
    changed = {**kind, "triggerEventType": "contact.updated", "config.changedFields": ["email"]}
    assert client.post(step, changed).status_code == 303
    settings = {"do": "save", "name": "Renamed", "config.enrolment.mode": "once", "config.priority": "2"}
    assert client.post(f"{place}/settings", settings).status_code == 303
    found = cast.key.get(f"/workflow/{id}").data
    assert (found["name"], found["config"]["enrolment"]["mode"]) == ("Renamed", "once")
    assert (found["config"]["priority"], found["config"]["changedFields"]) == (2, ["email"])
    assert "segment" not in found["config"]
    assert "Renamed" in text_of(client.get(f"{place}/settings"))
    assert client.post(step, {**kind, "triggerEventType": "webhook"}).status_code == 303
    assert "is published" in toast_of(client, client.post(place, {"do": "publish"}))
    assert "/api/public/workflow-hooks/" in html_of(client.get(step))
    assert "Unpublished. Runs wait." in toast_of(client, client.post(place, {"do": "unpublish"}))


def test_who_may_only_read_changes_nothing(cast: Cast) -> None:
    id, place = made(cast, node("n", "note", {"notes": "Hi"}), lines=("trigger > n",))
    with cast.scope():
        viewer = MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Viewer"))
    reader = enter(viewer)
    shown = reader.get(place)
    assert (shown.status_code, "Add a step after" in text_of(shown)) == (200, False)
    assert reader.post(place, {"do": "act", "act": "switch:n"}).status_code == 403
    assert reader.post(f"{place}/step?node=n", {"do": "save", "config.notes": "No"}).status_code == 403
    assert "permission" in toast_of(reader, reader.post(place, {"do": "publish"}))
    assert graph(cast, id)[0]["n"]["config"] == {"notes": "Hi"}


def test_steps_say_what_they_do_and_a_dry_run_what_would_not_start(cast: Cast, client: Client) -> None:
    with cast.scope():
        tag = TagFactory(name="Key account")
    steps = [
        node("c", "condition", {"filter": when("lead.value", "greaterThan", 1000)}),
        node("w", "wait", {"for": {"amount": 1, "unit": "days"}}),
        node("t", "tags", {"tags": [tag.pk], "panel": "lead"}),
        node("n", "note", {"notes": "Call {{ contact.name }}"}),
        node("odd", "wait", {"for": "soon"}),
    ]
    only = {"filter": when("lead.value", "greaterThan", 5000)}
    _, place = made(cast, *steps, lines=("trigger > c", "c > w"), triggerEventType="lead.created", config=only)
    shown = text_of(client.get(place))
    for words in ("is above 1,000", "1 day", "Add Key account", "Call ‹contact name›", "A lead is created, if "):
        assert words in shown, words
    lead = cast.key.post("/lead", {"contact": contact(cast), "formData": {"value": 10}})
    assert lead.status == 201, lead.body
    tried = text_of(client.post(f"{place}/test", {"do": "try"}))
    assert "This record would not start the workflow: the “Only if” condition does not match." in tried
