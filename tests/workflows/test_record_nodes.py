"""Nodes that look records up, and that make meetings and call logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.ids import new_id
from crm.models import CallLog, Contact, ContactTag, Lead, Meeting
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import edges, node, published, runs, when, work
from workflows.models import WorkflowRun

LATER = "2031-03-09T14:30:00+01:00"


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def leads(cast: Cast, *names: str) -> list[str]:
    with cast.scope():
        return [LeadFactory(contact__name=name, contact__custom={}, custom={}).pk for name in names]


def went(cast: Cast, type: str, config: dict[str, Any], ids: list[str], *more: dict[str, Any]) -> list[WorkflowRun]:
    """Run a workflow of one node, and of further ones, for leads; returns the runs in the order of the ids."""
    chain = [node("a", type, config), *more]
    ways = {"a": "a:found"}
    pairs = zip(chain, more, strict=False)
    lines = [f"{ways.get(one['id'], one['id'])} > {after['id']}" for one, after in pairs]
    workflow = published(cast, chain, edges(*lines), triggerEventType="manual")
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"ids": ids, "panel": "lead"}).status == 201
    work()
    found = {run.lead_id: run for run in runs(cast, workflow)}
    return [found[id] for id in ids]


def problems(cast: Cast, type: str, config: dict[str, Any]) -> list[tuple[str, str]]:
    body = {"name": "Draft", "triggerEventType": "manual", "nodes": [node("a", type, config)], "edges": []}
    found = cast.key.post("/workflow", body).data["validation"]["errors"]
    return [(one["code"], one["path"]) for one in found]


def test_records_are_found_as_lists_find_them(cast: Cast) -> None:
    [id] = leads(cast, "Seeker")
    with cast.scope():
        people = [ContactFactory(name=f"Zoe {place}", custom={}).pk for place in range(3)]
        ContactFactory(name="Zoe gone", custom={}, is_deleted=True)
    with make_cast().scope():
        ContactFactory(name="Zoe elsewhere", custom={})
    keep = node("keep", "set", {"values": {"found": "{{ steps.a.records }}", "count": "{{ steps.a.count }}"}})
    config = {"filter": when("name", "startsWith", "Zoe"), "sortBy": "name", "sortOrder": "asc", "limit": 2}
    [run] = went(cast, "find", {**config, "fields": ["name"]}, [id], keep)
    records = [{"_id": people[place], "name": f"Zoe {place}"} for place in range(2)]
    assert run.state["vars"] == {"found": records, "count": 2}
    [run] = went(cast, "find", {**config, "limit": 9, "sortOrder": "desc"}, [id], keep)
    assert run.state["vars"]["found"] == [{"_id": one} for one in reversed(people)]
    [run] = went(cast, "find", {"filter": when("name", "startsWith", "Nobody")}, [id], keep)
    assert (run.status, run.state["vars"]) == ("completed", {})


def test_what_is_sought_may_follow_from_the_run(cast: Cast) -> None:
    ids = leads(cast, "Ann", "Bob", "{{ contact.email }}", "' OR 1=1 --")
    keep = node("keep", "set", {"values": {"found": "{{ steps.a.records.0.name }}"}})
    config = {"filter": when("name", "equals", "{{ contact.name }}"), "fields": ["name"]}
    found = went(cast, "find", config, ids, keep)
    names = ["Ann", "Bob", "{{ contact.email }}", "' OR 1=1 --"]
    assert [run.state["vars"]["found"] for run in found] == names
    broken = {"panel": "lead", "filter": when("createdAt", "after", "{{ contact.name }}")}
    assert {(run.status, run.error_code) for run in went(cast, "find", broken, ids)} == {
        ("failed", "InvalidRequest_400")
    }
    empty = {"filter": when("name", "equals", "{{ vars.nothing }}")}
    [run] = went(cast, "find", empty, ids[:1], keep)
    assert (run.status, run.state["vars"]) == ("completed", {})


def test_fields_that_there_are_not_are_told_of(cast: Cast) -> None:
    for config, wanted in (
        ({"filter": when("nothing", "equals", "{{ contact.name }}")}, ("unknownField", "config.filter")),
        ({"filter": when("name", "greaterThan", 1)}, ("badValue", "config.filter")),
        ({"filter": {"conditions": 1}}, ("badValue", "config.filter")),
        ({"filter": when("name", "isEmpty"), "sortBy": "nothing"}, ("unknownField", "config.sortBy")),
        ({"filter": when("name", "isEmpty"), "fields": ["nothing"]}, ("unknownField", "config.fields.0")),
        ({"filter": when("name", "isEmpty"), "limit": 201}, ("badValue", "config.limit")),
    ):
        assert problems(cast, "find", config) == [wanted], config


def test_meetings_and_calls_are_made_for_the_record(cast: Cast) -> None:
    ids = leads(cast, "Ann", "Bob")
    config = {"title": "With {{ contact.name }}", "startsAt": LATER, "durationMinutes": 45, "remindMinutes": 10}
    assert {run.status for run in went(cast, "meeting", config, ids)} == {"completed"}
    with cast.scope():
        found = Meeting.objects.filter(lead__in=ids).order_by("title")
        assert [one.title for one in found] == ["With Ann", "With Bob"]
        assert {(one.ends_at - one.starts_at).seconds for one in found} == {45 * 60}
        assert [one.attendees.get().contact_id for one in found] == [one.contact_id for one in found]
    config = {"notes": "{{ contact.name }}", "duration": "{{ contact.name | length }}", "outcome": "no_answer"}
    assert {run.status for run in went(cast, "call", config, ids)} == {"completed"}
    with cast.scope():
        calls = CallLog.objects.filter(lead__in=ids).order_by("notes")
        assert [(one.notes, one.duration_seconds, one.outcome) for one in calls] == [
            ("Ann", 3, "no_answer"),
            ("Bob", 3, "no_answer"),
        ]


def test_what_their_endpoints_refuse_fails_one_run_alone(cast: Cast) -> None:
    ids = leads(cast, LATER, "no time")
    at = {"startsAt": "{{ contact.name }}"}
    found = went(cast, "meeting", {"title": "M", **at}, ids)
    assert [(run.status, run.error_code) for run in found] == [("completed", ""), ("failed", "badValue")]
    for config, code in (
        ({"title": "M", "startsAt": LATER, "link": "javascript:alert(1)"}, "InvalidInput_400"),
        ({"title": "{{ vars.nothing }}", "startsAt": LATER}, "InvalidInput_400"),
    ):
        assert [run.error_code for run in went(cast, "meeting", config, ids[:1])] == [code]
    for config, code in (
        ({"startedAt": LATER}, "InvalidInput_400"),
        ({"duration": "-1"}, "InvalidInput_400"),
        ({"recording": "file:///etc/passwd"}, "InvalidInput_400"),
        ({"number": "what"}, "InvalidInput_400"),
    ):
        assert [run.error_code for run in went(cast, "call", config, ids[:1])] == [code], config
    stranger = make_cast().owner.pk
    assert problems(cast, "meeting", {"title": "M", "startsAt": LATER, "members": [stranger]}) == [
        ("memberMissing", "config.members")
    ]
    assert problems(cast, "call", {"member": new_id()}) == [("memberMissing", "config.member")]


def test_an_address_alone_finds_the_contact_to_change(cast: Cast) -> None:
    with cast.scope():
        known = ContactFactory(email="Ann@example.org", name="Ann")
        tag = TagFactory()
    values = {"email": "{{ trigger.input.mail }}", "name": "Changed"}
    nodes = [node("up", "contact", {"action": "upsert", "values": values, "tags": [tag.pk]})]
    id = published(cast, nodes, edges(), triggerEventType="manual")
    for mail in ("ann@EXAMPLE.org", "nobody@example.org"):
        cast.key.post(f"/workflow/{id}/enrol", {"withoutRecord": True, "input": {"mail": mail}})
    work()
    first, second = runs(cast, id)
    assert (first.status, first.contact_id) == ("completed", known.pk), first.error
    assert (second.status, second.error_node) == ("failed", "up")
    with cast.scope():
        assert Contact.objects.get(pk=known.pk).name == "Changed"
        assert list(ContactTag.objects.filter(contact=known).values_list("tag", flat=True)) == [tag.pk]


def test_leads_are_moved_to_a_stage(cast: Cast) -> None:
    stages = stage_ids(make_pipeline(cast, "By workflow"))
    [id] = leads(cast, "Mover")
    values = {"stage": stages["Offered"], "expectedCloseAt": "2031-03-09"}
    [run] = went(cast, "lead", {"action": "update", "values": values}, [id])
    assert run.status == "completed", run.reason
    with cast.scope():
        lead = Lead.objects.get(pk=id)
        assert (lead.stage_id, lead.status, str(lead.expected_close_at.date())) == (
            stages["Offered"],
            "new",
            "2031-03-09",
        )
    [run] = went(cast, "lead", {"action": "update", "stage": stages["Ordered"]}, [id])
    assert run.status == "completed", run.reason
    with cast.scope():
        assert Lead.objects.values_list("stage_id", "status").get(pk=id) == (stages["Ordered"], "won")
    [failed] = went(cast, "lead", {"action": "update", "values": {"stage": new_id()}}, [id])
    assert failed.status == "failed"


def test_settings_name_a_stage_of_the_company_and_set_it(cast: Cast) -> None:
    elsewhere = stage_ids(make_pipeline(make_cast(), "Elsewhere"))["Offered"]
    assert problems(cast, "lead", {"action": "update", "stage": elsewhere}) == [("stageMissing", "config.stage")]
    added = {"action": "update", "stage": elsewhere, "updateType": "append"}
    assert [code for code, _ in problems(cast, "lead", added)] == ["badValue"]
    assert [code for code, _ in problems(cast, "lead", {"action": "update"})] == ["badValue"]
