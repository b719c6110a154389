"""What becomes of conversations when time passes, whose they are, and what roles see of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import Notification, Role
from core.models import Event
from crm.models import Contact, Lead, Team, TeamMember
from outreach.chat.conversations.models import Conversation
from outreach.models import ChatApp, SendJob
from tests.kit.cast import Cast
from tests.kit.chat_vendor import ChatVendor, tell, wrote
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import work

HOSTILE = "<img src=x onerror=alert(1)>\u202e{{7*7}}"


def _receive(app: ChatApp, text: str, id: str = "in.1", **more: Any) -> None:
    assert tell(app, **wrote(text, id=id, **more)) == 200
    work("chat-events")


def _one(cast: Cast) -> dict[str, Any]:
    [found] = cast.key.get("/conversation").data
    return dict(found)


def _past(cast: Cast, **columns: Any) -> None:
    with cast.scope():
        Conversation.objects.update(**columns)


def _kinds(cast: Cast) -> list[str]:
    with cast.scope():
        rows = Event.objects.filter(kind__startswith="conversation.").order_by("pk")
        return [kind.removeprefix("conversation.") for kind in rows.values_list("kind", flat=True)]


def test_a_late_answer_is_told_once_and_an_answer_ends_the_wait(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    with cast.scope():
        team = Team.objects.create(name="Service")
        TeamMember.objects.create(team=team, member=cast.narrow)
    made = cast.key.post("/answer-time", {"firstMinutes": 60, "nextMinutes": 10})
    assert (made.status, made.data["team"]) == (201, None)
    again = cast.key.post("/answer-time", {"firstMinutes": 5})
    assert (again.status, "reply times exist already" in str(again.body)) == (400, True)
    assert cast.key.post("/answer-time", {"team": "0" * 24}).status == 400
    assert cast.key.post("/answer-time", {"firstMinutes": 0}).status == 400
    own = cast.key.post("/answer-time", {"team": team.pk, "firstMinutes": 30})
    _receive(app, HOSTILE)
    first = _one(cast)
    assert first["answerDueAt"] is not None
    moved = cast.key.post(f"/conversation/{first['_id']}/assign", {"team": team.pk}).data
    assert moved["answerDueAt"] < first["answerDueAt"]  # the team is to answer sooner
    _past(cast, answer_due_at=timezone.now() - timedelta(seconds=1))
    work("conversations")
    work("conversations")
    assert _one(cast)["overdueAt"] is not None
    assert _kinds(cast).count("delayed") == 1
    with cast.scope():
        told = Notification.objects.get(kind="conversation.overdue")
    assert (told.member_id, told.record_id) == (cast.narrow.pk, first["_id"])
    assert cast.key.post(f"/conversation/{first['_id']}/messages", {"text": "Yes"}).status == 201
    found = _one(cast)
    assert (found["answerDueAt"], found["overdueAt"], found["waitingSince"]) == (None, None, None)
    _receive(app, "And?", id="in.2")  # the team has no time for later answers
    assert _one(cast)["answerDueAt"] is None
    assert cast.key.delete(f"/answer-time?ids={own.data['_id']}", {"ids": [own.data["_id"]]}).data["deletedCount"] == 1


def test_who_rests_wakes_or_is_woken(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    _receive(app, "Hello")
    id = _one(cast)["_id"]
    until = (timezone.now() + timedelta(days=1)).isoformat()
    assert cast.key.post(f"/conversation/{id}/takeover", {}).status == 200
    cast.key.post(f"/conversation/{id}/snooze", {"until": until})
    work("conversations")
    assert _one(cast)["snoozedUntil"] is not None
    _past(cast, snoozed_until=timezone.now() - timedelta(seconds=1))
    work("conversations")
    assert _one(cast)["snoozedUntil"] is None
    assert _kinds(cast)[-1] == "woken"
    with cast.scope():
        assert Notification.objects.get(kind="conversation.woken").member_id == cast.owner.pk
    cast.key.post(f"/conversation/{id}/snooze", {"until": until})
    _receive(app, "Anybody?", id="in.2")
    assert _one(cast)["snoozedUntil"] is None
    assert cast.key.post(f"/conversation/{id}/close").status == 200
    assert cast.key.post(f"/conversation/{id}/snooze", {"until": until}).status == 400
    assert cast.key.post(f"/conversation/{id}/reopen").data["state"] == "queued"
    assert cast.key.post(f"/conversation/{id}/reopen").status == 400
    assert cast.key.post(f"/conversation/{id}/read", {"isRead": False}).data["unread"] == 1


def test_the_teams_rule_chooses_who_answers(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    with cast.scope():
        team = Team.objects.create(name="Service")
        TeamMember.objects.create(team=team, member=cast.narrow)
    assert cast.session.put("/settings", {"teamSettings": {"distribution": "roundRobin"}}).status == 200
    _receive(app, "Hello")
    id = _one(cast)["_id"]
    found = cast.key.post(f"/conversation/{id}/assign", {"team": team.pk, "byRule": True}).data
    assert (found["assignee"], found["team"]["_id"]) == (None, team.pk)  # nobody of the team may answer
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"chatapp": {"POST": True}})
    found = cast.key.post(f"/conversation/{id}/assign", {"byRule": True}).data
    assert (found["assignee"]["_id"], found["state"]) == (cast.narrow.pk, "queued")
    with cast.scope():
        assert Notification.objects.get(kind="conversation.assigned").member_id == cast.narrow.pk


def test_an_answer_says_before_and_afterwards_why_it_waits(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    _receive(app, "Hello")
    with cast.scope():
        ChatApp.objects.update(verified=False)
    found = _one(cast)
    assert (found["canAnswer"], found["whyNot"]) == (True, "")
    assert "not verified" in found["waits"]
    said = cast.key.post(f"/conversation/{found['_id']}/messages", {"text": "Yes"}).data
    assert (said["state"], said["status"]) == ("queued", "approved")
    assert said["sentence"]
    listed = cast.key.get(f"/genie/send-jobs/{said['sendJob']}").data
    assert (listed["channel"], listed["recipient"]) == ("chatapp", found["address"])
    assert (listed["chatApp"]["name"], listed["decision"]["state"]) == ("Acme", "wait")
    _past(cast, last_inbound_at=timezone.now() - timedelta(hours=24, seconds=1))
    late = _one(cast)
    assert (late["canAnswer"], late["opensUntil"]) == (False, None)
    assert "24 hours" in late["whyNot"]
    with cast.scope():
        ChatApp.objects.update(is_active=False)
    assert "switched off" in _one(cast)["whyNot"]


def test_the_contact_and_the_lead_are_linked_or_made(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    _receive(app, "Hello")
    found = _one(cast)
    with cast.scope():
        stranger = ContactFactory(country_code="+49", number="15100000009", contact_number="+4915100000009")
        other = Lead.objects.create(contact=stranger, status="new")
        Contact.objects.filter(pk=found["contact"]["_id"]).update(is_deleted=True)
    path = f"/conversation/{found['_id']}"
    assert cast.key.post(f"{path}/contact", {"contact": stranger.pk}).status == 400
    linked = cast.key.post(f"{path}/contact", {}).data
    assert linked["contact"]["_id"] != found["contact"]["_id"]
    assert linked["lead"] is None
    assert cast.key.post(f"{path}/lead", {"lead": other.pk}).status == 400
    made = cast.key.post(f"{path}/lead", {}).data["lead"]
    with cast.scope():
        assert Lead.objects.get(pk=made["_id"]).contact_id == linked["contact"]["_id"]


def test_canned_answers_have_shortcuts(cast: Cast) -> None:
    made = cast.key.post("/canned-answer", {"name": "Hours", "text": "Nine to six.", "shortcut": "/hours"})
    assert made.data["shortcut"] == "hours"
    clash = cast.session.post("/canned-answer", {"name": "Other", "text": "x", "shortcut": "HOURS"})
    assert clash.status == 400
    assert "shortcut" in clash.body["warning"]
    assert cast.key.post("/canned-answer", {"name": "Other", "text": "x", "shortcut": "a b"}).status == 400
    assert cast.key.post("/canned-answer", {"name": "Other", "text": "x"}).status == 201
    assert cast.key.post("/canned-answer", {"name": "Third", "text": "x", "shortcut": ""}).status == 201


def test_a_role_sees_the_channels_of_its_modules(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    _receive(app, "Hello")
    chat = _one(cast)["_id"]
    with cast.scope():
        mail = Conversation.objects.create(channel="mail", contact=ContactFactory(), address="ann@example.org")
        role = cast.narrow.role
        role.permission = {"genie": {"GET": True, "POST": True, "PUT": True, "DELETE": False}}
        role.save()
    seen = cast.narrow_session
    assert [one["_id"] for one in seen.get("/conversation").data] == [mail.pk]
    assert seen.get(f"/conversation/{chat}").status == 404
    assert seen.get(f"/conversation/{chat}/messages").status == 404
    for action in ("takeover", "release", "assign", "close", "reopen", "contact", "lead", "read"):
        assert seen.post(f"/conversation/{chat}/{action}", {}).status == 404, action
    assert seen.post(f"/conversation/{chat}/messages", {"text": "x"}).status == 404
    assert seen.post(f"/conversation/{chat}/notes", {"text": "x"}).status == 404
    assert seen.post(f"/conversation/{chat}/snooze", {"until": None}).status == 404
    assert seen.post(f"/conversation/{mail.pk}/takeover", {}).data["state"] == "human"
    refused = seen.post(f"/conversation/{mail.pk}/messages", {"text": "Hello"})
    assert (refused.status, "is gone" in refused.body["warning"]) == (400, True)
    with cast.scope():
        assert SendJob.objects.count() == 0
