"""Campaigns and steps of cadences by chat: approved templates, by the ledger and the rules of all outreach."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.messages.models import ResponseMessage
from crm.models import Contact, ContactTag
from outreach.models import AiApp, ChatApp, ChatOptOut, ChatTemplate, Conversation, ConversationMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.chat_vendor import ChatVendor, Fault, became, tell, wrote
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.outreach.helpers import work

DAYS = {"amount": 3, "unit": "days"}
AGAIN = {"type": "BODY", "text": "Still interested, {{1}}? Use {{2}} now.", "example": {"body_text": [["Ann", "X"]]}}


@pytest.fixture
def people(cast: Cast) -> dict[str, Any]:
    """A tag with five people: three with a number, one without, one who has opted out."""
    with cast.scope():
        tag = TagFactory()
        for place, name in enumerate(("Ada", "Bob", "Cleo", "Dora", "Emil")):
            number = None if name == "Dora" else f"+49151123456{place}0"
            made = ContactFactory(name=f"{name} Example", contact_number=number, custom={})
            ContactTag.objects.create(contact=made, tag=tag)
        ChatOptOut.objects.create(phone="+4915112345640")
        return {"tags": [tag.pk], "type": "chatapp"}


@pytest.fixture
def again(cast: Cast, app: ChatApp) -> ChatTemplate:
    with cast.scope():
        made: ChatTemplate = ChatTemplate.objects.create(
            app=app, name="again", language="en", components=[AGAIN], variables={}, status="APPROVED", vendor_id="t2"
        )
        return made


def made(cast: Cast, people: dict[str, Any], **values: Any) -> str:
    answer = cast.key.post("/campaign", {"name": "Spring", **people, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def begun(cast: Cast, people: dict[str, Any], **values: Any) -> str:
    id = made(cast, people, **values)
    answer = cast.session.post(f"/campaign/{id}/start")
    assert (answer.status, answer.data["status"]) == (200, "running"), answer.body
    work("genie")
    return id


def jobs(cast: Cast, id: str) -> list[SendJob]:
    with cast.scope():
        return list(SendJob.objects.filter(run__of_campaign=id).select_related("contact").order_by("step", "recipient"))


def sent_to(vendor: ChatVendor) -> list[tuple[str, str, list[str]]]:
    """Return (number, template, values of its body) of what the vendor was given."""
    return sorted(
        (
            one["to"],
            one["template"]["name"],
            [value["text"] for part in one["template"]["components"] for value in part["parameters"]],
        )
        for one in vendor.sent
    )


def test_a_campaign_by_chat_goes_once_and_stands_in_conversations(
    cast: Cast, outsiders: Cast, vendor: ChatVendor, template: ChatTemplate, again: ChatTemplate, people: dict[str, Any]
) -> None:
    preview = cast.key.post("/campaign/audience-preview", people).data
    assert (preview["count"], preview["sendable"], preview["excluded"]) == (
        *(5, 3),
        {"no_valid_address": 1, "address_suppressed": 1},
    )
    step = {"delay": DAYS, "template": again.pk, "variables": {"1": "{{contact.firstName}}", "2": "SPRING"}}
    id = begun(cast, people, templateId=template.pk, outreachCadence={"steps": [step]})
    with cast.scope():
        ada = Contact.objects.get(name="Ada Example").pk
    shown = cast.session.get(f"/campaign/{id}/preview?contactId={ada}").data
    assert (shown["text"], shown["chat"]["body"]) == ("Hello Ada, we are open.",) * 2
    later = cast.key.get(f"/campaign/{id}/preview?step=2").data
    assert later["text"] == "Still interested, {{contact.firstName}}? Use SPRING now."
    first = jobs(cast, id)
    assert sorted((one.contact.name, one.status, one.reason) for one in first) == [
        *[(f"{name} Example", "approved", "") for name in ("Ada", "Bob", "Cleo")],
        ("Dora Example", "failed", "no_valid_address"),
        ("Emil Example", "suppressed", "address_suppressed"),
    ]
    work("send")
    work("send")
    assert sent_to(vendor) == [(f"49151123456{n}0", "hours", [name]) for n, name in enumerate(("Ada", "Bob", "Cleo"))]
    work("events")
    with cast.scope():
        said = ConversationMessage.objects.values_list("conversation__name", "author", "text", "conversation__state")
        assert sorted(said) == [
            (f"{name} Example", "campaign", f"Hello {name}, we are open.", "closed") for name in ("Ada", "Bob", "Cleo")
        ]
    going = {one.contact.name.split()[0]: one.pk for one in first if one.status == "approved"}
    app = again.app
    tell(app, **became(going["Ada"], "read"))
    tell(app, **became(going["Bob"], "delivered"))
    tell(app, **wrote("Tell me more", phone="4915112345610", id="in.7", at=int(time.time()) + 9))
    work("chat-events")
    whole = cast.key.get(f"/campaign/{id}").data
    named = ("planned", "sent", "delivered", "opened", "replied", "notSent")
    assert [whole["funnel"][name] for name in named] == [5, 3, 1, 1, 1, 2]
    assert (whole["templateId"], whole["chatApp"]["_id"], whole["smtp"], whole["mailApp"]) == (
        *(template.pk, app.pk),
        *(None, None),
    )
    with cast.scope():
        SendJob.objects.filter(next_step_at__isnull=False).update(next_step_at=timezone.now())
    work("follow-ups")
    work("genie")
    assert sorted((one.contact.name, one.status, one.reason) for one in jobs(cast, id) if one.step == 2) == [
        ("Ada Example", "approved", ""),
        ("Bob Example", "cancelled", "reply_received"),
        ("Cleo Example", "approved", ""),
    ]
    vendor.sent.clear()
    work("send")
    assert sent_to(vendor) == [
        ("4915112345600", "again", ["Ada", "SPRING"]),
        ("4915112345620", "again", ["Cleo", "SPRING"]),
    ]
    assert outsiders.key.get(f"/campaign/{id}").status == 404
    assert outsiders.key.get("/conversation").data == []


def test_a_lost_answer_is_never_sent_again_and_its_follow_up_waits_for_the_proof(
    cast: Cast, vendor: ChatVendor, template: ChatTemplate, again: ChatTemplate, people: dict[str, Any]
) -> None:
    vendor.script = [Fault(cut=True, takes=True)] * 3
    step = {"delay": DAYS, "template": again.pk, "variables": {"1": "A", "2": "B"}}
    id = begun(cast, people, templateId=template.pk, outreachCadence={"steps": [step]})
    for _ in range(3):
        work("send")
    found = [one for one in jobs(cast, id) if one.status == "unknown"]
    assert (len(found), len(vendor.sent), {one.next_step_at for one in found}) == (3, 3, {None})
    with cast.scope():
        assert not Conversation.objects.exists()  # nobody knows yet whether it went
    tell(template.app, **became(found[0].pk, "delivered"))
    work("chat-events")
    work("events")
    proved = next(one for one in jobs(cast, id) if one.pk == found[0].pk)
    assert (proved.status, proved.next_step_at is not None) == ("sent", True)
    with cast.scope():
        assert ConversationMessage.objects.get().send_job_id == proved.pk


def test_opting_out_and_a_template_that_is_paused_hold_what_waits(
    cast: Cast, vendor: ChatVendor, template: ChatTemplate, people: dict[str, Any]
) -> None:
    id = begun(cast, people, templateId=template.pk)
    with cast.scope():
        ChatTemplate.objects.filter(pk=template.pk).update(status="PAUSED")
    work("send")
    waits = [one for one in jobs(cast, id) if one.status == "approved"]
    assert ({one.reason for one in waits}, vendor.sent) == ({"template_not_approved"}, [])
    tell(template.app, **wrote("STOP", phone="4915112345600", id="in.8"))
    work("chat-events")
    with cast.scope():
        ChatTemplate.objects.filter(pk=template.pk).update(status="APPROVED")
        Contact.objects.filter(name="Bob Example").update(unsubscribed_at=timezone.now())
        SendJob.objects.filter(status="approved").update(due_at=timezone.now())
    work("send")
    assert sent_to(vendor) == [("4915112345620", "hours", ["Cleo"])]
    ended = {one.contact.name: one.reason for one in jobs(cast, id) if one.contact.name[:3] in ("Ada", "Bob")}
    assert ended == {"Ada Example": "address_suppressed", "Bob Example": "unsubscribed"}


def test_versions_share_and_a_winner_is_whom_most_read(
    cast: Cast, vendor: ChatVendor, template: ChatTemplate, again: ChatTemplate, people: dict[str, Any]
) -> None:
    versions = [
        {"name": "A", "share": 50, "templateId": template.pk},
        {"name": "B", "share": 50, "templateId": again.pk, "variables": {"1": "you", "2": "{{contact.number}}"}},
    ]
    clicks = {"metric": "clicked", "after": DAYS}
    refused = cast.key.post("/campaign", {"name": "X", **people, "variants": versions, "winner": clicks})
    assert (refused.status, refused.body["warning"]) == (
        400,
        "winner.metric: choose replies or chats read; chats report nothing else",
    )
    rule = {"metric": "opened", "after": DAYS, "testShare": 50}
    id = begun(cast, people, variants=versions, winner=rule, throttle=2)
    assert cast.key.get(f"/campaign/{id}").data["waitingForWinner"] > 0
    work("send")
    assert len(vendor.sent) <= 2  # the pace of the campaign
    assert {one["template"]["name"] for one in vendor.sent} <= {"hours", "again"}


@pytest.mark.parametrize(
    ("body", "status", "message", "warning"),
    [
        ({"templateId": "0" * 24}, 404, "ChatAppTemplateNotFound_404", "templateId: there is no such"),
        ({"subject": "Hi", "body": "Hi"}, 400, "InvalidChatAppTemplate_400", "body: choose a chat template"),
        ({"smtp": "0" * 24}, 400, "", "templateId: the chat app of the template sends it"),
        (
            {"templateId": "T", "variables": {"3": "x"}},
            400,
            "InvalidVariables_400",
            "variables.3: remove it; the template has 1",
        ),
        (
            {"templateId": "T", "variables": {"1": "{{no}}"}},
            400,
            "InvalidVariables_400",
            "variables.1: the field {{no}} is unknown",
        ),
        *(
            (
                {"templateId": "T", "variables": {"1": words}},
                400,
                "InvalidVariables_400",
                "variables.1: has an incomplete placeholder",
            )
            for words in ("{{contact.firstName}", "Hi }}", "{% if x %}", "{{contact.{name}}}")
        ),
        ({"templateId": "T", "variables": {"1": 5}}, 400, "InvalidVariables_400", "variables.1: enter 1 to"),
        ({"type": "fax"}, 400, "InvalidCampaignType_400", "type: choose one of"),
        (
            {"templateId": "T", "outreachCadence": {"steps": [{"delay": DAYS, "body": "Hi"}]}},
            *(400, "InvalidChatAppTemplate_400", "outreachCadence.steps[0].body: choose a chat"),
        ),
        (
            {"templateId": "T", "outreachCadence": {"steps": [{"delay": DAYS, "channel": "chatapp"}]}},
            *(400, "InvalidPayload_400", "outreachCadence.steps[0].body: choose a template"),
        ),
    ],
)
def test_what_cannot_be_written_is_refused(
    cast: Cast,
    template: ChatTemplate,
    people: dict[str, Any],
    body: dict[str, Any],
    status: int,
    message: str,
    warning: str,
) -> None:
    given = {name: template.pk if value == "T" else value for name, value in body.items()}
    answer = cast.key.post("/campaign", {"name": "Spring", **people, **given})
    assert answer.status == status, answer.body
    assert warning in answer.body["warning"], answer.body
    if message:
        with cast.scope():
            assert answer.body["message"] == ResponseMessage.objects.get(name=message).text


def test_what_may_not_be_sent_does_not_begin(
    cast: Cast, outsiders: Cast, app: ChatApp, template: ChatTemplate, people: dict[str, Any]
) -> None:
    id = made(cast, people)
    empty = cast.session.post(f"/campaign/{id}/start")
    assert (empty.status, empty.body["warning"]) == (400, "templateId: choose a chat template")
    assert cast.key.put(f"/campaign/{id}", {"templateId": template.pk}).data["chatApp"]["_id"] == app.pk
    with cast.scope():
        ChatTemplate.objects.update(status="PENDING")
    pending = cast.session.post(f"/campaign/{id}/start")
    assert (pending.status, pending.body["warning"]) == (
        400,
        "templateId: choose an approved template; this one is pending",
    )
    with cast.scope():
        ChatTemplate.objects.update(status="APPROVED")
        ChatApp.objects.update(is_active=False)
    off = cast.session.post(f"/campaign/{id}/start")
    assert (off.status, off.body["warning"]) == (400, "templateId: choose a template of a chat app that is on")
    theirs = outsiders.key.post("/campaign", {"name": "X", "type": "chatapp", "templateId": template.pk})
    assert theirs.status == 404
    back = cast.key.put(f"/campaign/{id}", {"type": "smtp", "subject": "Hi", "body": "Hi"}).data
    assert (back["chatApp"], back["templateId"], back["variables"]) == (None, None, {})


@pytest.mark.parametrize("route", ["campaign", "genie"])
def test_a_step_by_chat_between_mails(
    cast: Cast, vendor: ChatVendor, again: ChatTemplate, people: dict[str, Any], route: str
) -> None:
    with cast.scope():
        smtp = SmtpFactory().pk
        ada = Contact.objects.get(name="Ada Example").pk
    values = {"1": "{{contact.firstName}}", "2": "SPRING"}
    chat = {"delay": DAYS, "channel": "chatapp", "template": again.pk, "variables": values}
    if route == "campaign":
        mail = {"smtp": smtp, "subject": "Hello", "body": "Come on Tuesday"}
        steps = {"steps": [chat, {"delay": DAYS, "body": "Bye"}]}
        made_of = {"name": "Mixed", "contactIds": [ada], **mail, "outreachCadence": steps}
        id = cast.key.post("/campaign", made_of).data["_id"]
        assert cast.session.post(f"/campaign/{id}/start").status == 200
    else:
        steps = {"steps": [chat, {"delay": DAYS, "prompt": "Bye"}]}
        body = {"contactIds": [ada], "prompt": "Invite them", "smtp": smtp, "outreachCadence": steps}
        with cast.scope():
            AiApp.objects.create(provider="offline-composer", is_default=True, name="Offline")
        answer = cast.key.post("/genie/from-contacts", body)
        assert answer.status == 201, answer.body
    work("genie")
    found = []
    for number in (1, 2, 3):
        with cast.scope():
            job = SendJob.objects.get(contact=ada, step=number)
            found.append((job.channel, job.status, job.recipient, bool(job.subject)))
            rows = SendJob.objects.filter(pk=job.pk)
            rows.update(status="sent", sent_at=timezone.now(), sending_at=timezone.now(), message_id=f"<{number}@x>")
            rows.update(next_step_at=timezone.now() - timedelta(seconds=1))
        work("follow-ups")
        work("genie")
    with cast.scope():
        last = SendJob.objects.get(contact=ada, step=3)
        chatted = SendJob.objects.get(contact=ada, step=2)
    email = last.recipient
    assert found == [
        *[("smtp", "approved", email, True), ("chatapp", "approved", "+4915112345600", False)],
        ("smtp", "approved", email, True),
    ]
    assert (chatted.text, chatted.chat_template_id) == ("Still interested, Ada? Use SPRING now.", again.pk)
    assert (last.smtp_id, last.chat_app_id, last.subject[:3]) == (smtp, None, "Re:")


def test_drafts_of_a_manual_campaign_go_once_they_are_released(
    cast: Cast, vendor: ChatVendor, template: ChatTemplate, people: dict[str, Any]
) -> None:
    id = begun(cast, people, templateId=template.pk, manual=True)
    work("send")
    assert vendor.sent == []
    one = cast.session.get(f"/genie/send-jobs/{next(one.pk for one in jobs(cast, id) if one.status == 'draft')}").data
    alone = cast.session.post(f"/genie/send-jobs/{one['_id']}/approve", {"contentHash": one["contentHash"]})
    assert alone.status == 200, alone.body  # a chat has no subject
    assert alone.data["status"] == "approved"
    released = cast.session.post(f"/campaign/{id}/release", {}).data
    assert (released["changedCount"], released["leftCount"]) == (2, 0)
    work("send")
    assert [number for number, *_ in sent_to(vendor)] == ["4915112345600", "4915112345610", "4915112345620"]
