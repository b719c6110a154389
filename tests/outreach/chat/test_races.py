"""Two at once in one conversation: of two members one is second, and a chatbot never speaks beside a member."""

from __future__ import annotations

import pytest
from django.utils import timezone

from outreach.chat.chatbots.services import create_chatbot, publish
from outreach.chat.conversations import services
from outreach.chat.conversations.incoming import Inbound, receive
from outreach.models import ChatApp, Conversation, ConversationMessage
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

PHONE = "+4915112345678"
ROUNDS = 5


def _app(cast: Cast) -> ChatApp:
    made: ChatApp = ChatApp.objects.create(
        name="Acme", phone_number_id="1", waba_id="2", access_token="t", created_by_id=cast.owner.pk
    )
    texts = [{"text": f"Question {number}", "order": number} for number in range(ROUNDS * 2)]
    bot = create_chatbot(member_id=cast.owner.pk, name="Porter", conversations=texts)
    publish(id=bot.pk, member_id=cast.owner.pk)
    return made


def _write(app: ChatApp, number: int) -> None:
    receive(app, Inbound(f"in.{number}", PHONE, timezone.now(), name="Ada", text="Hello"))


@pytest.mark.django_db(transaction=True)
def test_of_two_members_one_is_second() -> None:
    cast = make_cast()
    with cast.scope():
        app = _app(cast)
        _write(app, 1)
        id = Conversation.objects.get().pk
    members = (cast.owner.pk, cast.narrow.pk)
    found = at_once(2, cast.company.pk, lambda n: services.take_over(id=id, member_id=members[n]))
    assert sorted(found, key=str) == [None, "RecordChanged_409"]
    with cast.scope():
        has_it = Conversation.objects.get().assignee_id
        other = next(one for one in members if one != has_it)
        services.take_over(id=id, member_id=other, instead_of=has_it)
        assert Conversation.objects.get().assignee_id == other


@pytest.mark.django_db(transaction=True)
def test_a_chatbot_never_speaks_beside_a_member() -> None:
    cast = make_cast()
    with cast.scope():
        app = _app(cast)
        _write(app, 0)
        id = Conversation.objects.get().pk
    for number in range(1, ROUNDS):

        def act(n: int, number: int = number) -> None:
            if n:
                services.send_answer(id=id, member_id=cast.owner.pk, text="I am here.")
            else:
                _write(app, number)

        assert at_once(2, cast.company.pk, act) == [None, None]
        with cast.scope():
            assert Conversation.objects.get().state == "human"
            said = ConversationMessage.objects.filter(author="bot")
            assert set(said.values_list("send_job__status", flat=True)) == {"cancelled"}
            services.release(id=id, member_id=cast.owner.pk)
