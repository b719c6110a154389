"""Messenger apps and accounts of the second social platform: connected, told of, answered, and down for a day."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.utils import timezone

from core.events.models import Event
from crm.models import Contact, File
from crm.privacy.erasure import erase_contact
from outreach.connections.direct_apps.tokens import refresh_one, refresh_tokens
from outreach.models import ChatApp, ChatEvent, Conversation, ConversationMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.direct_vendors import (
    ACCESS_TOKEN,
    ACCOUNT,
    APP_SECRET,
    BOT_TOKEN,
    DirectVendors,
    comment,
    direct,
    tell,
    update,
)
from tests.outreach.chat.direct_apps import answered, connected, status
from tests.outreach.helpers import work


@pytest.mark.parametrize("kind", ["messenger", "social-b"])
def test_it_is_connected_tested_and_removed(cast: Cast, outsiders: Cast, vendors: DirectVendors, kind: str) -> None:
    app = connected(cast, kind)
    shown = cast.key.get(f"/apps/{kind}/{app.pk}").data
    assert shown["username"] == ("@acme_bot" if kind == "messenger" else "@acme")
    assert shown["webhookUrl"].endswith(f"/hooks/{kind}/{app.pk}/{shown['webhookUrl'].rpartition('/')[2]}")
    secrets = (BOT_TOKEN, ACCESS_TOKEN, APP_SECRET)
    assert not [one for one in secrets if one in str(shown)]
    if kind == "messenger":
        [hook] = [given for path, given in vendors.asked if path.endswith("setWebhook")]
        assert (hook["url"], len(hook["secret_token"])) == (shown["webhookUrl"], 32)
    twice = cast.key.post(
        f"/apps/{kind}", {"botToken": BOT_TOKEN} if kind == "messenger" else {"accountId": ACCOUNT, "accessToken": "x"}
    )
    assert twice.status == 400
    assert outsiders.key.get(f"/apps/{kind}/{app.pk}").status == 404
    missing = cast.key.get(f"/apps/{kind}/{'0' * 24}")
    assert missing.status == 404
    assert missing.body["message"] == ("Messenger not found." if kind == "messenger" else "Social account not found.")
    vendors.dead = True
    tested = cast.key.post(f"/apps/{kind}/{app.pk}/test").data
    assert (tested["ok"], tested["stage"]) == (False, "auth")
    assert not [one for one in secrets if one in str(tested)]
    assert cast.key.get("/apps/chatapp").data == []
    assert cast.key.delete(f"/apps/{kind}", {"ids": [app.pk]}).data == {"deletedCount": 1, "deactivatedCount": 0}


@pytest.mark.parametrize(
    ("kind", "body", "code", "warning"),
    [
        ("messenger", {"botToken": "nothing"}, 400, "botToken: enter a token, such as 123456:ABC-DEF"),
        ("messenger", {"botToken": "9:wrong"}, 400, "botToken: 401: Unauthorized"),
        ("messenger", {}, 400, "botToken"),
        ("social-b", {"accountId": ACCOUNT}, 400, "accessToken: enter a value"),
        (
            "social-b",
            {"accountId": "1", "accessToken": ACCESS_TOKEN},
            404,
            "accountId: enter the account of the token",
        ),
        ("social-b", {"accountId": ACCOUNT, "accessToken": "wrong"}, 400, "accessToken: 190: Invalid OAuth"),
        ("social-b", {"accountId": "../x", "accessToken": "wrong"}, 400, "accountId: use letters and digits only"),
    ],
)
def test_what_cannot_be_connected_says_why(
    cast: Cast, vendors: DirectVendors, kind: str, body: dict[str, Any], code: int, warning: str
) -> None:
    answer = cast.key.post(f"/apps/{kind}", body)
    assert answer.status == code, answer.body
    assert warning in str(answer.body), answer.body
    with cast.scope():
        assert not ChatApp.objects.exists()


def test_a_message_to_a_bot_is_a_conversation_and_is_answered(
    cast: Cast, outsiders: Cast, vendors: DirectVendors
) -> None:
    app = connected(cast, "messenger")
    for _ in range(2):  # what comes twice is there once
        assert tell(app, update("Hello <b>", name='"><script>')) == 200
    work("chat-events")
    with cast.scope():
        [found] = Conversation.objects.select_related("contact", "lead")
        assert (found.channel, found.address, found.contact.name) == ("messenger", "900", '"><script>')
        assert (found.lead is not None, ConversationMessage.objects.count()) == (True, 1)
        Conversation.objects.update(last_inbound_at=timezone.now() - timedelta(days=3))  # a bot may write at any time
    job = answered(cast)
    work("send")
    assert vendors.sent == [{"method": "sendMessage", "chat_id": "900", "text": "Good day"}]
    assert status(cast, job) == ("sent", "")
    shown = cast.key.get("/conversation").data[0]
    assert (shown["canAnswer"], shown["chatApp"]["name"]) == (True, "Acme")
    assert outsiders.key.get("/conversation").data == []


def test_messages_and_comments_of_an_account_are_conversations_of_one_person(
    cast: Cast, vendors: DirectVendors
) -> None:
    app = connected(cast, "social-b")
    tell(app, comment("Nice!"))
    tell(app, direct("What does it cost?"))
    tell(app, direct("own words", id="mid.9", is_echo=True))
    work("chat-events")
    with cast.scope():
        found = dict(Conversation.objects.values_list("address", "contact__name"))
        assert found == {"5005": "@ada", "comment:5005:p1": "@ada"}
        assert Contact.objects.count() == 1
        places = dict(Conversation.objects.values_list("address", "pk"))
    for address in ("comment:5005:p1", "5005"):
        said = cast.key.post(f"/conversation/{places[address]}/messages", {"text": f"To {address}"})
        assert said.status == 201, said.body
    work("send")
    assert sorted(vendors.sent, key=lambda one: one["path"]) == [
        {"path": f"{ACCOUNT}/messages", "recipient": {"id": "5005"}, "message": {"text": "To 5005"}},
        {"path": "c900/replies", "message": "To comment:5005:p1"},
    ]
    with cast.scope():
        Conversation.objects.update(last_inbound_at=timezone.now() - timedelta(hours=24, seconds=1))
    late = cast.key.post(f"/conversation/{places['5005']}/messages", {"text": "Too late"})
    assert (late.status, "24 hours" in late.body["warning"]) == (400, True)


@pytest.mark.parametrize("kind", ["messenger", "social-b"])
def test_what_is_forged_has_no_effect(cast: Cast, outsiders: Cast, vendors: DirectVendors, kind: str) -> None:
    app = connected(cast, kind)
    value = update("Hello") if kind == "messenger" else direct("Hello")
    for forged in ("", "sha256=00", "x" * 32):
        assert tell(app, value, secret=forged, signed=forged) == 403
    other = ChatApp(pk=app.pk, vendor=app.vendor, hook_salt="another")
    assert tell(other, value) == 404
    wrong = ChatApp(pk=app.pk, vendor="social-b" if kind == "messenger" else "messenger", hook_salt=app.hook_salt)
    assert tell(wrong, value) == 404
    with cast.scope():
        assert not ChatEvent.objects.exists()
        assert not Conversation.objects.exists()


@pytest.mark.parametrize(
    ("kind", "code", "said", "state", "reason"),
    [
        ("messenger", 200, None, "unknown", "uncertain"),
        ("messenger", 500, {"ok": False}, "unknown", "uncertain"),
        ("messenger", 403, {"error_code": 403, "description": "Forbidden: bot was blocked"}, "failed", "opted_out"),
        ("messenger", 400, {"description": "Bad Request: chat not found"}, "failed", "number_unknown"),
        ("messenger", 429, {"error_code": 429, "parameters": {"retry_after": 9}}, "approved", "vendor_limit"),
        ("messenger", 401, {"error_code": 401}, "approved", "sender_trouble"),
        ("social-b", 200, None, "unknown", "uncertain"),
        ("social-b", 400, {"error": {"code": 10, "error_subcode": 2534022}}, "failed", "session_closed"),
        ("social-b", 400, {"error": {"code": 190}}, "approved", "sender_trouble"),
        ("social-b", 400, {"error": {"code": 613}}, "approved", "vendor_limit"),
        ("social-b", 400, {"error": {"code": 2}}, "approved", "retry_backoff"),
    ],
)
def test_what_the_vendor_answers(
    cast: Cast, vendors: DirectVendors, kind: str, code: int, said: Any, state: str, reason: str
) -> None:
    app = connected(cast, kind)
    tell(app, update("Hello") if kind == "messenger" else direct("Hello"))
    work("chat-events")
    job = answered(cast)
    vendors.script = [(code, said)]
    work("send")
    work("send")
    assert status(cast, job) == (state, reason)
    assert len(vendors.sent) == (1 if said is None else 0)


@pytest.mark.parametrize("kind", ["messenger", "social-b"])
def test_a_token_that_is_dead_for_a_day_loses_nothing(cast: Cast, vendors: DirectVendors, kind: str) -> None:
    app = connected(cast, kind)
    tell(app, update("Hello") if kind == "messenger" else direct("Hello"))
    work("chat-events")
    vendors.dead = True
    job = answered(cast)
    work("send")
    assert status(cast, job) == ("approved", "sender_trouble")
    # What people write comes in all the same.
    tell(app, update("Are you there?", id=2) if kind == "messenger" else direct("Are you there?", id="mid.2"))
    work("chat-events")
    with cast.scope():
        assert ChatApp.objects.get().verified is False
        assert ConversationMessage.objects.filter(direction="in").count() == 2
    assert cast.key.get("/conversation").data[0]["waits"].startswith("The app is not verified")
    vendors.dead = False
    token = {"botToken": BOT_TOKEN} if kind == "messenger" else {"accessToken": ACCESS_TOKEN}
    assert cast.key.put(f"/apps/{kind}/{app.pk}", token).data["verified"] is True
    with cast.scope():
        SendJob.objects.update(due_at=timezone.now())
    work("send")
    assert status(cast, job) == ("sent", "")
    assert len(vendors.sent) == 1


def test_a_token_of_an_hour_is_traded_and_one_of_weeks_made_anew(cast: Cast, vendors: DirectVendors) -> None:
    vendors.renews = True
    app = connected(cast, "social-b")
    first = vendors.token
    now = timezone.now()
    assert (app.access_token, first == ACCESS_TOKEN) == (first, False)
    assert now + timedelta(days=59) < app.token_expires_at < now + timedelta(days=61)
    assert [path.partition("?")[0] for path, _ in vendors.asked[-2:]] == ["/v23.0/me", "/access_token"]
    cache.clear()
    assert refresh_tokens() is False  # it holds for long enough
    assert vendors.token == first
    with cast.scope():
        ChatApp.objects.update(token_expires_at=now + timedelta(days=10))
    refresh_tokens()
    with cast.scope():
        anew = ChatApp.objects.get()
    assert (anew.access_token, vendors.token == first) == (vendors.token, False)
    assert anew.token_expires_at > now + timedelta(days=59)
    tell(app, direct("Hello"))
    work("chat-events")
    job = answered(cast)
    work("send")
    assert status(cast, job) == ("sent", "")


def test_a_token_that_cannot_be_made_anew_is_told_once(cast: Cast, vendors: DirectVendors) -> None:
    app = connected(cast, "social-b")
    with cast.scope():
        ChatApp.objects.update(token_expires_at=timezone.now() + timedelta(days=3))
        for _ in range(2):
            refresh_one(app.pk)
        shown = cast.key.get(f"/apps/social-b/{app.pk}").data
        assert (shown["verified"], shown["lastError"].startswith("The token could not be made anew")) == (True, True)
        assert ACCESS_TOKEN not in shown["lastError"]
        [told] = Event.objects.filter(kind="apps.failed")
        assert (told.object_id, told.payload["app"], told.payload["error"]) == (app.pk, "social-b", shown["lastError"])
        with time_machine.travel(timezone.now() + timedelta(days=3, minutes=1)):
            for _ in range(2):
                refresh_one(app.pk)
            ChatApp.objects.update(waba_id="2")  # what its token is bound to: it cannot be read then
            refresh_one(app.pk)
        ended = ChatApp.objects.get().last_error
        assert (ended.startswith("The token has ended"), Event.objects.filter(kind="apps.failed").count()) == (True, 2)
        ChatApp.objects.update(waba_id="")
    vendors.renews = True
    again = cast.key.put(f"/apps/social-b/{app.pk}", {"accessToken": ACCESS_TOKEN}).data
    assert (again["verified"], again["lastError"]) == (True, "")
    assert again["tokenExpiresAt"] > timezone.now().isoformat()


def test_erasure_forgets_who_wrote_without_a_number(cast: Cast, vendors: DirectVendors) -> None:
    app = connected(cast, "social-b")
    tell(app, comment("Nice!"))
    tell(app, direct("Me again"))
    work("chat-events")
    with cast.scope():
        contact = Contact.objects.get()
        erase_contact(id=contact.pk, confirm=contact.pk, actor_id=cast.owner.pk)
        assert set(ChatEvent.objects.values_list("phone", flat=True)) == {""}
        assert not Conversation.objects.filter(address__contains="5005").exists()
        assert not ConversationMessage.objects.exclude(text="").exists()
        assert not File.objects.exists()
