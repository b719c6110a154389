"""Messages between visitors and the company by a widget: conversations as those of chat apps, but visitors poll for
their messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from core.errors import ApiError
from core.types import JsonObject
from crm.models import Contact
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.conversations.incoming import Inbound, Source, store_incoming
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.people import get_or_create_by_address, lock_people
from outreach.chat.widgets.addresses import learn
from outreach.chat.widgets.models import ChatWidget, WidgetVisitor

Channel = Conversation.Channel
Direction = ConversationMessage.Direction
SHOWN = 100
"""Messages that a visitor gets at once: the latest."""
OVERLAP = timedelta(seconds=5)
"""Overlap with the last poll, whose messages are returned again: clocks of processes differ."""
PAUSES = ((60, 2), (300, 4), (1800, 10), (7200, 30))
"""Seconds since the last message -> seconds until the next look. Who waits for an answer looks often."""
MAX_POLL_DELAY = 60


class WidgetSource(Source):
    """A visitor of a widget. `offline` starts no chatbot."""

    def __init__(self, widget: ChatWidget, visitor: WidgetVisitor, *, offline: bool = False) -> None:
        self._visitor = visitor
        self.member_id = widget.created_by_id
        chatbot = None if offline else widget.chatbot_id
        published = ManualChatbot.objects.filter(pk=chatbot, status=ManualChatbot.Status.PUBLISHED)
        # A chatbot that is no longer published must not answer.
        self.bot = chatbot if chatbot is not None and published.exists() else ""

    def place(self, address: str) -> JsonObject:
        return {"channel": Channel.WIDGET, "chat_app": None, "address": address}

    def is_same_person(self, conversation: Conversation) -> bool:
        return True

    def contact(self, inbound: Inbound, member_id: str) -> Contact | None:
        visitor = self._visitor
        if not (visitor.email or visitor.phone):
            learn(visitor, inbound.text)
        return contact_of(visitor, member_id) if visitor.email or visitor.phone else None


def contact_of(visitor: WidgetVisitor, member_id: str) -> Contact:
    """Return the oldest live contact with the visitor's address or number; create one if there is none.

    If the company's rules for contacts refuse the values, the contact has only a name and an email address.
    """
    name = visitor.name or visitor.email or visitor.phone
    # Before the savepoint, whose end would release it.
    lock_people(visitor.email, visitor.phone)
    try:
        with transaction.atomic():
            return get_or_create_by_address(
                name=name, email=visitor.email, phone=visitor.phone, member_id=member_id, drop_invalid=True
            )
    except ApiError:
        created: Contact = Contact.objects.create(
            name=name, email=visitor.email or None, created_by_id=member_id, updated_by_id=member_id
        )
        return created


def prefix_of(visitor: WidgetVisitor) -> str:
    """Return the prefix of the ids of a visitor's messages. The visitor's own key follows it."""
    return f"widget:{visitor.pk}:"


@transaction.atomic
def write(
    widget: ChatWidget, visitor: WidgetVisitor, *, text: str, key: str, offline: bool = False
) -> ConversationMessage:
    """Store a visitor's message, once for each `key` of theirs, and call a chatbot to answer."""
    source = WidgetSource(widget, visitor, offline=offline)
    external = f"{prefix_of(visitor)}{key}"
    name = visitor.name or visitor.email or f"Visitor {visitor.pk[-6:]}"
    message = store_incoming(source, Inbound(external, visitor.pk, timezone.now(), name=name, text=text))
    if message is None:
        return ConversationMessage.objects.get(external_id=external)
    written = ConversationMessage.objects.filter(conversation_id=message.conversation_id, direction=Direction.IN)
    # Under the conversation's lock, so that exactly one message is the first.
    if written.count() == 1:
        _introduce(widget, visitor, message)
    return message


def _introduce(widget: ChatWidget, visitor: WidgetVisitor, message: ConversationMessage) -> None:
    """Add a note for members above the first message, with the page and the visitor's answers."""
    rows = [("Website chat", widget.name), ("Page", visitor.page)]
    rows += [(label, getattr(visitor, key)) for key, label in (("email", "Email"), ("phone", "Phone"))]
    rows += [(answer["label"], answer["value"]) for answer in visitor.answers]
    ConversationMessage.objects.create(
        conversation_id=message.conversation_id,
        direction=Direction.NOTE,
        author=ConversationMessage.Author.CONTACT,
        text="\n".join(f"{label}: {value}" for label, value in rows if value),
        # Just before the message, so that it stands above it in the order of time.
        happened_at=message.happened_at - timedelta(milliseconds=1),
    )


def conversation_of(visitor: WidgetVisitor) -> Conversation | None:
    """Return the visitor's conversation; None before they have written, or once it was erased."""
    rows = Conversation.objects.filter(channel=Channel.WIDGET, chat_app=None, address=visitor.pk)
    conversation: Conversation | None = rows.first()
    return conversation


def messages_of(conversation: Conversation, after: datetime | None) -> Sequence[ConversationMessage]:
    """Return the messages that the visitor sees, the oldest first: the latest, or those since `after`. No notes."""
    rows = ConversationMessage.objects.filter(conversation=conversation).exclude(direction=Direction.NOTE)
    if after is not None:
        # An old cursor reads no more than the conversation has.
        rows = rows.filter(happened_at__gte=max(after, conversation.created_at) - OVERLAP)
    return [*rows.select_related("member__user").order_by("-happened_at", "-pk")[:SHOWN]][::-1]


def is_quiet(conversation: Conversation, after: datetime | None) -> bool:
    """Return whether there was no message since `after`, which browsers have to the millisecond."""
    last = conversation.last_message_at
    return after is not None and last is not None and abs(last - after) < timedelta(milliseconds=1)


def mark_read(visitor: WidgetVisitor) -> None:
    """Record that the visitor has read all messages."""
    WidgetVisitor.objects.filter(pk=visitor.pk).update(read_at=timezone.now())


def unread_of(conversation: Conversation, visitor: WidgetVisitor) -> int:
    """Return how many answers the visitor has not seen."""
    last = conversation.last_message_at
    if visitor.read_at is not None and last is not None and visitor.read_at >= last:
        return 0
    rows = ConversationMessage.objects.filter(conversation=conversation, direction=Direction.OUT)
    return rows.filter(happened_at__gt=visitor.read_at).count() if visitor.read_at else rows.count()


def pause_after(conversation: Conversation | None) -> int:
    """Return the number of seconds until the visitor's next poll."""
    last = conversation.last_message_at if conversation else None
    if last is None:
        return MAX_POLL_DELAY
    age = (timezone.now() - last).total_seconds()
    return next((pause for limit, pause in PAUSES if age < limit), MAX_POLL_DELAY)
