"""Incoming messages: each is stored once, with all of its effects."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from core.events import emit
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.models import Contact
from outreach.chat.conversations.answerers import assignee_of
from outreach.chat.conversations.bots import BotReply, Incoming, chatbot_reply
from outreach.chat.conversations.channels import COMMENTS, channel_of
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.outgoing import send
from outreach.chat.conversations.people import (
    acting_member,
    create_named_contact,
    get_or_create_by_phone,
    lead_of,
    lock_text,
)
from outreach.chat.conversations.replies import stop_outreach
from outreach.chat.conversations.states import BOT, CLOSED, QUEUED, next_state
from outreach.chat.conversations.targets import save_with_target
from outreach.connections.chat_apps.models import ChatApp, ChatOptOut
from outreach.messaging.inbox.analysis.words import asks_to_stop

Channel = Conversation.Channel
START = ("start", "unstop")
"""Words with which a person who opted out subscribes again."""


@dataclass(frozen=True)
class Inbound:
    """A message as it came."""

    external_id: str
    address: str
    """The sender: the number, as E.164, or the email address."""
    at: datetime
    name: str = ""
    text: str = ""
    kind: str = "text"
    media: Values | None = None
    reply_to: str = ""
    extra: Values = field(default_factory=dict)


class Source(ABC):
    """The source of a message: it determines the conversation, and the person."""

    member_id: str | None
    """Author of records that nobody creates by hand."""
    bot: str | None = None
    """Chatbot that starts: None picks one, "" starts none."""
    honours_stop: bool = False
    """The word STOP unsubscribes the number."""

    @abstractmethod
    def place(self, address: str) -> JsonObject:
        """Return the columns by which the conversation of an address is found."""

    @abstractmethod
    def is_same_person(self, conversation: Conversation) -> bool:
        """Return whether the conversation's contact is still who writes from its address."""

    @abstractmethod
    def contact(self, inbound: Inbound, member_id: str) -> Contact | None:
        """Return the contact of the writer; create one if there is none. None: no address is known yet."""

    def record_opt_out(self, inbound: Inbound, message_id: str) -> None:
        """Record that the person opts out, or in again. The default records nothing."""
        return


class ChatAppSource(Source):
    """A company's number at the chat vendor."""

    honours_stop = True

    def __init__(self, app: ChatApp) -> None:
        self._app = app
        self.member_id = app.created_by_id

    def place(self, address: str) -> JsonObject:
        return {"channel": Channel.CHATAPP, "chat_app": self._app, "address": address}

    def is_same_person(self, conversation: Conversation) -> bool:
        return conversation.contact is not None and conversation.contact.contact_number == conversation.address

    def contact(self, inbound: Inbound, member_id: str) -> Contact:
        return get_or_create_by_phone(inbound.address, inbound.name, member_id)

    def record_opt_out(self, inbound: Inbound, message_id: str) -> None:
        if asks_to_stop(inbound.text):
            row = ChatOptOut(phone=inbound.address, reason=ChatOptOut.Reason.STOP, source=message_id)
            # STOP is often sent twice.
            ChatOptOut.objects.bulk_create([row], ignore_conflicts=True)
        elif inbound.text.strip().casefold() in START:
            # A block by a member is not undone by the person's START.
            ChatOptOut.objects.filter(phone=inbound.address, reason=ChatOptOut.Reason.STOP).delete()


class DirectSource(Source):
    """An account at a messenger or a social platform, whose people have no number."""

    def __init__(self, app: ChatApp, author: str) -> None:
        self._app = app
        self._author = author
        self.member_id = app.created_by_id

    def place(self, address: str) -> JsonObject:
        return {"channel": self._app.vendor, "chat_app": self._app, "address": address}

    def is_same_person(self, conversation: Conversation) -> bool:
        return True  # nobody else has the vendor's id

    def contact(self, inbound: Inbound, member_id: str) -> Contact:
        """Return the person's contact from earlier conversations of the account; create one if there is none.

        The caller keeps a lock on the person until the transaction ends: a simultaneous message and comment get one
        contact.
        """
        key = hashlib.sha256(f"author:{self._app.pk}:{self._author}".encode()).digest()[:8]
        # No unique key could hold it: a person has several conversations, by messages and below posts.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(key, signed=True)])
        rows = Conversation.objects.filter(chat_app=self._app, contact__is_deleted=False).select_related("contact")
        theirs = Q(address=self._author) | Q(address__startswith=f"{COMMENTS}{self._author}:")
        conversation = rows.filter(theirs).order_by("created_at", "pk").first()
        contact = conversation.contact if conversation else None
        return contact or create_named_contact(inbound.name, self._author, member_id)


