"""Messages of a website's visitor at the same moment, and a process that ends in between."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from crm.models import Contact, Lead
from outreach.chat.conversations import incoming, services
from outreach.chat.conversations.incoming import Inbound, store_incoming
from outreach.chat.widgets.chat_sessions import WidgetSource, write
from outreach.models import ChatWidget, Conversation, ConversationMessage, WidgetVisitor
from tests.kit.cast import make_cast
from tests.kit.threads import at_once
from tests.outreach.chat.widgets.helpers import ADDRESS, began, events, said, unknown


@pytest.mark.django_db(transaction=True)
def test_first_messages_at_once_make_one_contact() -> None:
    cast = make_cast()
    unknown(cast)
    with cast.scope():
        row = ChatWidget.objects.get()
        visitor = WidgetVisitor.objects.get()
        Conversation.objects.all().delete()

    def send(n: int) -> object:
        writer = WidgetVisitor.objects.get(pk=visitor.pk)
        inbound = Inbound(f"m{n}", visitor.pk, timezone.now(), text=f"I am ann{n}@acme.example")
        return store_incoming(WidgetSource(row, writer), inbound)

    results = at_once(6, cast.company.pk, send)
    assert not [result for result in results if isinstance(result, str)], results
    with cast.scope():
        assert Conversation.objects.get().contact_id == Contact.objects.get().pk
        assert Lead.objects.count() == 1
        assert ConversationMessage.objects.filter(direction="in").count() == 6


class Killed(BaseException):
    """The end of the process."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", ["identify", "emit_event", "save_with_target"])
def test_a_kill_between_the_message_and_the_contact_leaves_neither(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    cast = make_cast()
    widget, visitor, _ = unknown(cast)

    def killed(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, cast.scope():
        patch.setattr(incoming, at, killed)
        with pytest.raises(Killed):
            write(ChatWidget.objects.get(), WidgetVisitor.objects.get(), text=ADDRESS, key="2")
    with cast.scope():
        assert (Contact.objects.count(), ConversationMessage.objects.filter(direction="in").count()) == (0, 1)
        assert not events("conversation.identified")
    # The browser sends it again.
    assert said(widget, visitor, ADDRESS, "2").status == 201
    with cast.scope():
        assert (Contact.objects.count(), ConversationMessage.objects.filter(direction="in").count()) == (1, 2)
        assert (len(events("conversation.identified")), len(events("contact.created"))) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_two_messages_with_the_address_at_once_make_one_contact() -> None:
    cast = make_cast()
    widget, _, _ = unknown(cast)
    other = began(widget)
    said(widget, other, "Hello")
    third = began(widget)
    with cast.scope():
        row = ChatWidget.objects.get()
        visitors = list(WidgetVisitor.objects.order_by("pk"))
    assert third

    def send(n: int) -> object:
        text = f"{'Ann' if n % 2 else 'ann'}@acme.example"
        visitor = WidgetVisitor.objects.get(pk=visitors[n // 2].pk)
        return store_incoming(WidgetSource(row, visitor), Inbound(f"m{n}", visitor.pk, timezone.now(), text=text))

    results = at_once(6, cast.company.pk, send)
    assert not [result for result in results if isinstance(result, str)], results
    with cast.scope():
        [contact] = Contact.objects.all()
        talks = list(Conversation.objects.all())
        assert [talk.contact_id for talk in talks] == [contact.pk] * 3
        assert ConversationMessage.objects.filter(direction="in").count() == 8
        assert len(events("conversation.identified")) == 2  # the third began with its contact
        assert Lead.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_staff_and_the_visitor_at_once_make_one_contact() -> None:
    cast = make_cast()
    _, _, chat = unknown(cast)
    with cast.scope():
        row, visitor = ChatWidget.objects.get(), WidgetVisitor.objects.get()

    def act(n: int) -> object:
        if n:
            return services.set_contact(id=chat["_id"], member_id=cast.owner.pk, email=ADDRESS)
        return write(row, visitor, text=ADDRESS, key="2")

    results = at_once(2, cast.company.pk, act)
    assert results[1] in (None, "InvalidRequest_400")
    with cast.scope():
        assert Conversation.objects.get().contact_id == Contact.objects.get().pk
        assert len(events("conversation.identified")) == 1
