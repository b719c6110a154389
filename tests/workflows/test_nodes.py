"""Every type of nodes: its settings, its schema, and that many runs at once get what one gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.notifications.models import Notification
from core.ids import new_id
from crm.models import FollowUp, Lead, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory, TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.examples import examples
from tests.workflows.helpers import edges, node, published, runs, work
from workflows.models import RunStep
from workflows.nodes.registry import NODE_TYPES


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def test_all_types_take_many_runs_at_once(cast: Cast) -> None:
    configs = examples(cast)
    # Types that wait for others have tests of their own: test_calls, test_waits, test_meeting_nodes, test_chat_node.
    waiting = {"http", "ai", "workflow", "approval", "waitFor", "meetingTime", "meetingResult", "chat"}
    assert set(configs) == {*NODE_TYPES} - waiting
    ways = {"condition": "true", "switch": "true", "split": "true", "loop": "done", "find": "found"}
    chain = [type for type in configs if type != "trigger"]
    lines = [f"{one}:{ways.get(one, 'out')} > {after}" for one, after in zip(chain, chain[1:], strict=False)]
    id = published(
        cast,
        [node(type, type, configs[type]) for type in configs],
        edges(f"trigger > {chain[0]}", *lines, "split:b > set"),
        triggerEventType="manual",
    )
    with cast.scope():
        leads = [LeadFactory(contact__custom={}, custom={}).pk for _ in range(3)]
    answer = cast.key.post(f"/workflow/{id}/enrol", {"ids": leads, "panel": "lead"})
    assert answer.data == {"selectedCount": 3, "startedCount": 3}
    work()
    found = runs(cast, id)
    assert {(run.status, run.reason) for run in found} == {("completed", "stop")}, [run.error for run in found]
    with cast.scope():
        for run in found:
            done = set(RunStep.objects.filter(run=run, status="done").values_list("node", flat=True))
            assert done == set(configs)
        assert {lead.status for lead in Lead.objects.filter(pk__in=leads)} == {"contacted"}
        assert Lead.objects.filter(team_member=cast.owner, tag_links__isnull=False).count() == 3
        names = {lead.contact.name for lead in Lead.objects.filter(pk__in=leads).select_related("contact")}
        assert all(name.endswith("(new)") for name in names)
        assert LeadActivity.objects.filter(kind="note", notes="contacted").count() == 3
        assert {one.title for one in FollowUp.objects.all()} == {f"Call {name}" for name in names}
        assert Notification.objects.filter(kind="workflow.notice").count() == 3


def test_a_run_that_fails_hinders_no_other(cast: Cast) -> None:
    values = {"status": "{{ lead.notes }}"}
    id = published(
        cast, [node("a", "lead", {"action": "update", "values": values})], edges(), triggerEventType="manual"
    )
    with cast.scope():
        leads = [LeadFactory(contact__custom={}, custom={}, notes=notes).pk for notes in ("won", "x" * 500, "lost")]
    cast.key.post(f"/workflow/{id}/enrol", {"ids": leads, "panel": "lead"})
    work()
    found = {run.lead_id: run for run in runs(cast, id)}
    assert [found[lead].status for lead in leads] == ["completed", "failed", "completed"]
    assert found[leads[1]].error_node == "a"


def test_a_run_without_the_record_says_so(cast: Cast) -> None:
    id = published(cast, [node("a", "tags", {"tags": [_tag(cast)]})], edges(), triggerEventType="manual")
    for vague in ({}, {"ids": []}, {"withoutRecord": True, "selectAll": True}):
        answer = cast.key.post(f"/workflow/{id}/enrol", vague)
        assert answer.body["warning"].startswith("ids, selectAll, withoutRecord: ")
    answer = cast.key.post(f"/workflow/{id}/enrol", {"withoutRecord": True})
    assert answer.data == {"selectedCount": 1, "startedCount": 1}
    work()
    (run,) = runs(cast, id)
    assert (run.status, run.error_code, run.error) == ("failed", "missing", "the run has no contact")
    assert cast.key.get(f"/workflow/runs/{new_id()}").status == 404


def _tag(cast: Cast) -> str:
    with cast.scope():
        return str(TagFactory().pk)


def test_values_that_would_not_fit_into_memory_fail_the_run(cast: Cast) -> None:
    """A list of a thousand references to a list of a thousand references, and so on."""
    grow = {"values": {"a": ["{{ vars.a }}"] * 1000}}
    chain = [node("a", "set", {"values": {"a": "x" * 50}}), *(node(f"g{n}", "set", grow) for n in range(4))]
    lines = edges("t > a", "a > g0", *(f"g{n} > g{n + 1}" for n in range(3)))
    workflow = published(cast, [node("t", "trigger"), *chain], lines, triggerEventType="manual")
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"withoutRecord": True}).status == 201
    work()
    [run] = runs(cast, workflow)
    assert (run.status, run.error_node, run.error_code) == ("failed", "g1", "tooLarge")


def test_nobody_is_assigned_who_is_not_there(cast: Cast) -> None:
    for config, code in (({"teamMember": make_cast().owner.pk}, "memberMissing"), ({"team": "0" * 24}, "teamMissing")):
        body = {"name": "Assign", "triggerEventType": "lead.created"}
        nodes = [node("t", "trigger"), node("a", "assign", config)]
        made = cast.key.post("/workflow", {**body, "nodes": nodes, "edges": edges("t > a")})
        assert [one["code"] for one in made.data["validation"]["errors"]] == [code], made.body


def test_a_text_that_gets_too_long_fails_the_step(cast: Cast) -> None:
    long = "{{ trigger.input.words }}"
    nodes = [
        node("cut", "set", {"values": {"a": "{{ trigger.input.words | truncate: 3 }}"}}),
        node("note", "set", {"values": {"a": f"{long}!"}}),
    ]
    id = published(cast, nodes, edges("cut > note"), triggerEventType="manual")
    for number in (9_999, 10_000):
        given = {"withoutRecord": True, "input": {"words": "x" * number}}
        assert cast.key.post(f"/workflow/{id}/enrol", given).status == 201
    work()
    assert [(run.status, run.error_code, run.error_node) for run in runs(cast, id)] == [
        ("completed", "", ""),
        ("failed", "tooLarge", "note"),
    ]
    assert cast.key.get("/workflow/catalogue").data["limits"]["textCharacters"] == 10_000
    wrong = [node("a", "set", {"values": {"a": long + "y" * 10_001}})]
    found = cast.key.put(f"/workflow/{id}", {"nodes": wrong, "edges": []}).data["validation"]["errors"]
    assert [one["code"] for one in found] == ["tooLarge"]