def receive(app: ChatApp, inbound: Inbound) -> ConversationMessage | None:
    """Store a message that came to a company's number, as `store_incoming` does."""
    return store_incoming(ChatAppSource(app), inbound)


@transaction.atomic
def store_incoming(source: Source, inbound: Inbound) -> ConversationMessage | None:
    """Store a message, and call a chatbot to answer it. Returns None for a message that is stored already."""
    # A look without a lock: most repetitions of a webhook end here.
    if ConversationMessage.objects.filter(external_id=inbound.external_id).exists():
        return None
    member = acting_member(source.member_id)
    conversation = _conversation(source, inbound, member)
    if ConversationMessage.objects.filter(external_id=inbound.external_id).exists():
        return None  # another worker was first, and held the conversation
    message = create_message(conversation, inbound)
    # Under the conversation's lock and in the same transaction: neither is there without the other.
    if conversation.contact_id is None and (contact := source.contact(inbound, member)) is not None:
        identify(conversation, contact, member)
        emit_event("conversation.identified", conversation, message)
    # In the same transaction: no follow-up may go after the reply has been seen. A stranger who merely names an
    # address is no reply of its owner.
    if channel_of(conversation).proves_writer or conversation.contact_confirmed:
        stop_outreach(conversation, inbound.at)
    if conversation.state == CLOSED:
        conversation.bot = {}
        conversation.chatbot_id = source.bot or None
    said = None
    source.record_opt_out(inbound, message.pk)
    stops = source.honours_stop and asks_to_stop(inbound.text)
    # Somebody who says STOP must not get a chatbot's answer to it.
    if not stops and source.bot != "" and conversation.state in (BOT, CLOSED):
        said = chatbot_reply.first(conversation, Incoming(inbound.text, inbound.at, inbound.kind))
    if conversation.state == CLOSED:
        enter(conversation, "greet" if said is not None else "queue")
    apply(conversation, said)
    if conversation.state == BOT and said is None:
        enter(conversation, "hand_over")  # the chatbot was deleted, or the person opted out
    save_with_target(conversation)
    # Events go to webhooks and are kept for 30 days.
    emit_event("conversation.received", conversation, message, text=inbound.text[:2000])
    return message


def create_message(conversation: Conversation, inbound: Inbound, **columns: Any) -> ConversationMessage:
    """Store a message in a locked conversation, which the caller saves, and note when the person last wrote.

    A message that comes late opens a chat no longer than it would have.
    """
    message: ConversationMessage = ConversationMessage.objects.create(
        conversation=conversation,
        direction=ConversationMessage.Direction.IN,
        author=ConversationMessage.Author.CONTACT,
        kind=inbound.kind,
        text=inbound.text,
        media=dict(inbound.media) if inbound.media else None,
        external_id=inbound.external_id,
        reply_to=inbound.reply_to,
        file_due_at=timezone.now() if inbound.media and inbound.media.get("id") else None,
        happened_at=inbound.at,
        **columns,
    )
    # The vendor's clock may be ahead of ours; the window must not be longer for it.
    at = min(inbound.at, timezone.now())
    conversation.last_inbound_at = max(conversation.last_inbound_at or at, at)
    conversation.last_message_at = max(conversation.last_message_at or at, at)
    conversation.last_text = " ".join((inbound.text or inbound.kind).split())[:200]
    # Counted from the first unanswered message, and not from the last.
    conversation.waiting_since = conversation.waiting_since or at
    conversation.unread += 1
    conversation.snoozed_until = None
    conversation.name = inbound.name[:200] or conversation.name
    return message


