"""A visitor's address is only named: nobody has proven that it is theirs."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from crm.models import Contact
from outreach.models import Conversation, ConversationMessage, InboundMessage, SendJob, WidgetVisitor
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.chat.widgets.helpers import ADDRESS, away, began, call, made, said, unknown

PHONE = "+49 30 1234567"


def _replied(cast: Cast) -> list[bool]:
    with cast.scope():
        return [contact.replied_at is not None for contact in Contact.objects.order_by("pk")]


@pytest.mark.parametrize("answers", [{"email": ADDRESS}, {"email": "ANN@acme.example"}, {"phone": PHONE}])
def test_an_address_of_the_questions_stops_no_outreach(cast: Cast, answers: dict[str, str]) -> None:
    known = {"name": "Ann", "email": ADDRESS, "countryCode": "+49", "number": "30 1234567"}
    assert cast.key.post("/contact", {"formData": known}).status == 200
    widget = made(cast)
    visitor = began(widget, **answers)
    for number, text in enumerate(("Hello", "STOP", "unsubscribe")):
        assert said(widget, visitor, text, str(number)).status == 201
    with cast.scope():
        contact = Contact.objects.get()
        assert Conversation.objects.get().contact_id == contact.pk
        assert (contact.replied_at, contact.unsubscribed_at) == (None, None)


def test_an_address_that_is_left_offline_stops_no_outreach(cast: Cast) -> None:
    with cast.scope():
        ContactFactory(email=ADDRESS)
    widget = made(cast, businessHours=away())
    assert call(widget, "offline", {"answers": {"email": ADDRESS}, "text": "Call me", "key": "k"}).status == 201
    assert _replied(cast) == [False]


@pytest.mark.parametrize("path", ["key", "session"])
@pytest.mark.parametrize("by", ["contact", "email"])
def test_a_member_who_confirms_the_contact_stops_its_outreach(cast: Cast, path: str, by: str) -> None:
    with cast.scope():
        known = ContactFactory(email=ADDRESS)
    widget, visitor, chat = unknown(cast)
    said(widget, visitor, ADDRESS, "2")
    assert _replied(cast) == [False]
    body = {"contact": known.pk} if by == "contact" else {"email": ADDRESS}
    assert getattr(cast, path).post(f"/conversation/{chat['_id']}/contact", body).status == 200
    with cast.scope():
        replied_at = Contact.objects.get().replied_at
        assert replied_at == Conversation.objects.get().last_inbound_at
        assert replied_at > timezone.now() - timedelta(minutes=1)


def test_two_browsers_with_one_address_are_two_visitors_of_one_contact(cast: Cast) -> None:
    widget = made(cast)
    visitors = [began(widget, email=address) for address in (ADDRESS, ADDRESS.upper())]
    for number, visitor in enumerate(visitors):
        assert said(widget, visitor, f"Secret {number}").status == 201
    with cast.scope():
        contact = Contact.objects.get()
        assert list(Conversation.objects.values_list("contact", flat=True)) == [contact.pk] * 2
    for number, visitor in enumerate(visitors):
        shown = call(widget, "poll", {"visitor": visitor, "after": "0001-01-01T00:00:00Z"})
        assert [message["text"] for message in shown.data["messages"]] == [f"Secret {number}"]


def test_an_erased_contact_takes_visitors_of_its_address_along(cast: Cast) -> None:
    with cast.scope():
        known = ContactFactory(email=ADDRESS)
    widget = made(cast)
    silent, writer, other = (began(widget, email=address) for address in (ADDRESS.upper(), ADDRESS, "bo@acme.example"))
    said(widget, writer, "Hello")
    said(widget, other, "Hello")
    assert cast.session.post(f"/contact/{known.pk}/erase", {"confirm": known.pk}).status == 200
    for visitor in (silent, writer):
        assert call(widget, "poll", {"visitor": visitor}).status == 404
    assert call(widget, "poll", {"visitor": other}).status == 200
    with cast.scope():
        assert WidgetVisitor.objects.get().email == "bo@acme.example"
        texts = ConversationMessage.objects.filter(direction="in").values_list("conversation__contact__email", "text")
        assert sorted(texts, key=str) == [("bo@acme.example", "Hello"), (None, "")]


@pytest.mark.parametrize("path", ["key", "session"])
def test_a_conversation_says_whether_its_contact_is_confirmed(cast: Cast, path: str) -> None:
    caller = getattr(cast, path)
    with cast.scope():
        known = ContactFactory(email=ADDRESS)
    widget, visitor, chat = unknown(cast)
    place = f"/conversation/{chat['_id']}"
    assert caller.get(place).data["contactConfirmed"] is False
    said(widget, visitor, ADDRESS, "2")
    named = caller.get(place).data
    assert (named["contact"]["_id"], named["contactConfirmed"]) == (known.pk, False)
    assert caller.post(f"{place}/contact", {"contact": known.pk}).data["contactConfirmed"] is True
    [listed] = caller.get("/conversation").data
    assert listed["contactConfirmed"] is True
    said(widget, visitor, "One more", "3")
    with cast.scope():
        assert Contact.objects.get().replied_at == Conversation.objects.get().last_inbound_at


def _corrected(cast: Cast, *, is_confirmed: bool = True, replied_at: datetime | None = None) -> tuple[Contact, str]:
    """Return the wrong contact, and the path by which the conversation gets the right one."""
    with cast.scope():
        wrong = ContactFactory(email=ADDRESS, replied_at=replied_at)
    widget, visitor, chat = unknown(cast)
    said(widget, visitor, ADDRESS, "2")
    place = f"/conversation/{chat['_id']}/contact"
    if is_confirmed:
        assert cast.key.post(place, {"contact": wrong.pk}).status == 200
    return wrong, place


def _times(cast: Cast, wrong: Contact) -> tuple[datetime | None, datetime | None]:
    """Return when the wrong contact replied, and the right one."""
    with cast.scope():
        right = Contact.objects.exclude(pk=wrong.pk).get()
        return Contact.objects.get(pk=wrong.pk).replied_at, right.replied_at


def test_a_corrected_contact_has_not_replied(cast: Cast) -> None:
    wrong, place = _corrected(cast)
    assert cast.key.post(place, {"email": "bo@acme.example"}).data["contactConfirmed"] is True
    with cast.scope():
        last = Conversation.objects.get().last_inbound_at
    assert _times(cast, wrong) == (None, last)


def test_a_corrected_contact_keeps_the_replies_of_its_other_messages(cast: Cast) -> None:
    wrong, place = _corrected(cast)
    sent_at = timezone.now() - timedelta(days=9)
    with cast.scope():
        job = SendJob.objects.create(contact=wrong, status="sent", sent_at=sent_at)
        for number, (kind, days, message) in enumerate(
            [("reply", 8, job), ("auto", 2, job), ("reply", 3, None), ("reply", 12, job)]
        ):
            InboundMessage.objects.create(
                kind=kind,
                uid_validity=1,
                uid=number,
                digest=str(number),
                send_job=message,
                contact=wrong,
                received_at=timezone.now() - timedelta(days=days),
            )
        by_mail = InboundMessage.objects.get(uid=0).received_at
    assert cast.session.post(place, {"email": "bo@acme.example"}).status == 200
    assert _times(cast, wrong)[0] == by_mail


def test_a_corrected_contact_keeps_the_replies_of_its_other_conversations(cast: Cast) -> None:
    wrong, place = _corrected(cast)
    earlier = timezone.now() - timedelta(days=4)
    columns = {"contact": wrong, "last_inbound_at": earlier}
    with cast.scope():
        Conversation.objects.create(channel="chatapp", address="+491701", **columns)
        later = {**columns, "last_inbound_at": earlier + timedelta(days=1)}
        Conversation.objects.create(channel="widget", address="b" * 24, **later)
    assert cast.key.post(place, {"email": "bo@acme.example"}).status == 200
    assert _times(cast, wrong)[0] == earlier
    with cast.scope():
        Conversation.objects.filter(address="b" * 24).update(contact_confirmed=True)
        right = Contact.objects.exclude(pk=wrong.pk).get()
    for contact in (wrong, right):
        assert cast.session.post(place, {"contact": contact.pk}).status == 200
    assert _times(cast, wrong)[0] == earlier + timedelta(days=1)


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_reply_from_elsewhere_stays(cast: Cast, is_confirmed: bool) -> None:
    before = timezone.now() + timedelta(minutes=1) if is_confirmed else timezone.now() - timedelta(days=3)
    wrong, place = _corrected(cast, is_confirmed=is_confirmed, replied_at=before)
    assert cast.key.post(place, {"email": "bo@acme.example"}).status == 200
    assert _times(cast, wrong)[0] == before
