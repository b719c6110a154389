"""POST /workflow/:id/test with `record`: the run that a real record of the trigger's kind would start."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from core.events import emit
from core.models import Event
from crm.activities.services import add_note
from crm.models import Contact
from outreach.messaging.inbox.receiving.effects import event_payload
from outreach.models import GenieScheduler, InboundMessage, SendJob
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, node
from workflows.models import WorkflowRun

SHOW = node("s", "set", {"values": {"who": "{{ contact.name }}", "object": "{{ trigger.objectId }}"}})


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def draft(cast: Cast, kind: str, values: dict[str, str] | None = None, **more: Any) -> str:
    steps = [SHOW] if values is None else [node("s", "set", {"values": values})]
    body = {"name": "Draft", "triggerEventType": kind, "nodes": steps, "edges": [], **more}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def values_of(cast: Cast, id: str, **body: Any) -> Any:
    """Return the values of the first step of a dry run that names a record."""
    answer = cast.key.post(f"/workflow/{id}/test", body)
    assert answer.status == 200, answer.body
    steps = {step["node"]: step for step in answer.data["steps"]}
    return steps["s"]["output"]


def forget_events(cast: Cast) -> None:
    with cast.scope():
        Event.objects.all().delete()


def test_a_contact_is_tried_with_its_values_and_nothing_stays(cast: Cast) -> None:
    person = contact(cast)
    id = draft(cast, "contact.created")
    for caller in (cast.key, cast.session):
        answer = caller.post(f"/workflow/{id}/test", {"record": person})
        assert answer.status == 200, answer.body
        assert answer.data["steps"][-1]["output"] == {"who": "Ann Example", "object": person}
    forget_events(cast)
    assert values_of(cast, id, record=person) == {"who": "Ann Example", "object": person}
    with cast.scope():
        assert not WorkflowRun.objects.exists()


def test_the_latest_event_gives_the_payload_and_else_the_record_does(cast: Cast) -> None:
    person = contact(cast)
    with cast.scope():
        note = add_note(actor_id=None, lead_id=None, contact_id=person, notes="Call her")
    id = draft(cast, "note.created", {"text": "{{ trigger.payload.notes }}"})
    assert values_of(cast, id, record=note) == {"text": "Call her"}
    with cast.scope():
        Event.objects.filter(kind="note.created").update(payload={"contact": person, "notes": "As it was"})
    assert values_of(cast, id, record=note) == {"text": "As it was"}
    assert values_of(cast, id, record=note, trigger={"notes": "Given"}) == {"text": "Given"}
    forget_events(cast)
    assert values_of(cast, id, record=note) == {"text": "Call her"}


def test_a_task_without_events_has_the_payload_of_its_event(cast: Cast) -> None:
    lead = cast.key.post("/lead", {"contact": contact(cast)}).data["_id"]
    body = {"lead": lead, "title": "Ring", "dueAt": "2031-05-01T09:00:00Z"}
    task = cast.key.post("/lead-activity/follow-up", body)
    assert task.status in (200, 201), task.body
    texts = {"title": "{{ trigger.payload.title }}", "due": "{{ trigger.payload.dueAt }}", "who": "{{ contact.name }}"}
    id = draft(cast, "follow-up.created", texts)
    before = values_of(cast, id, record=task.data["_id"])
    forget_events(cast)
    assert values_of(cast, id, record=task.data["_id"]) == before
    assert (before["title"], before["who"]) == ("Ring", "Ann Example")


@pytest.mark.parametrize("events", [True, False])
def test_a_reply_is_tried_with_its_text(cast: Cast, events: bool) -> None:
    person = contact(cast)
    with cast.scope():
        job = SendJob.objects.create(
            run=GenieScheduler.objects.create(ai_type="offline"), contact_id=person, subject="Hello", status="sent"
        )
        reply = InboundMessage.objects.create(
            kind="reply", uid_validity=1, uid=1, digest="a", from_email="ann@example.org", subject="Re: Hello",
            text="Yes please", send_job=job, matched_by="reference", received_at=timezone.now(),
        )  # fmt: skip
        if events:
            with transaction.atomic():
                emit("mail.replied", [reply.pk], payloads={reply.pk: event_payload("mail.replied", reply, job)})
    mail = node("m", "mail", {"subject": "Re {{ contact.name }}", "body": "{{ trigger.payload.text }}"})
    id = draft(cast, "mail.replied", {"text": "{{ trigger.payload.text }}"})
    assert values_of(cast, id, record=reply.pk) == {"text": "Yes please"}
    id = draft(cast, "mail.replied", nodes=[mail])
    answer = cast.key.post(f"/workflow/{id}/test", {"record": reply.pk})
    assert answer.data["steps"][-1]["input"]["subject"] == "Re Ann Example"


def test_a_schedule_takes_records_of_its_audience_alone(cast: Cast) -> None:
    person = contact(cast)
    cron = {"type": "cron", "cron": "0 9 * * 1", "timezone": "UTC"}
    audience = {"panel": "contact", "filter": {"operator": "and", "conditions": []}}
    id = draft(cast, "schedule", {"who": "{{ contact.name }}"}, schedule={**cron, "audience": audience})
    assert values_of(cast, id, record=person) == {"who": "Ann Example"}
    for kind, more in (("schedule", {"schedule": cron}), ("webhook", {})):
        answer = cast.key.post(f"/workflow/{draft(cast, kind, {'a': '1'}, **more)}/test", {"record": person})
        assert (answer.status, "record: the workflow starts without a record" in answer.body["warning"]) == (400, True)


def test_records_that_the_company_lacks_are_refused(cast: Cast) -> None:
    other = make_cast()
    foreign = contact(other)
    own = contact(cast)
    id = draft(cast, "contact.created")
    refused: list[dict[str, Any]] = [
        {"record": foreign},
        {"record": "0" * 24},
        {"record": own, "subject": {"panel": "contact", "_id": own}},
    ]
    for caller in (cast.key, cast.session):
        for body in refused:
            answer = caller.post(f"/workflow/{id}/test", body)
            assert (answer.status, "record" in answer.body["warning"]) == (400, True), answer.body
    with cast.scope():
        Contact.objects.filter(pk=own).update(is_deleted=True)
    assert cast.key.post(f"/workflow/{id}/test", {"record": own}).status == 400


def test_a_role_must_see_the_record_and_its_contact(db: None) -> None:
    cast = make_cast({"workflow": {"GET": True, "POST": True}, "lead-activity": {"GET": True}})
    person = contact(cast)
    with cast.scope():
        note = add_note(actor_id=None, lead_id=None, contact_id=person, notes="Call her")
    for kind, record in (("contact.created", person), ("note.created", note)):
        answer = cast.narrow_session.post(f"/workflow/{draft(cast, kind)}/test", {"record": record})
        assert (answer.status, "contact.GET" in answer.body["warning"]) == (403, True), answer.body
