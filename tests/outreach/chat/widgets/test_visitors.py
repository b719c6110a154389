"""/api/public/widget: what visitors of websites may do, and what nobody may."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from crm.models import Contact, Lead
from outreach.chat.widgets import visitors
from outreach.chat.widgets.visitors import forget_old
from outreach.models import ChatWidget, Conversation, ConversationMessage, WidgetVisitor
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.chat.widgets.helpers import SITE, away, began, call, made, published, said

EVIL = "<img src=x onerror=alert(1)>\"'`${7*7}{{7*7}}\u202e"


def test_a_visitor_writes_the_chatbot_answers_and_a_member_takes_over(cast: Cast) -> None:
    widget = made(
        cast, chatbot=published(cast), preChat=[{"key": "email", "required": True}, {"key": "no", "label": "Order"}]
    )
    with cast.scope():
        known = ContactFactory(email="ann@acme.example")
    missing = call(widget, "start", {"answers": {}})
    assert (missing.status, missing.body["warning"]) == (400, "answers.email: enter a value")
    for wrong in ({"email": "ann"}, {"email": "ann@acme.example", "phone": "12"}, {"email": "a@b.example", "x": "1"}):
        assert call(widget, "start", {"answers": wrong}).status == 400
    visitor = began(widget, email="Ann@acme.example", no="A-7")
    first = said(widget, visitor, EVIL)
    assert [(one["by"], one["text"]) for one in first.data["messages"]] == [("visitor", EVIL), ("bot", "Which day?")]
    assert (first.data["state"], first.data["unread"], first.data["pause"]) == ("bot", 1, 2)
    assert said(widget, visitor, EVIL).data["messages"] == first.data["messages"]  # sent twice, stored once
    handed = said(widget, visitor, "a human please", "2")
    assert handed.data["state"] == "queued"
    [chat] = cast.key.get("/conversation").data
    assert (chat["channel"], chat["contact"]["_id"], chat["unread"], chat["chatApp"]) == ("widget", known.pk, 2, None)
    assert chat["opensUntil"] is not None
    with cast.scope():
        assert Lead.objects.get(contact=known).pk == chat["lead"]["_id"]
        note = ConversationMessage.objects.get(direction="note")
        assert note.text == f"Website chat: Site\nPage: {SITE}/prices\nEmail: Ann@acme.example\nOrder: A-7"
    answered = cast.session.post(f"/conversation/{chat['_id']}/messages", {"text": "On Monday."})
    assert answered.status == 201, answered.body
    cast.session.post(f"/conversation/{chat['_id']}/notes", {"text": "A secret"})
    polled = call(widget, "poll", {"visitor": visitor, "after": handed.data["after"]})
    last = polled.data["messages"][-1]
    assert (last["by"], last["text"], polled.data["state"]) == ("member", "On Monday.", "human")
    assert "A secret" not in str(call(widget, "poll", {"visitor": visitor, "after": "0001-01-01T00:00:00Z"}).body)
    assert polled.data["unread"] >= 2
    assert call(widget, "read", {"visitor": visitor}).status == 200
    assert call(widget, "poll", {"visitor": visitor}).data["unread"] == 0
    assert said(widget, visitor, "Thanks", "3").data["state"] == "human"  # the chatbot is silent now


def test_nobody_is_known_by_a_token_that_is_not_theirs(cast: Cast, outsiders: Cast) -> None:
    widget, second, foreign = made(cast), made(cast, name="Second"), made(outsiders)
    visitor = began(widget, email="ann@acme.example")
    said(widget, visitor, "Mine")
    for other, token in ((second, visitor), (foreign, visitor), (widget, visitor[:-1]), (widget, "x"), (widget, "")):
        for path, more in (("poll", {}), ("read", {}), ("messages", {"text": "Hi", "key": "9"})):
            refused = call(other, path, {"visitor": token, **more})
            assert refused.status in (400, 404), (path, token)
            assert "Mine" not in str(refused.body)
    with time_machine.travel(timezone.now() + timedelta(days=31), tick=True):
        assert call(widget, "poll", {"visitor": visitor}).status == 404
        assert forget_old() is False
        [chat] = cast.key.get("/conversation").data
        gone = cast.key.post(f"/conversation/{chat['_id']}/messages", {"text": "Late"})
        assert (gone.status, gone.body["message"]) == (400, "The message was not sent.")
    with cast.scope():
        assert not WidgetVisitor.objects.exists()
        assert Conversation.objects.get().last_text == "Mine"


def test_only_allowed_websites_are_answered(cast: Cast) -> None:
    widget = made(cast)
    ok = call(widget, "config")
    assert (ok.status, ok.headers["Access-Control-Allow-Origin"], ok.headers["Vary"]) == (
        200,
        SITE,
        "Origin, Accept-Encoding",
    )
    assert not {"Access-Control-Allow-Credentials", "Set-Cookie"} & {*ok.headers}
    foreign = "https://evil.example"
    for origin in (foreign, "null", f"{SITE}.evil.example", SITE.replace("https", "http"), f"{SITE}:8443"):
        for path, body in (("config", None), ("start", {}), ("poll", {"visitor": "x"}), ("offline", {"text": "x"})):
            refused = call(widget, path, body, origin=origin)
            assert (refused.status, refused.body["name"]) == (403, "WebsiteNotAllowed_403"), (origin, path)
            assert refused.body["message"] == "This isn't available on this website."
            assert "Access-Control-Allow-Origin" not in refused.headers
        assert call(widget, "start", method="OPTIONS", origin=origin).status == 403
    assert call(widget, "start", {}, origin="").status == 403  # a browser names it with each POST
    preflight = call(widget, "start", method="OPTIONS")
    assert (preflight.status, preflight.headers["Access-Control-Allow-Headers"]) == (204, "Content-Type")
    assert call(widget, "start", {"answers": {"name": "x" * 40_000}}).status == 400
    cast.key.put(f"/chat-widget/{widget['_id']}", {"isActive": False})
    for one in (widget, {"token": "x" * 26}, {"token": "x"}):
        gone = call(one, "config")
        assert (gone.status, gone.body["message"]) == (404, "This website chat is not available.")
    with cast.scope():
        assert not WidgetVisitor.objects.exists()


def test_outside_of_its_hours_a_message_makes_a_lead(cast: Cast) -> None:
    widget = made(cast, businessHours=away(), chatbot=published(cast))
    assert call(widget, "config").data["offline"] is True
    unnamed = call(widget, "offline", {"text": "Hello"})
    assert (unnamed.status, unnamed.body["warning"]) == (400, "answers.email: enter a value")
    left = {"answers": {"email": "new@acme.example", "name": EVIL}, "text": "Call me", "key": "k"}
    assert call(widget, "offline", left).status == 201
    with cast.scope():
        contact = Contact.objects.get(email="new@acme.example")
        assert Lead.objects.filter(contact=contact).count() == 1
    [chat] = cast.key.get("/conversation").data
    assert (chat["state"], chat["lastText"], chat["contact"]["_id"]) == ("queued", "Call me", contact.pk)
    cast.key.put(f"/chat-widget/{widget['_id']}", {"offlineForm": False})
    assert call(widget, "config").data["offline"] is False
    refused = call(widget, "offline", {**left, "key": "l"})
    assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "offline")
    assert len(cast.key.get("/conversation").data) == 1


def test_a_message_that_is_left_twice_is_one(cast: Cast) -> None:
    widget, second = (made(cast, name=name, businessHours=away()) for name in ("Site", "Second"))
    left = {"answers": {"email": "new@acme.example"}, "text": "Call me", "key": "k" * 24}
    for _ in range(2):
        assert call(widget, "offline", left).status == 201
    [chat] = cast.key.get("/conversation").data
    assert len(cast.key.get(f"/conversation/{chat['_id']}/messages").data) == 2  # with the note of who wrote
    assert call(widget, "offline", {**left, "text": "Call me at nine"}).status == 201
    [chat] = cast.key.get("/conversation").data
    assert chat["lastText"] == "Call me at nine"  # mended after a try whose answer was lost: of the same visitor
    for other in ({"answers": {"email": "bo@acme.example"}}, {"key": ""}, {"key": ""}):
        assert call(widget, "offline", {**left, **other}).status == 201
    assert call(second, "offline", left).status == 201
    assert len(cast.key.get("/conversation").data) == 5


def test_who_writes_too_much_waits(cast: Cast, limits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = made(cast)
    visitor = began(widget)
    for name, ask in (
        ("MESSAGES", lambda: said(widget, visitor, "x")),
        ("POLLS", lambda: call(widget, "poll", {"visitor": visitor})),
        ("STARTS", lambda: call(widget, "start", {})),
    ):
        limit = visitors.Limit(f"test-{name}-{widget['_id']}", 1, 60)
        monkeypatch.setattr(visitors, name, limit)
        assert ask().status in (200, 201)
        waits = ask()
        assert waits.status == 429
        assert int(waits.headers["Retry-After"]) > 0
        assert waits.headers["Access-Control-Allow-Origin"] == SITE  # so that the script may read it
    assert said(widget, visitor, "y" * 2001).status == 400


def test_an_erased_visitor_is_known_no_more(cast: Cast) -> None:
    widget = made(cast)
    one, two = began(widget, email="ann@acme.example"), began(widget, email="bo@acme.example")
    said(widget, one, "Hello")
    assert said(widget, two, "Hello").data["state"] == "queued"  # without a chatbot members answer
    with cast.scope():
        contact = Conversation.objects.order_by("created_at").first().contact_id  # type: ignore[union-attr]
    erased = cast.session.post(f"/contact/{contact}/erase", {"confirm": contact})
    assert erased.status == 200, erased.body
    with cast.scope():
        assert WidgetVisitor.objects.count() == 1
        assert ChatWidget.objects.count() == 1
    assert call(widget, "poll", {"visitor": one}).status == 404


def test_the_number_of_somebody_else_leads_to_no_other_contact(cast: Cast) -> None:
    rita = {"name": "Rita", "email": "rita@acme.example", "countryCode": "+39", "number": "06 69812345"}
    holder = cast.key.post("/contact", {"formData": rita}).data["_id"]
    widget = made(cast, businessHours=away())
    left = {"answers": {"email": "new@acme.example", "phone": "+39 06 69812345"}, "text": "Call me", "key": "k"}
    answer = call(widget, "offline", left)
    assert (answer.status, "rita" in str(answer.body).lower()) == (201, False)
    with cast.scope():
        [lead] = Lead.objects.select_related("contact")
        assert (lead.contact.email, lead.contact.contact_number) == ("new@acme.example", None)
        assert Contact.objects.get(pk=holder).email == "rita@acme.example"
    vanity = call(
        widget, "offline", {**left, "answers": {"email": "a@b.example", "phone": "+1 800 FLOWERS"}, "key": "l"}
    )
    assert (vanity.status, vanity.body["warning"].partition(":")[0]) == (400, "answers.phone")
