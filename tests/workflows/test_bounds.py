"""Bounds: what is echoed, how much a mail holds, which times a schedule has, whom an enrolment names."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from core.ids import new_id
from core.outbound_http import HttpAnswer
from core.text.redaction import HIDDEN, Redactor
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.engine import slices
from workflows.engine.interpreter import MAX_TOKENS
from workflows.graphs.settings import Schedule
from workflows.nodes import http
from workflows.nodes.requests import CallToMake

SECRET = 'user:zq-pass/"word"-zq'
PASSWORD = SECRET.partition(":")[2]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_what_a_server_echoes_of_a_secret_is_not_kept(monkeypatch: pytest.MonkeyPatch, status: int, kind: str) -> None:
    coded = base64.b64encode(SECRET.encode()).decode()

    def echo(method: str, url: str, *, headers: Any, **_: Any) -> HttpAnswer:
        assert headers["Authorization"] == f"Basic {coded}"
        escaped = PASSWORD.replace('"', '\\"')
        body = f'{{"{coded}": "x", "a": ["{escaped}"], "b": "{"." * 270}{coded}"}}'.encode()
        return HttpAnswer(status, {"Content-Type": kind, "X-Echo": "." * 490 + coded}, body)

    monkeypatch.setattr(http, "send_request", echo)
    monkeypatch.setattr(http, "secret_for", lambda id, host: SECRET)
    request = {
        "method": "POST",
        "url": "https://api.example.org/",
        "headers": {},
        "body": "x",
        "timeout": 1,
        "success": [],
        "auth": {"secret": "1", "how": "basic", "header": ""},
    }
    made = http.make(CallToMake("1", "key", True, request))
    told = str(made.as_json())
    assert HIDDEN in told
    assert not any(part in told for part in (PASSWORD, "zq-pass", coded[:12]))


def test_a_secret_of_a_few_letters_is_not_looked_for() -> None:
    assert Redactor(["a"]).text("banana") == "banana"
    assert Redactor(["abcd"]).value({"abcd": [1, None, "xabcdx"]}) == {HIDDEN: [1, None, f"x{HIDDEN}x"]}


@pytest.mark.parametrize(
    "schedule",
    [
        {"type": "interval", "every": {"amount": 100_000, "unit": "months"}},
        {"type": "dates", "at": ["9999-12-31T23:59:59-14:00"]},
        {"type": "dates", "at": ["0001-01-01T00:00:00+14:00"]},
        {"type": "cron", "cron": "0 9 * * *", "from": "9999-12-31T23:59:59-14:00"},
    ],
)
def test_times_beyond_the_calendar_are_refused(cast: Cast, schedule: dict[str, Any]) -> None:
    graph = {"nodes": [node("n", "set", {"values": {"a": 1}})], "edges": []}
    made = cast.key.post("/workflow", {"name": "W", "triggerEventType": "schedule", "schedule": schedule, **graph})
    refused = cast.key.post(f"/workflow/{made.data['_id']}/publish")
    assert refused.status == 400, refused.body
    assert refused.body["errors"][0]["path"].startswith("schedule")
    Schedule.model_validate({"type": "interval", "every": {"amount": 1200, "unit": "months"}})


def test_an_enrolment_of_nobody_that_there_is(cast: Cast) -> None:
    id = published(cast, [node("n", "set", {"values": {"a": 1}})], [], triggerEventType="manual")
    for panel, name in (("contact", "ContactNotFound_404"), ("lead", "LeadNotFound_404")):
        answer = cast.key.post(f"/workflow/{id}/enrol", {"ids": [new_id()], "panel": panel})
        assert answer.status == 404, answer.body
        assert name.partition("_")[0] in str(answer.body) or "none of them" in str(answer.body)


def test_a_mail_has_at_most_so_many_references(cast: Cast) -> None:
    config = {"subject": "s", "body": "{{ contact.name }} " * 201}
    body = {"name": "W", "triggerEventType": "manual", "nodes": [node("n", "mail", config)], "edges": []}
    id = cast.key.post("/workflow", body).data["_id"]
    refused = cast.key.post(f"/workflow/{id}/publish")
    assert refused.status == 400
    assert "more than 200 references" in str(refused.body["errors"])


def _fan(width: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return 40 nodes, each of which leads to the next `width` ones."""
    nodes = [node(f"n{place}", "set", {"values": {"a": place}}) for place in range(40)]
    lines = [f"n{place} > n{to}" for place in range(40) for to in range(place + 1, min(place + 1 + width, 40))]
    return nodes, edges("trigger > n0", *lines)


def test_a_run_without_an_end_of_branches_fails_and_keeps_no_other_waiting(cast: Cast) -> None:
    other = published(cast, [node("n", "set", {"values": {"a": 1}})], edges("trigger > n"), triggerEventType="manual")
    id = published(cast, *_fan(2), triggerEventType="manual")
    person = contact(cast)
    for workflow in (id, other):
        assert cast.key.post(f"/workflow/{workflow}/enrol", {"ids": [person]}).data["startedCount"] == 1
    slices.work_slice()
    assert [run.status for run in runs(cast, other)] == ["completed"]
    work()
    [run] = runs(cast, id)
    assert (run.status, run.error_code) == ("failed", "tooManyBranches")
    assert run.error == f"the run has more than {MAX_TOKENS} branches at a time"
    assert run.seq <= 2 * MAX_TOKENS


def test_a_join_takes_many_branches_together(cast: Cast) -> None:
    nodes = [node(f"n{place}", "set", {"values": {"a": place}}) for place in range(190)]
    nodes += [node("join", "join"), node("end", "set", {"values": {"b": 1}})]
    lines = [line for place in range(190) for line in (f"trigger > n{place}", f"n{place} > join")]
    id = published(cast, nodes, edges(*lines, "join > end"), triggerEventType="manual")
    cast.key.post(f"/workflow/{id}/enrol", {"ids": [contact(cast)]})
    work()
    [run] = runs(cast, id)
    assert (run.status, run.seq, run.state["vars"]) == ("completed", 193, {"a": 189, "b": 1})