def _conversation(source: Source, inbound: Inbound, member: str) -> Conversation:
    """Return the person's conversation, locked until the transaction ends; a new one is closed still."""

    def is_same_person(conversation: Conversation) -> bool:
        contact = conversation.contact
        return contact is None or (not contact.is_deleted and source.is_same_person(conversation))

    def values() -> JsonObject:
        contact = source.contact(inbound, member)
        if contact is None:
            return {"contact": None, "lead": None}
        lead = lead_of(contact, member)
        return {
            "contact": contact,
            "lead": lead,
            "team_id": lead.team_id if lead else None,
            "assignee_id": assignee_of(lead, source.place(inbound.address)["channel"]),
        }

    return lock_or_create(source.place(inbound.address), inbound.name, is_same_person, values)


def lock_or_create(
    place: Values, name: str, same: Callable[[Conversation], bool], values: Callable[[], Values]
) -> Conversation:
    """Return the conversation of the place, locked until the transaction ends. A new one is still closed.

    `values` returns the columns with its person. It is called for a new conversation, and for one that no longer
    belongs to the `same` person.
    """
    rows = Conversation.objects.select_for_update(of=("self",))
    existing: Conversation | None = rows.filter(**place).first()
    if existing is None:
        # Several first messages at the same moment: the first one alone makes a contact.
        columns = ":".join(str(getattr(value, "pk", value)) for value in place.values())
        lock_text(f"leadwright.conversation:{company_id()}:{columns}")
        existing = rows.filter(**place).first()
    # A number that now belongs to somebody else must not show them the former conversation's contact.
    if existing is not None and same(existing):
        return existing
    fields = values()
    if existing is not None:  # the contact was deleted, or has another number by now
        for column, value in fields.items():
            setattr(existing, column, value)
        existing.contact_confirmed = False
        return existing
    fresh = Conversation(state=CLOSED, name=name[:200], **place, **fields)
    Conversation.objects.bulk_create([fresh], ignore_conflicts=True)
    # Read again with a lock.
    conversation: Conversation = rows.get(**place)
    if conversation.pk == fresh.pk:
        emit_event("conversation.created", conversation)
    return conversation


def identify(conversation: Conversation, contact: Contact, member_id: str) -> None:
    """Attach a locked conversation without contact to one. The caller saves it, and emits the event.

    Team and assignee of the contact's lead count only if the conversation has none.
    """
    lead = lead_of(contact, member_id)
    conversation.contact = contact
    conversation.lead = lead
    if conversation.team_id is None and lead is not None:
        conversation.team_id = lead.team_id
    if conversation.assignee_id is None:
        conversation.assignee_id = assignee_of(lead, conversation.channel)


def enter(conversation: Conversation, move: str) -> None:
    """Make a move of a locked conversation, which the caller saves. Raises InvalidRequest_400."""
    before = conversation.state
    conversation.state = next_state(before, move)
    now = timezone.now()
    if conversation.state == QUEUED and before != QUEUED:
        conversation.queued_at = now
        conversation.answered_at = None
        emit_event("conversation.queued", conversation)
    # A chatbot's reminder is void as soon as it does not answer any more.
    if conversation.state != BOT:
        conversation.bot_due_at = None
    conversation.closed_at = now if conversation.state == CLOSED else None


def apply(conversation: Conversation, said: BotReply | None) -> None:
    """Apply a chatbot's reaction in a locked conversation that it handles: in no other state does it write."""
    if said is None or conversation.state != BOT:
        return
    conversation.chatbot_id = said.chatbot_id
    conversation.bot = dict(said.memory)
    conversation.bot_due_at = said.due_at
    channel = channel_of(conversation)
    # A message that comes late may find the window closed; the chatbot then says nothing.
    is_open = channel.is_open(conversation.last_inbound_at, timezone.now())
    for text in said.texts if is_open else ():
        content = channel.content(conversation, text)
        send(conversation, content=content, text=text, author=ConversationMessage.Author.BOT)
    if said.hand_over or not is_open:
        enter(conversation, "hand_over")


def event_payload(conversation: Conversation) -> JsonObject:
    """Return the payload that all events of a conversation have."""
    return {
        "contact": conversation.contact_id,
        "lead": conversation.lead_id,
        "channel": conversation.channel,
        "state": conversation.state,
        "assignee": conversation.assignee_id,
    }


def emit_event(
    kind: str, conversation: Conversation, message: ConversationMessage | None = None, **values: Any
) -> None:
    """Emit an event of a conversation, with its contact and lead."""
    payload = {**event_payload(conversation), **({"message": message.pk} if message else {}), **values}
    emit(kind, [conversation.pk], payloads={conversation.pk: payload})
