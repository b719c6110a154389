"""The inbox: what stands there, what each button does, and what hostile people write."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from accounts.models import Role
from core.events import kinds
from outreach.models import CannedAnswer, ChatApp, Conversation, ConversationMessage, SendJob
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def _talk(cast: Cast, **columns: object) -> Conversation:
    with cast.scope():
        app = ChatApp.objects.create(name="Acme", phone_number_id="1", waba_id="2", access_token="t", verified=False)
        number = "+4915112345678"
        contact = ContactFactory(name=f"Ann {EVIL}", country_code="+49", number="15112345678", contact_number=number)
        now = timezone.now()
        place = {"chat_app": app, "contact": contact, "address": number, "name": EVIL, "last_text": EVIL}
        talk = Conversation.objects.create(**{**place, "unread": 1, "last_inbound_at": now, **columns})
        ConversationMessage.objects.create(
            conversation=talk, direction="in", author="contact", text=EVIL, happened_at=now - timedelta(minutes=1)
        )
        CannedAnswer.objects.create(name="Hours", shortcut="hours", text="Nine to six.")
        return talk


def test_a_conversation_is_answered_noted_rested_and_closed(cast: Cast) -> None:
    talk = _talk(cast)
    browser = enter(cast.owner)
    listed = browser.get(at(cast.owner, "inbox?only=unread"))
    assert EVIL not in html_of(listed)
    assert "Waiting" in text_of(listed)
    assert "No conversations" in text_of(browser.get(at(cast.owner, "inbox?only=mine")))
    here = at(cast.owner, f"inbox/{talk.pk}")
    shown = browser.get(here)
    assert EVIL not in html_of(shown)
    assert "The chat app is not verified: an answer waits until a test of it passes." in text_of(shown)

    put_in = browser.post(here, {"do": "answer", "text": "/Hours"})
    assert (put_in.status_code, "Nine to six.</textarea>" in html_of(put_in)) == (200, True)
    with cast.scope():
        assert SendJob.objects.count() == 0
        canned = CannedAnswer.objects.get().pk
    put_in = browser.post(here, {"do": "canned", "canned": canned, "text": "Hello."})
    assert "Hello.\nNine to six.</textarea>" in html_of(put_in)
    assert browser.post(here, {"do": "answer", "text": "Hello."}).status_code == 303
    answered = text_of(browser.get(here))
    assert "Queued" in answered  # and is not shown as sent
    assert "A member answers" in answered
    assert browser.post(here, {"do": "answer", "text": ""}).status_code == 422
    assert browser.post(here, {"do": "note", "text": "Likes tea"}).status_code == 303
    assert "Note by" in text_of(browser.get(here))
    assert html_of(browser.get(at(cast.owner, "inbox?only=mine"))).count('class="talk-head"') == 1

    assert "Snoozed until the chosen time" in toast_of(browser, browser.post(here, {"do": "snooze", "until": "monday"}))
    assert "Choose a time" in toast_of(browser, browser.post(here, {"do": "snooze", "until": "never"}))
    assert html_of(browser.get(at(cast.owner, "inbox?only=snoozed"))).count('class="talk-head"') == 1
    assert "No longer snoozed" in toast_of(browser, browser.post(here, {"do": "wake"}))
    assert "Lead created" in toast_of(browser, browser.post(here, {"do": "lead"}))
    lead = cast.key.get(f"/conversation/{talk.pk}").data["lead"]
    stage = stage_ids(make_pipeline(cast))["Offered"]
    assert cast.key.put(f"/lead/{lead['_id']}", {"stage": stage}).status == 200
    assert cast.key.get(f"/conversation/{talk.pk}").data["lead"] == {**lead, "stageName": "Offered"}
    assert "Lead Offered" in text_of(browser.get(here))
    assert "Closed" in toast_of(browser, browser.post(here, {"do": "close"}))
    assert "Reopened" in toast_of(browser, browser.post(here, {"do": "reopen"}))
    people = at(cast.owner, f"inbox/{talk.pk}/people")
    assert cast.narrow.pk not in html_of(browser.get(people))  # their role does not let them answer
    refused = browser.post(people, {"do": "save", "assignee": cast.narrow.pk})
    assert "does not let them answer here" in text_of(refused)
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"chatapp": {"GET": True, "POST": True}})
    assert f'<option value="{cast.narrow.pk}"' in html_of(browser.get(people))
    assert "Saved" in toast_of(browser, browser.post(people, {"do": "save", "assignee": cast.narrow.pk}))
    with cast.scope():
        talk.refresh_from_db()
    assert (talk.assignee_id, talk.state, talk.unread) == (cast.narrow.pk, "queued", 0)


def test_after_24_hours_the_box_says_so(cast: Cast) -> None:
    talk = _talk(cast, last_inbound_at=timezone.now() - timedelta(hours=24, seconds=1))
    shown = enter(cast.owner).get(at(cast.owner, f"inbox/{talk.pk}"))
    assert "only an approved template may go" in text_of(shown)
    assert 'value="answer" disabled' in html_of(shown)


def test_a_message_by_chat_shows_its_number(cast: Cast) -> None:
    talk = _talk(cast)
    browser = enter(cast.owner)
    browser.post(at(cast.owner, f"inbox/{talk.pk}"), {"do": "answer", "text": "Hello."})
    with cast.scope():
        job = SendJob.objects.get()
    shown = text_of(browser.get(at(cast.owner, f"messages/{job.pk}")))
    assert "+4915112345678" in shown
    assert "Acme" in shown
    assert "+4915112345678" in text_of(browser.get(at(cast.owner, "messages")))


def test_workflows_may_begin_by_what_happens_in_conversations() -> None:
    from workflows.graphs.events import TRIGGER_EVENTS, label_of

    wanted = {f"conversation.{done}" for done in ("created", "assigned", "closed", "delayed")}
    assert wanted <= TRIGGER_EVENTS
    assert "conversation" in kinds.EVENTS
    assert label_of("conversation.delayed") == "A reply in a conversation is overdue"


def _visitor(cast: Cast) -> Conversation:
    with cast.scope():
        columns = {"channel": "widget", "address": "a" * 24, "name": "Visitor aaaaaa", "last_text": "Hello"}
        talk: Conversation = Conversation.objects.create(**columns, last_inbound_at=timezone.now())
        return talk


def test_a_visitor_is_made_a_contact(cast: Cast) -> None:
    talk = _visitor(cast)
    browser = enter(cast.owner)
    assert "Visitor aaaaaa" in text_of(browser.get(at(cast.owner, "inbox")))
    here = at(cast.owner, f"inbox/{talk.pk}")
    shown = text_of(browser.get(here))
    assert "Visitor aaaaaa · not a contact yet" in shown
    assert "Create lead" not in shown
    assert talk.address not in shown
    assert "Visitor aaaaaa" in text_of(browser.get(at(cast.owner, f"inbox/{talk.pk}/people")))
    wrong = browser.post(here, {"do": "identify", "email": "ann", "phone": "", "name": EVIL})
    assert (wrong.status_code, EVIL in html_of(wrong)) == (422, False)
    assert 'value="ann"' in html_of(wrong)
    assert 'name="text"' in html_of(wrong)  # the box to answer in stays
    made = browser.post(here, {"do": "identify", "email": "ann@acme.example", "phone": "", "name": "Ann"})
    assert made.status_code == 303
    shown = text_of(browser.get(here))
    assert "not a contact yet" not in shown
    assert "Create lead" not in shown  # it has one already
    with cast.scope():
        contact = Conversation.objects.get().contact
        assert contact is not None
        assert (contact.name, contact.email) == ("Ann", "ann@acme.example")


def test_a_visitor_becomes_a_contact_by_a_name_but_not_by_nothing(cast: Cast) -> None:
    talk = _visitor(cast)
    place = at(cast.owner, f"inbox/{talk.pk}")
    body = {"do": "identify", "email": "", "phone": "", "name": ""}
    assert enter(cast.owner).post(place, body).status_code == 422
    with cast.scope():
        assert Conversation.objects.get().contact is None
    assert enter(cast.owner).post(place, body | {"name": "Ann"}).status_code == 303
    with cast.scope():
        assert Conversation.objects.get().contact.name == "Ann"  # type: ignore[union-attr]
    corrected = html_of(enter(cast.owner).get(place))
    assert "Not Ann? Choose another contact" in " ".join(corrected.split())
    assert enter(cast.owner).post(place, body | {"email": "bo@acme.example"}).status_code == 303
    with cast.scope():
        assert Conversation.objects.get().contact.email == "bo@acme.example"  # type: ignore[union-attr]


def test_a_contact_that_a_visitor_named_is_confirmed_in_the_inbox(cast: Cast) -> None:
    talk = _visitor(cast)
    browser = enter(cast.owner)
    here = at(cast.owner, f"inbox/{talk.pk}")
    assert "Unverified" not in text_of(browser.get(here))  # there is no contact yet
    with cast.scope():
        contact = ContactFactory(name=EVIL)
        Conversation.objects.update(contact=contact)
    shown = html_of(browser.get(here))
    assert (shown.count("Unverified"), "The visitor entered this contact" in shown, EVIL in shown) == (2, True, False)
    assert text_of(browser.get(at(cast.owner, "inbox"))).count("Unverified") == 1
    assert browser.post(here, {"do": "confirm", "contact": "x"}).status_code == 400
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"chatapp": {"GET": True, "PUT": True}})
    narrow = enter(cast.narrow)
    limited = html_of(narrow.get(at(cast.narrow, f"inbox/{talk.pk}")))
    assert ("Unverified" in limited, 'value="confirm"' in limited) == (True, False)
    narrow.post(at(cast.narrow, f"inbox/{talk.pk}"), {"do": "confirm", "contact": contact.pk})
    with cast.scope():
        assert Conversation.objects.get().contact_confirmed is False
    answer = browser.post(here, {"do": "confirm", "contact": contact.pk})
    assert "Contact confirmed" in toast_of(browser, answer)
    assert "Unverified" not in text_of(browser.get(here))
    with cast.scope():
        assert Conversation.objects.get().contact_confirmed is True
        contact.refresh_from_db()
        assert contact.replied_at == Conversation.objects.get().last_inbound_at


def test_a_known_number_is_never_unverified(cast: Cast) -> None:
    talk = _talk(cast)
    assert "Unverified" not in text_of(enter(cast.owner).get(at(cast.owner, f"inbox/{talk.pk}")))


def test_who_may_not_create_contacts_is_told_so(cast: Cast) -> None:
    talk = _visitor(cast)
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"chatapp": {"GET": True, "PUT": True}})
    here = at(cast.narrow, f"inbox/{talk.pk}")
    shown = html_of(enter(cast.narrow).get(here))
    assert "Your role can't create contacts." in shown
    assert 'value="identify"' not in shown
