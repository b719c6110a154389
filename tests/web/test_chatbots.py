"""The pages of chatbots: drawn as a nested list and for the canvas, steps by their forms, and a conversation tried."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Member, Role
from outreach.models import ManualChatbot
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import EVIL, at, enter, text_of, toast_of

RULE = {"enabled": True, "text": "", "messageCount": 0, "minutes": 0}


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def made(cast: Cast, **values: Any) -> tuple[str, str]:
    """Write a chatbot. Returns its path in the API, and the address of its page."""
    id = cast.key.post("/manual-chatbot", {"name": "Porter", **values}).data["_id"]
    return f"/manual-chatbot/{id}", at(cast.owner, f"chatbots/{id}")


def texts(*said: str) -> list[dict[str, Any]]:
    return [{"text": text, "order": place} for place, text in enumerate(said, 1)]


def said(cast: Cast, path: str) -> list[str]:
    return [one["text"] for one in cast.key.get(path).data["conversations"]]


def flow_of(client: Client, address: str) -> dict[str, Any]:
    page = html_of(client.get(address))
    found = re.search(r'<script id="flow-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    drawn: dict[str, Any] = json.loads(found[1])
    return drawn


def draw(client: Client, address: str, flow: dict[str, Any], **more: str) -> Any:
    graph = json.dumps({"nodes": flow["nodes"], "edges": flow["edges"]})
    return client.post(address, {"do": "draw", "graph": graph, "since": flow["updatedAt"], **more})


def test_a_chatbot_is_written_step_by_step(cast: Cast, client: Client) -> None:
    new = at(cast.owner, "chatbots/new")
    assert client.post(new, {"name": "", "kind": "flow"}).status_code == 422
    home = client.post(new, {"name": EVIL[:40], "kind": "router"})["Location"]
    path = f"/manual-chatbot/{home.rpartition('/')[2]}"
    page = client.get(home)
    assert "Add a text" in text_of(page)
    assert "At the end of its texts" in text_of(page)
    assert "be published yet. Add a text" in toast_of(client, client.post(home, {"do": "publish"}))

    form = client.post(f"{home}/add", {"do": "add", "type": "text", "at": "start/out"})["Location"]
    assert (client.get(form).status_code, said(cast, path)) == (200, [])
    step = f"{home}/step"
    new_text = {"add": "text", "at": "start/out"}
    empty = client.post(step, {**new_text, "config.text": " "})
    assert (empty.status_code, said(cast, path)) == (422, [])
    assert re.search(r'name="config.text"[^>]*aria-invalid="true"', html_of(empty))
    saved = client.post(step, {**new_text, "config.text": EVIL})
    assert saved["Location"].endswith("#step-text-1")
    from_list = client.post(f"{step}?view=list", {"node": "text-1", "config.text": EVIL})
    assert from_list["Location"] == f"{home}?view=list#step-text-1"
    client.post(step, {"add": "text", "at": "text-1/out", "config.text": "Two"})
    client.post(step, {"add": "text", "at": "end/out", "config.text": "Three"})
    client.post(step, {"add": "text", "at": "text-1/out", "config.text": "One and a half"})
    assert said(cast, path) == [EVIL, "One and a half", "Two", "Three"]
    client.post(step, {"node": "text-2", "config.text": "More than one"})
    assert client.post(step, {"add": "keywords", "config.words": ""}).status_code == 422
    client.post(
        step, {"add": "keywords", "config.words": "tea\r\ngreen tea", "config.weight": "2.5", "config.rank": ""}
    )
    wordless = client.post(step, {"add": "contains_text", "config.phrase": ""})
    assert (wordless.status_code, "Enter a value." in text_of(wordless)) == (422, True), text_of(wordless)
    client.post(step, {"add": "contains_text", "config.phrase": "human"})
    client.post(step, {"add": "message_count", "config.messageCount": "3"})
    client.post(step, {"node": "rule-2", "config.messageCount": "4", "disabled": "on"})
    client.post(step, {"node": "end", "config.mode": "all"})
    client.post(step, {"node": "start", "config.name": "Porter", "config.kind": "flow", "config.allowEnter": "on"})
    found = cast.key.get(path).data
    assert found["keywords"] == [{"keyword": word, "weight": 2.5, "rank": 0} for word in ("tea", "green tea")]
    assert found["handover"] == {
        "mode": "all",
        "rules": [
            {**RULE, "type": "contains_text", "text": "human"},
            {**RULE, "type": "message_count", "messageCount": 4, "enabled": False},
        ],
    }
    assert (found["name"], found["kind"], found["routing"]["allowLeave"]) == ("Porter", "flow", False)
    shown = client.get(home)
    assert "<script>alert" not in html_of(shown)
    for words in (
        "tea, green tea · weight 2.5",
        "“human”",
        "4 messages",
        "Handover rules",
        "Disabled",
        "More than one",
    ):
        assert words in text_of(shown)
    assert "Published" in toast_of(client, client.post(home, {"do": "publish"}))
    client.post(step, {"node": "text-2", "config.text": "Something else"})
    assert "Changed since: texts." in text_of(client.get(home))
    toast_of(client, client.post(home, {"do": "restore"}))
    assert said(cast, path)[1] == "More than one"
    assert "Paused" in toast_of(client, client.post(home, {"do": "pause"}))
    assert client.post(home, {"do": "delete"})["Location"] == at(cast.owner, "chatbots")
    assert cast.key.get(path).status == 404


def test_the_list_moves_copies_switches_and_deletes(cast: Cast, client: Client) -> None:
    rules = [{"type": "time_based", "minutes": 5}]
    path, home = made(cast, conversations=texts("One", "Two", "Three"), handover={"rules": rules})

    def act(what: str) -> str:
        return toast_of(client, client.post(home, {"do": "act", "act": what}))

    act("up:text-3")
    assert said(cast, path) == ["One", "Three", "Two"]
    act("down:text-1")
    assert said(cast, path) == ["Three", "One", "Two"]
    act("duplicate:text-1")
    assert said(cast, path) == ["Three", "Three", "One", "Two"]
    for wrong in ("up:text-1", "down:text-4", "up:rule-1", "switch:text-1", "delete:start", "delete:end", "delete:no"):
        assert "toast bad" in act(wrong)
    assert client.post(home, {"do": "act", "act": "burn:text-1"}).status_code == 400
    act("switch:rule-1")
    assert cast.key.get(path).data["handover"]["rules"][0]["enabled"] is False
    deleted = act("delete:text-2")
    assert said(cast, path) == ["Three", "One", "Two"]
    undo = dict(re.findall(r'<input type="hidden" name="(do|graph|since)" value="([^"]*)"', deleted))
    sent = {name: value.replace("&quot;", '"') for name, value in undo.items()}
    assert "Change undone" in toast_of(client, client.post(home, sent))
    assert said(cast, path) == ["Three", "Three", "One", "Two"]


def test_the_canvas_saves_the_order_that_its_edges_say(cast: Cast, client: Client) -> None:
    keywords = [{"keyword": "tea", "weight": 2}, {"keyword": "hello"}, {"keyword": "coffee", "weight": 2}]
    path, home = made(cast, conversations=texts("One", "Two"), keywords=keywords)
    flow = flow_of(client, home)
    places = {one["id"]: (one["position"]["x"], one["position"]["y"]) for one in flow["nodes"]}
    assert len(set(places.values())) == len(places)
    assert [one["data"]["config"]["words"] for one in flow["nodes"] if one["type"] == "keywords"] == [
        ["tea", "coffee"],
        ["hello"],
    ]
    before = cast.key.get(path).data
    same = draw(client, home, flow).json()
    after = cast.key.get(path).data
    assert (after["keywords"], after["conversations"]) == (before["keywords"], before["conversations"])
    assert same["renamed"]["text-2"] == "text-2"

    # Text 2 was put before text 1: as the canvas draws it, the keywords lead to it, and it to text 1.
    for edge in same["edges"]:
        if edge["target"] == "text-1":
            edge["target"] = "text-2"
        elif (edge["source"], edge["target"]) == ("text-1", "text-2"):
            edge.update(source="text-2", target="text-1")
        elif edge["source"] == "text-2":
            edge["source"] = "text-1"
    turned = draw(client, home, same).json()
    assert said(cast, path) == ["Two", "One"]
    assert (turned["renamed"]["text-2"], turned["hasChanges"]) == ("text-1", True)

    late = draw(client, home, flow)
    assert (late.status_code, late.json()) == (422, {"who": cast.owner.user.name})
    assert said(cast, path) == ["Two", "One"]
    assert draw(client, home, flow, overwrite="1").status_code == 200
    assert said(cast, path) == ["One", "Two"]

    turned["nodes"][1]["data"]["config"]["weight"] = "heavy"
    refused = draw(client, home, turned, overwrite="1")
    assert (refused.status_code, "Weight (2): Must be a number." in refused.json()["message"]) == (422, True)
    for wrong in ("", "[]", '{"nodes": [], "edges": []}', '{"nodes": [{"id": 1}], "edges": [7]}', "[" * 9000):
        assert client.post(home, {"do": "draw", "graph": wrong}).status_code == 400
    step = {"id": "x", "type": "keywords", "data": {"config": {"words": [{}]}}}
    assert client.post(home, {"do": "draw", "graph": json.dumps({"nodes": [step], "edges": []})}).status_code == 400
    assert said(cast, path) == ["One", "Two"]


def test_problems_stand_at_their_steps(cast: Cast, client: Client) -> None:
    rules = [{"type": "flow_finished"}, {"type": "message_count", "messageCount": 9}]
    keywords = [{"keyword": "tea"}, {"keyword": "!?", "weight": 3}, {"keyword": "TEA"}]
    path, home = made(cast, conversations=texts("One"), keywords=keywords, handover={"rules": rules})
    found = [(one["path"], one["code"], one["severity"]) for one in cast.key.get(path).data["problems"]]
    assert found == [
        ("keywords.1", "neverFound", "warning"),
        ("keywords.2", "twice", "warning"),
        ("handover.rules.1", "neverTrue", "warning"),
    ]
    shown = flow_of(client, home)["shown"]
    assert {id for id, one in shown.items() if one["problems"]} == {"keywords-1", "keywords-2", "rule-2"}
    form = html_of(client.get(f"{home}/step?node=rule-2"))
    assert re.search(r'name="config.messageCount"[^>]*aria-invalid="true"', form)
    assert cast.key.post(f"{path}/publish").status == 200  # a warning stops nobody


def test_a_step_that_somebody_else_has_changed_asks_first(cast: Cast, client: Client) -> None:
    path, home = made(cast, conversations=texts("One", "Two"))
    opened = re.search(r'name="opened" value="(\w+)"', html_of(client.get(f"{home}/step?node=text-1")))
    assert opened
    cast.key.put(path, {"conversations": texts("Uno", "Two")})
    sent = {"node": "text-1", "opened": opened[1], "config.text": "Eins"}
    clash = client.post(f"{home}/step", sent)
    assert (clash.status_code, said(cast, path)) == (422, ["Uno", "Two"])
    assert "Load theirs" in text_of(clash)
    client.post(f"{home}/step", {**sent, "do": "overwrite"})
    assert said(cast, path) == ["Eins", "Two"]
    stale = cast.key.put(path, {"name": "x", "unchangedSince": "2020-01-01T00:00:00.000Z"})
    assert (stale.status, stale.body["warning"].partition(":")[0]) == (409, "unchangedSince")
    assert client.get(f"{home}/step?node=text-9").status_code == 404
    assert client.get(f"{home}/step?add=end").status_code == 404


def test_a_conversation_is_tried_and_names_the_steps(cast: Cast, client: Client) -> None:
    rules = [{"type": "contains_text", "text": "human"}, {"type": "time_based", "minutes": 30}]
    path, home = made(cast, conversations=texts("One?", "Two?"), handover={"rules": rules})
    other = {"name": "Barista", "conversations": texts("Espresso?"), "keywords": [{"keyword": "coffee"}]}
    cast.key.post(f"/manual-chatbot/{cast.key.post('/manual-chatbot', other).data['_id']}/publish")
    test = f"{home}/test"
    assert client.post(test, {"do": "try", "said": " "}).status_code == 422
    page = client.post(test, {"do": "try", "said": "Hello\nA human, please", "minutes": "1"})
    words = text_of(page)
    assert "Text 1 answers" in words
    assert "Words in a message applies, Handover takes over" in words
    assert re.findall(r'data-node="([\w-]+)" data-answered', html_of(page)) == [
        "text-1",
        "text-2",
        "rule-1",
        "end",
    ]
    assert "Time applies" in text_of(client.post(test, {"do": "try", "said": "a\nb", "minutes": "31"}))
    assert "Reply from Barista" in text_of(client.post(test, {"do": "try", "said": "Hi\ncoffee", "minutes": ""}))
    tried = cast.key.post(f"{path}/test", {"messages": [{"text": "a"}, {"text": "human"}]}).data["steps"]
    assert [(one["conversation"], one["rules"]) for one in tried] == [(0, []), (1, [0])]


def test_who_may_not_change_it_only_looks(cast: Cast) -> None:
    path, home = made(cast, conversations=texts("One"))
    with cast.scope():
        role = Role.objects.create(name="Reader", permission={"manual-chatbot": {"GET": True}})
        reader = MemberFactory(status=Member.Status.ACCEPTED, role=role)
        id = ManualChatbot.objects.get().pk
    client = enter(reader)
    home = at(reader, f"chatbots/{id}")
    page = client.get(home)
    assert (page.status_code, "Publish" in text_of(page), "Add a step" in text_of(page)) == (200, False, False)
    assert client.post(f"{home}/step", {"node": "text-1", "config.text": "x"}).status_code == 403
    assert client.post(home, {"do": "act", "act": "delete:text-1"}).status_code == 403
    assert said(cast, path) == ["One"]
