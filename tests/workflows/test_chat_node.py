"""The node that writes by chat: an approved template, once, and to nobody who must not be written to."""

from __future__ import annotations

from outreach.models import ChatApp, ChatOptOut, ChatTemplate, ConversationMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.workflows.helpers import node, published, runs, work

BODY = {"type": "BODY", "text": "Hello {{1}}, see you.", "example": {"body_text": [["Ann"]]}}


def _template(**values: object) -> str:
    app = ChatApp.objects.create(name="Us", phone_number_id="1", waba_id="2", access_token="t")
    given = {"variables": {"1": "contact.firstName"}, "status": "APPROVED", **values}
    return str(ChatTemplate.objects.create(app=app, name="hi", language="en", components=[BODY], **given).pk)


def test_it_writes_once_and_not_to_those_who_want_nothing(cast: Cast) -> None:
    with cast.scope():
        template = _template()
        numbers = ("+4915100000001", "+4915100000002", None)
        ids = [ContactFactory(name="Ann Lee", custom={}, contact_number=number).pk for number in numbers]
        ChatOptOut.objects.create(phone=numbers[1])
    graph = [node("a", "chat", {"template": template})]
    workflow = published(cast, graph, [], triggerEventType="manual")
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"ids": ids}).status == 201
    work()
    with cast.scope():
        jobs = {job.contact_id: job for job in SendJob.objects.all()}
        assert [(jobs[id].status, jobs[id].reason) for id in ids] == [
            ("approved", ""),
            ("suppressed", "address_suppressed"),
            ("failed", "no_valid_address"),
        ]
        assert (jobs[ids[0]].text, jobs[ids[0]].chat["type"]) == ("Hello Ann, see you.", "template")
        assert ConversationMessage.objects.get().send_job_id == jobs[ids[0]].pk
    for run in runs(cast, workflow):
        assert cast.key.post(f"/workflow/runs/{run.pk}/restart", {}).status == 200
    work()
    with cast.scope():
        assert SendJob.objects.count() == 3


def test_what_it_lacks_is_told_when_it_is_written(cast: Cast) -> None:
    with cast.scope():
        draft = _template(status="DRAFT")
    for template in (draft, "0" * 24):
        body = {"name": "Draft", "triggerEventType": "manual", "nodes": [node("a", "chat", {"template": template})]}
        answer = cast.key.post("/workflow", {**body, "edges": []})
        assert [one["code"] for one in answer.data["validation"]["errors"]] == ["templateMissing"]
