"""The page that tries a workflow with a real record, and the search over its triggers."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from core.models import Event
from crm.activities.services import add_note
from tests.kit.cast import Cast
from tests.web.helpers import enter, text_of
from tests.web.test_workflows import made
from tests.workflows.helpers import contact, node
from workflows.definitions.pages.trial_records import LISTS
from workflows.models import WorkflowRun


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def people(cast: Cast, *names: str) -> list[str]:
    return [
        contact(cast, name=name, email=f"{name.split()[0].lower()}@example.org", number=f"15123456{place:02}")
        for place, name in enumerate(names, 10)
    ]


def test_five_newest_contacts_are_offered_and_a_search_finds_others(cast: Cast, client: Client) -> None:
    names = ("Ada One", "Bea Two", "Cy Three", "Di Four", "Ed Five", "Flo Six", "Gus Seven")
    ids = people(cast, *names)
    mail = node("s", "set", {"values": {"text": "Hello {{ contact.name }}"}})
    _, place = made(cast, mail, lines=("trigger > s",))
    shown = text_of(client.get(f"{place}/test"))
    assert [name in shown for name in names] == [False, False, True, True, True, True, True]
    found = text_of(client.get(f"{place}/test?q=ada"))
    assert ("Ada One" in found, "Gus Seven" in found, "No record" in found) == (True, False, True)
    assert "No records match." in text_of(client.get(f"{place}/test?q=nobody"))
    tried = text_of(client.post(f"{place}/test", {"do": "try", "record": ids[0], "q": "ada"}))
    assert "Completed · Ada One" in tried
    assert "Hello Ada One" in tried
    without = text_of(client.post(f"{place}/test", {"do": "try", "record": ""}))
    assert "Ada One" not in without
    assert client.post(f"{place}/test", {"do": "try", "record": "0" * 24}).status_code == 422
    with cast.scope():
        assert not WorkflowRun.objects.exists()


@pytest.mark.parametrize("kept", [True, False])
def test_a_note_is_tried_with_its_own_text(cast: Cast, client: Client, kept: bool) -> None:
    [person] = people(cast, "Ada One")
    lead = cast.key.post("/lead", {"contact": person}).data["_id"]
    with cast.scope():
        note = add_note(actor_id=None, lead_id=lead, contact_id=None, notes="Ring tomorrow")
        if not kept:
            Event.objects.all().delete()
    step = node("s", "set", {"values": {"text": "{{ trigger.payload.notes }} by {{ contact.name }}"}})
    _, place = made(cast, step, lines=("trigger > s",), triggerEventType="note.created")
    assert "Ring tomorrow · Ada One" in text_of(client.get(f"{place}/test"))
    tried = text_of(client.post(f"{place}/test", {"do": "try", "record": note}))
    assert "Ring tomorrow by Ada One" in tried


def test_a_workflow_without_records_says_so(cast: Cast, client: Client) -> None:
    cron = {"type": "cron", "cron": "0 9 * * 1", "timezone": "UTC"}
    for kind, schedule in (("schedule", cron), ("webhook", None)):
        _, place = made(cast, triggerEventType=kind, schedule=schedule)
        assert "This workflow starts without a record." in text_of(client.get(f"{place}/test"))
    audience = {"panel": "contact", "filter": {"operator": "and", "conditions": []}}
    people(cast, "Ada One")
    _, place = made(cast, triggerEventType="schedule", schedule={**cron, "audience": audience})
    assert "Ada One" in text_of(client.get(f"{place}/test"))


@pytest.mark.parametrize("kind", sorted(LISTS))
def test_each_list_of_records_answers(cast: Cast, kind: str) -> None:
    path, filters = LISTS[kind]
    query = {"p": "1", "n": "5", "sortBy": "createdAt", "sortOrder": "desc", "searchValue": "ann"}
    answer = cast.session.get(f"/{path}", **query, **({"filters": json.dumps(filters)} if filters else {}))
    assert answer.status == 200, answer.body


def test_the_page_takes_few_queries(cast: Cast, client: Client, django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    people(cast, "Ada One")
    for kind in ("contact.created", "manual", "meeting.booked"):
        _, place = made(cast, triggerEventType=kind)
        client.get(f"{place}/test")
        with django_assert_max_num_queries(16):
            client.get(f"{place}/test")


@pytest.mark.parametrize("payload", ['{"a": "\\ud800"}', '{"a": NaN}', "[1]", "{", "[" * 2000])
def test_a_payload_that_is_no_json_object_is_refused(cast: Cast, client: Client, payload: str) -> None:
    _, place = made(cast)
    refused = client.post(f"{place}/test", {"do": "try", "record": "", "payload": payload})
    assert refused.status_code == 422
    assert "Write a JSON object" in text_of(refused)
