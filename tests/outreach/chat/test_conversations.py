"""Conversations: what people write, who answers, and what a forged or repeated webhook does not do."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from core.errors import NamedError
from crm.models import Contact, Lead
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.states import MOVES, next_state
from outreach.connections.chat_apps.hooks import hook_url, verify_token
from outreach.models import ChatApp, ChatEvent, ChatTemplate, SendJob
from tests.kit.cast import Cast
from tests.kit.chat_vendor import ChatVendor, signature, tell, wrote
from tests.kit.factories import ContactFactory, LeadFactory
from tests.outreach.helpers import work

STATES = Conversation.State.values
WORDS = sorted({move for _, move in MOVES})
BOT: dict[str, Any] = {
    "name": "Porter",
    "conversations": [{"text": "Which day?", "order": 1}, {"text": "Thank you.", "order": 2}],
    "handover": {"mode": "any", "rules": [{"type": "contains_text", "text": "human"}, {"type": "flow_finished"}]},
}


def _receive(app: ChatApp, text: str, id: str = "in.1", **more: Any) -> None:
    assert tell(app, **wrote(text, id=id, **more)) == 200
    work("chat-events")


def _publish(cast: Cast, **values: Any) -> str:
    made = cast.key.post("/manual-chatbot", {**BOT, **values})
    assert made.status == 201, made.body
    assert cast.key.post(f"/manual-chatbot/{made.data['_id']}/publish").data["status"] == "published"
    return str(made.data["_id"])


def _let_answer(cast: Cast) -> None:
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"chatapp": {"GET": True, "POST": True}})


def _one(cast: Cast) -> dict[str, Any]:
    [found] = cast.key.get("/conversation").data
    return dict(found)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("move", WORDS)
def test_each_move_is_in_the_table_or_refused(state: str, move: str) -> None:
    if (state, move) in MOVES:
        assert next_state(state, move) == MOVES[(state, move)]
    else:
        with pytest.raises(NamedError) as refused:
            next_state(state, move)
        assert refused.value.name == "InvalidRequest_400"


def test_no_chatbot_gets_a_conversation_without_a_person(cast: Cast) -> None:
    assert {move for (_, move), after in MOVES.items() if after == "bot"} == {"release", "greet"}
    assert all(after in ("queued", "human", "closed") for (state, _), after in MOVES.items() if state == "bot")


def test_a_message_finds_its_contact_and_makes_a_lead(cast: Cast, outsiders: Cast, app: ChatApp) -> None:
    with cast.scope():
        known = ContactFactory(country_code="+49", number="15112345678", contact_number="+4915112345678")
    _receive(app, "Hello")
    _receive(app, "Hello")  # the vendor repeats what it has told
    _receive(app, "Anybody?", id="in.2")
    found = _one(cast)
    assert (found["contact"]["_id"], found["unread"], found["state"]) == (known.pk, 2, "queued")
    assert (found["lastText"], found["name"]) == ("Anybody?", "Ada")
    with cast.scope():
        assert Lead.objects.get(contact=known).pk == found["lead"]["_id"]
        assert Contact.objects.get(pk=known.pk).replied_at is not None
    assert [one["text"] for one in cast.key.get(f"/conversation/{found['_id']}/messages").data] == ["Anybody?", "Hello"]
    assert outsiders.key.get("/conversation").data == []
    assert outsiders.key.get(f"/conversation/{found['_id']}").status == 404
    assert outsiders.key.post(f"/conversation/{found['_id']}/takeover", {}).status == 404
    assert cast.narrow_session.get("/conversation").status == 403
    _receive(app, "New here", id="in.3", phone="4915100000001")
    with cast.scope():
        assert Contact.objects.get(contact_number="+4915100000001").name == "Ada"


def test_what_is_not_signed_has_no_effect(cast: Cast, app: ChatApp) -> None:
    body = wrote("Hello")
    for signed in ("", "sha256=", "sha256=" + "0" * 64, signature(b"other"), signature(b"", "guess")):
        assert tell(app, signed=signed, **body) == 403
    path = hook_url(app.pk, app.hook_salt).split("//", 1)[1].split("/", 1)[1]
    client = Client()
    question = {"hub.mode": "subscribe", "hub.challenge": "42", "hub.verify_token": verify_token(app.pk, app.hook_salt)}
    assert client.get(f"/{path}", question).content == b"42"
    assert client.get(f"/{path}", {**question, "hub.verify_token": "guess"}).status_code == 403
    assert client.post(f"/{path[:-1]}0", b"{}", content_type="application/json").status_code == 404
    assert client.post(f"/hooks/chatapp/{'0' * 24}/x", b"{}", content_type="application/json").status_code == 404
    with cast.scope():
        ChatApp.objects.filter(pk=app.pk).update(app_secret="")
    assert tell(app, signed=signature(b"", ""), **body) == 403  # without a secret nothing is believed
    with cast.scope():
        assert (ChatEvent.objects.count(), ConversationMessage.objects.count()) == (0, 0)


def test_hostile_webhooks_are_stored_or_left_out(cast: Cast, app: ChatApp) -> None:
    odd = {
        "from": "4915112345678",
        "id": "in.9",
        "timestamp": str(2**40),
        "type": "text",
        "text": {"body": "a\0b\ud800"},
    }
    assert tell(app, messages=[odd, {"id": 3}, "x", {"from": "x", "id": "y"}], contacts="none", statuses={}) == 200
    assert tell(app, metadata={"phone_number_id": "other"}, messages=[{**odd, "id": "in.10"}]) == 200
    work("chat-events")
    with cast.scope():
        [message] = ConversationMessage.objects.all()
    assert (message.text, message.happened_at.timestamp() <= time.time()) == ("ab?", True)


def test_of_a_strange_webhook_the_rest_is_kept(cast: Cast, app: ChatApp) -> None:
    place = {"latitude": 52.5, "longitude": float("inf"), "name": "Here"}
    one = {"from": "4915112345678", "id": "in.8", "timestamp": "²", "type": "location", "location": place}
    wrong = {"code": "\0", "title": "No\0pe", "error_data": {"details": "\ud800"}, "other": "\0"}
    told = {"id": "wamid.x", "status": "failed", "timestamp": "²", "recipient_id": "4915112345678", "errors": [wrong]}
    assert tell(app, messages=[one], statuses=[told]) == 200
    with cast.scope():
        kept = {event.kind: event.data for event in ChatEvent.objects.all()}
    assert (kept["message"]["media"], kept["message"]["text"]) == ({"latitude": 52.5}, "Here")
    assert kept["status"]["error"] == {"message": "", "title": "Nope", "error_data": {"details": "?"}}


def test_a_chatbot_answers_hands_over_and_goes_on(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    bot = _publish(cast)
    _receive(app, "Hello")
    found = _one(cast)
    assert (found["state"], found["chatbot"]["_id"]) == ("bot", bot)
    _receive(app, "Monday", id="in.2")
    assert _one(cast)["state"] == "queued"  # its flow is finished
    _receive(app, "And?", id="in.3")
    work("send")
    assert vendor.texts() == ["Which day?", "Thank you."]
    assert cast.key.post(f"/conversation/{found['_id']}/takeover", {}).data["state"] == "human"
    assert cast.key.post(f"/conversation/{found['_id']}/release").data["state"] == "bot"
    _receive(app, "I want a HUMAN!", id="in.4")
    assert _one(cast)["state"] == "queued"
    assert cast.key.post(f"/conversation/{found['_id']}/close").data["state"] == "closed"
    assert cast.key.post(f"/conversation/{found['_id']}/close").status == 400
    assert cast.key.post(f"/manual-chatbot/{bot}/pause").data["status"] == "paused"
    _receive(app, "Me again", id="in.5")
    assert _one(cast)["state"] == "queued"
    assert cast.key.post(f"/conversation/{found['_id']}/release").data["state"] == "queued"  # nobody goes silent


def test_a_paused_chatbot_leaves_its_people_to_members(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    bot = _publish(cast)
    _receive(app, "Hello")
    assert cast.key.post(f"/manual-chatbot/{bot}/pause").status == 200
    _receive(app, "Monday", id="in.2")
    assert _one(cast)["state"] == "queued"
    assert cast.key.delete(f"/manual-chatbot/{bot}").data == {"deletedCount": 1}
    assert _one(cast)["chatbot"] is None


def test_a_conversation_is_taken_only_from_who_has_it(cast: Cast, outsiders: Cast, app: ChatApp) -> None:
    _receive(app, "Hello")
    place = f"/conversation/{_one(cast)['_id']}/takeover"
    for id in ("0" * 24, outsiders.owner.pk):
        unknown = cast.session.post(place, {"insteadOf": id})
        assert (unknown.status, unknown.body["warning"].partition(":")[0]) == (404, "insteadOf")
    nobody = cast.session.post(place, {"insteadOf": cast.narrow.pk})
    assert (nobody.status, nobody.body["warning"].partition(":")[0]) == (409, "insteadOf")
    assert _one(cast)["state"] == "queued"
    assert cast.session.post(place, {"insteadOf": None}).data["state"] == "human"
    again = cast.session.post(place, {"insteadOf": cast.owner.pk})
    assert (again.status, again.data["assignee"]["_id"]) == (200, cast.owner.pk)


def test_who_answers_stops_the_chatbot(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    _publish(cast)
    _receive(app, "Hello")  # its answer is planned, and has not gone
    id = _one(cast)["_id"]
    assert cast.key.post(f"/conversation/{id}/messages", {"text": "I am here."}).status == 201
    work("send")
    assert vendor.texts() == ["I am here."]
    with cast.scope():
        assert SendJob.objects.get(status="cancelled").reason == "taken_over"
    _receive(app, "Good", id="in.2")
    found = _one(cast)
    assert (found["state"], found["assignee"]["_id"], found["unread"]) == ("human", cast.owner.pk, 1)
    rest = cast.key.post(f"/conversation/{id}/snooze", {"until": "2090-01-01T00:00:00Z"})
    assert rest.data["snoozedUntil"] is not None
    assert cast.key.post(f"/conversation/{id}/snooze", {"until": "2020-01-01T00:00:00Z"}).status == 400
    assert cast.key.post(f"/conversation/{id}/read").data["unread"] == 0
    assert cast.key.post(f"/conversation/{id}/notes", {"text": "Likes tea"}).data["direction"] == "note"
    place = f"/conversation/{id}/assign"
    unfit = cast.key.post(place, {"assignee": cast.narrow.pk})
    assert (unfit.status, "does not let them answer here; it needs chatapp.POST" in unfit.body["warning"]) == (
        400,
        True,
    ), unfit.body
    assert _one(cast)["assignee"]["_id"] == cast.owner.pk
    _let_answer(cast)
    waits = cast.key.post(place, {"assignee": cast.narrow.pk}).data
    assert (waits["state"], waits["assignee"]["_id"]) == ("queued", cast.narrow.pk)
    assert cast.key.post(f"/conversation/{id}/assign", {"assignee": "0" * 24}).status == 404


def test_values_that_the_template_has_not_are_refused(cast: Cast, app: ChatApp, template: ChatTemplate) -> None:
    _receive(app, "Hello")
    place = f"/conversation/{_one(cast)['_id']}/messages"
    lost = cast.key.post(place, {"template": template.pk, "values": {"1": "Ann", "2": "SPRING"}})
    assert (lost.status, lost.body["message"]) == (400, "The template's variables are missing or wrong."), lost.body
    assert lost.body["warning"] == "values.2: remove it; the template has 1"
    with cast.scope():
        assert SendJob.objects.count() == 0
    assert cast.key.post(place, {"template": template.pk, "values": {"1": "Ann"}}).status == 201


def test_a_chat_begins_with_the_leads_member_where_they_may_answer(cast: Cast, app: ChatApp) -> None:
    with cast.scope():
        numbers = [f"+4915112345{last}" for last in (678, 679)]
        for number in numbers:
            person = ContactFactory(country_code="+49", number=number[3:], contact_number=number)
            LeadFactory(contact=person, team_member=cast.narrow)
    _receive(app, "Hello", id="in.1", phone=numbers[0][1:])
    assert _one(cast)["assignee"] is None
    place = f"/conversation/{_one(cast)['_id']}/answerers"
    assert [one["_id"] for one in cast.key.get(place).data["members"]] == [cast.owner.pk]
    _let_answer(cast)
    assert {one["_id"] for one in cast.key.get(place).data["members"]} == {cast.owner.pk, cast.narrow.pk}
    _receive(app, "Hello", id="in.2", phone=numbers[1][1:])
    found = {one["address"]: one["assignee"] for one in cast.key.get("/conversation").data}
    assert found[numbers[0]] is None
    assert found[numbers[1]]["_id"] == cast.narrow.pk
