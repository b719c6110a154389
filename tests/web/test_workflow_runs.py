"""The pages of workflow runs: what they wait for, trying again, and starting them from lists."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from core.jobs import WORK
from crm.models import BulkJob
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.models import WorkflowRun
from workflows.runs.pages import _value_text

EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_runs_are_looked_at_and_tried_again(cast: Cast, client: Client) -> None:
    lines = edges("trigger > n", "n > f")
    steps = [node("trigger", "trigger"), node("n", "note", {"notes": "Hi"}), node("f", "followUp", {"title": "Call"})]
    id = published(cast, steps, lines)
    person = contact(cast, name=EVIL)
    work()
    [run] = runs(cast, id)
    place = at(cast.owner, f"workflows/{id}")
    told = text_of(client.get(at(cast.owner, f"contacts/{person}")))
    assert "by the workflow Welcome" in told
    listed = client.get(f"{place}/runs?f=status:in:failed")
    assert ("Failed" in text_of(listed), "<script>alert" in html_of(listed)) == (True, False)
    page = at(cast.owner, f"workflow-runs/{run.pk}")
    shown = text_of(client.get(page))
    assert ("Failed at Task" in shown, "The run has no lead" in shown) == (True, True)
    assert "1 failed" in text_of(client.get(f"{place}/live"))
    assert "Restarted from that step" in toast_of(client, client.post(f"{page}?node=f", {"do": "retry"}))
    work()
    shown = text_of(client.get(page))
    assert ("2 attempts" in shown, "Earlier attempts" in shown, shown.count("Task Failed")) == (True, True, 1)
    again = client.post(f"{place}/runs?f=status:in:failed", {"do": "redrive", "all": "1"})
    assert "Retrying failed runs" in toast_of(client, again)
    WORK["bulk-job"].drain(float("inf"))
    work()
    step = f"{place}/step?node=f"
    assert "Retry failed runs" in text_of(client.get(step))
    assert "Retry failed runs" not in text_of(client.get(f"{place}/step?node=n"))
    assert "Retrying failed runs" in toast_of(client, client.post(step, {"do": "redrive", "latest": "on"}))
    WORK["bulk-job"].drain(float("inf"))
    with cast.scope():
        jobs = BulkJob.objects.order_by("pk").values_list("total", "change__version", "status")
        assert list(jobs) == [(1, "same", "completed"), (1, "latest", "completed")]
    work()
    assert "Cancelled" in toast_of(client, client.post(page, {"do": "cancel"})) or runs(cast, id)[0].status == "failed"
    of = at(cast.owner, f"workflows/of?contact={person}")
    assert f"Workflows of {EVIL}" in text_of(client.get(of))
    started = client.post(of, {"do": "start", "workflow": id})
    assert "1 run started" in toast_of(client, started)
    tried = client.post(f"{place}/test", {"do": "try"})
    assert ("A step failed" in text_of(tried), "The run has no lead" in text_of(tried)) == (True, True)
    with cast.scope():
        assert WorkflowRun.objects.count() == 2
    assert client.post(place, {"do": "act", "act": "delete:f"}).status_code == 303
    compared = text_of(client.get(f"{place}/compare?a=1&b=draft"))
    assert "Removed Task" in compared
    told = text_of(client.get(f"{place}/publish"))
    assert ("Runs of older versions" in told, "Removed Task" in told) == (True, True)
    assert "Version 2 is published" in toast_of(
        client, client.post(f"{place}/publish", {"do": "publish", "runs": "cancel"})
    )
    assert "contact.name" in text_of(client.get(f"{place}/values?node=n"))


def test_a_run_says_what_it_waits_for_and_which_way_it_took(cast: Cast, client: Client) -> None:
    nodes = [
        node("trigger", "trigger"),
        node("if", "condition", {"filter": when("contact.name", "equals", "Nobody")}),
        node("off", "note", {"notes": "Hi"}, disabled=True),
        node("w", "wait", {"for": {"amount": 2, "unit": "hours"}}, label="A rest"),
        node("end", "followUp", {"title": "Call"}),
    ]
    id = published(cast, nodes, edges("trigger > if", "if:false > off", "off > w", "w > end"))
    contact(cast)
    work()
    [run] = runs(cast, id)
    page = at(cast.owner, f"workflow-runs/{run.pk}")
    shown = text_of(client.get(page))
    for words in (
        "“A rest” continues in",
        "Condition Completed → If no",
        "Note Skipped",
        "A rest Waiting",
        "repeats steps",
    ):
        assert words in shown, shown
    # Not published: nothing of it can go on, and the page says what helps instead of a button in vain.
    place = at(cast.owner, f"workflows/{id}")
    client.post(place, {"do": "unpublish"})
    held = text_of(client.get(page))
    assert "Publish it to continue its runs" in held
    assert ("Resume" in held, "from here" in held) == (False, False)
    client.post(place, {"do": "publish"})
    with time_machine.travel(timezone.now() + timedelta(hours=3), tick=False):
        work()
        shown = text_of(client.get(page))
    assert ("A rest Waited" in shown, "Failed at Task" in shown) == (True, True), shown
    assert ("Try again" in shown, "the latest" in shown) == (True, False)
    # The workflow is mended: what failed goes on in the version that is published by then.
    client.post(place, {"do": "act", "act": "delete:end"})
    client.post(place, {"do": "publish"})
    assert "Use the latest version, 2" in text_of(client.get(page))
    again = toast_of(client, client.post(page, {"do": "again", "latest": "on"}))
    assert "the latest version does not have" in again
    with time_machine.travel(timezone.now() + timedelta(hours=3), tick=False):
        client.post(f"{page}?node=off", {"do": "retry", "latest": "on"})
        work()
    assert cast.key.get(f"/workflow/runs/{run.pk}").data["version"] == 2


def test_a_workflow_is_started_for_the_selection_of_a_list(cast: Cast, client: Client) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges(), triggerEventType="manual")
    body = {"name": "A draft", "triggerEventType": "contact.created", "nodes": [node("trigger", "trigger")]}
    draft = cast.key.post("/workflow", {**body, "edges": []}).data["_id"]
    people = [contact(cast, name=f"Ann {n}", email=f"ann{n}@example.org", number=f"151234567{n}") for n in range(3)]
    path = at(cast.owner, "contacts")
    assert 'formaction="' + path + '/start?"' in html_of(client.get(path))
    assert "Choose records in the list first" in toast_of(client, client.post(f"{path}/start", {"do": "choose"}))
    chosen = client.post(f"{path}/start?q=Ann", {"do": "choose", "ids": people[:2]})
    assert ("2 contacts" in text_of(chosen), f'value="{people[1]}"' in html_of(chosen)) == (True, True)
    assert draft not in html_of(chosen)
    sent = {"do": "save", "ids": people[:2]}
    for wrong in ("", draft, "../contact"):
        assert client.post(f"{path}/start?q=Ann", {**sent, "workflow": wrong}).status_code == 422
    started = client.post(f"{path}/start?q=Ann", {**sent, "workflow": id})
    assert started["Location"] == f"{path}?q=Ann"
    assert "2 runs started" in toast_of(client, started)
    everybody = client.post(f"{path}/start?q=Ann+2", {"do": "save", "all": "1", "workflow": id})
    assert "1 run started" in toast_of(client, everybody)
    assert {run.contact_id for run in runs(cast, id)} == set(people)
    viewer = enter(cast.narrow)
    refused = viewer.post(f"{path}/start", {**sent, "workflow": id})
    assert "start workflows" in toast_of(viewer, refused)
    assert "Start a workflow" not in text_of(viewer.get(path))


def test_a_workflow_is_started_for_leads(cast: Cast, client: Client) -> None:
    id = published(cast, [node("a", "set", {"values": {"a": 1}})], edges(), triggerEventType="manual")
    person = contact(cast)
    lead = cast.key.post("/lead", {"contact": person, "formData": {}})
    path = at(cast.owner, "leads")
    started = client.post(f"{path}/start", {"do": "save", "ids": [lead.data["_id"]], "workflow": id})
    assert "1 run started" in toast_of(client, started)
    assert runs(cast, id)[0].lead_id == lead.data["_id"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"status": "approved"}, "Status: Approved"),
        ({"sentAt": None, "count": 2, "isNew": True}, "Sent: \nCount: 2\nNew: true"),
        ({"lead": {"name": "Ann"}}, '{\n  "lead": {\n    "name": "Ann"\n  }\n}'),
        ("Hi", '"Hi"'),
        ({}, ""),
        (None, ""),
    ],
)
def test_plain_values_of_steps_are_lines(value: Any, text: str) -> None:
    assert _value_text(value) == text
