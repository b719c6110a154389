"""The ways by which people write, one class each: who may see them, whether an answer may go, and how it goes.

A new way is a class and a line in CHANNELS.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import ClassVar

from core.access import Actor, AuthPath, entitlement
from core.errors import ValidationFailed
from core.types import JsonObject, Values
from crm.files.models import File
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.connections.chat_apps.media import (
    FileAnswer,
    FileTrouble,
    fetch_from_messenger,
    fetch_from_social_b,
    fetch_media,
    media_kind,
)
from outreach.connections.chat_apps.selectors import is_phone
from outreach.connections.chat_apps.social_b import MAX_IMAGE_BYTES, file_kind
from outreach.messaging.delivery.deciding.chats import SESSION
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.suppression.addresses import is_address

Channel = Conversation.Channel
Known = Values
"""The columns of a conversation that `reads` names, by their paths."""
CONTACT_GONE = "The contact was deleted, or has another number or address now."


class ConversationChannel:
    """A way by which people write to companies."""

    key: ClassVar[str]
    module: ClassVar[str] = "chatapp"
    """The permission module that shows its conversations."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Fields of a conversation that `refusal` and `delay` read."""
    session: ClassVar[timedelta | None] = None
    """Time after the person's last message in which free text is allowed; None: at any time."""
    over: ClassVar[str] = ""
    """Reason why no free text is allowed after that."""
    text_length: ClassVar[int] = 4096
    takes_files: ClassVar[bool] = False
    """Members may answer with a file."""
    proves_writer: ClassVar[bool] = True
    """The channel itself says who writes. False: writers may name anybody's address, and a member has to confirm it."""

    def fetch(self, conversation: Conversation, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
        """Fetch a file that the person has sent, outside of any transaction. Raises FileTrouble.

        `check` raises it for a size that is not taken, and is asked as soon as the size is known.
        """
        raise FileTrouble("gone", "There are no files on this channel")

    def file_content(self, conversation: Conversation, file: File, text: str) -> JsonObject:
        """Return a file with text below it in the form of `columns`. Raises ValidationFailed."""
        raise ValidationFailed("file: goes by no answer here", "this channel takes no files", field="file")

    def refusal(self, fields: Known) -> str:
        """Return the reason why no answer of any kind is allowed; empty: one is."""
        return ""

    def delay(self, fields: Known) -> str:
        """Return why an answer would wait, though it is taken; empty: it goes at once."""
        return ""

    def content(self, conversation: Conversation, text: str) -> JsonObject:
        """Return free text in the form of `columns`: `type`, and the values of the type. Raises ValidationFailed."""
        if not text.strip() or len(text) > self.text_length:
            raise ValidationFailed(
                "text is missing or too long", f"enter 1 to {self.text_length:,} characters", field="text"
            )
        return {"type": "text"}

    def columns(self, conversation: Conversation, content: Values) -> JsonObject | None:
        """Return the columns of the message (SendJob) for the content; None if the person polls for it."""
        raise NotImplementedError

    def closes_at(self, last: datetime | None, now: datetime) -> datetime | None:
        """Return the end of the time for free text after the person's `last` message; None if that is over."""
        return last + self.session if self.session and last and last + self.session > now else None

    def is_open(self, last: datetime | None, now: datetime) -> bool:
        """Return whether free text is allowed now."""
        return self.session is None or self.closes_at(last, now) is not None


class ChatAppChannel(ConversationChannel):
    """A number at the chat vendor."""

    key = Channel.CHATAPP
    # WhatsApp's customer service window: free text within 24 hours, approved templates at any time.
    session: ClassVar[timedelta | None] = SESSION
    over = "More than 24 hours have passed since the person's last message: only an approved template may go."
    reads = ("chat_app__is_active", "chat_app__verified", "chat_app__stopped_at", "contact__contact_number")

    def refusal(self, fields: Known) -> str:
        if not fields["chat_app__is_active"]:
            return "The chat app of the conversation is switched off."
        number = fields["contact__contact_number"]
        # The chat goes to who wrote, and not to another person who has the contact's number by now.
        if fields["contact__is_deleted"] or number != fields["address"] or not is_phone(number):
            return CONTACT_GONE
        return ""

    def delay(self, fields: Known) -> str:
        return _delay(fields, "chat_app", "chat app")

    def content(self, conversation: Conversation, text: str) -> JsonObject:
        # Without a preview the text is shown as it was written.
        return {**super().content(conversation, text), "text": {"body": text, "preview_url": False}}

    takes_files = True

    def fetch(self, conversation: Conversation, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
        return fetch_media(conversation.chat_app, media, check)

    def file_content(self, conversation: Conversation, file: File, text: str) -> JsonObject:
        kind = media_kind(file.mime)
        caption = {"caption": text} if text and kind != "audio" else {}
        # The vendor's audio messages have no caption.
        if text and kind == "audio":
            raise ValidationFailed(
                "text: no words go below a sound", "send the text as a message of its own", field="text"
            )
        return {"type": kind, kind: {**caption, **({"filename": file.name} if kind == "document" else {})}}

    def columns(self, conversation: Conversation, content: Values) -> JsonObject:
        return {
            "channel": SendJob.Channel.CHATAPP,
            "chat_app_id": conversation.chat_app_id,
            "chat": dict(content),
            "recipient": conversation.address,
        }


class DirectChannel(ChatAppChannel):
    """An account whose people have no number: an answer goes to who writes in the conversation."""

    def refusal(self, fields: Known) -> str:
        if not fields["chat_app__is_active"]:
            return "The app of the conversation is switched off."
        if fields["contact__is_deleted"] or fields["address"].startswith(ERASED):
            return "The contact was deleted."
        return ""

    def delay(self, fields: Known) -> str:
        return _delay(fields, "chat_app", "app")

    def columns(self, conversation: Conversation, content: Values) -> JsonObject:
        return {**super().columns(conversation, content), "channel": self.key}


class MessengerChannel(DirectChannel):
    """A bot at the messenger: it may write at any time to who has written to it."""

    key = Channel.MESSENGER
    session = None

    def content(self, conversation: Conversation, text: str) -> JsonObject:
        return {**ConversationChannel.content(self, conversation, text), "text": {"text": text}}

    def fetch(self, conversation: Conversation, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
        return fetch_from_messenger(conversation.chat_app, media, check)

    def file_content(self, conversation: Conversation, file: File, text: str) -> JsonObject:
        if len(text) > CAPTION_LENGTH:
            raise ValidationFailed(
                "text is too long", f"enter at most {CAPTION_LENGTH:,} characters below a file", field="text"
            )
        kind = "photo" if file.mime in ("image/jpeg", "image/png") else "document"
        return {"type": kind, kind: {"caption": text} if text else {}}


class SocialBChannel(DirectChannel):
    """An account at the second social platform: messages, and comments, which are answered in public."""

    key = Channel.SOCIAL_B
    over = "More than 24 hours have passed since the person's last message: the platform takes no answer."
    text_length = 1000

    def content(self, conversation: Conversation, text: str) -> JsonObject:
        body = ConversationChannel.content(self, conversation, text)
        comment = comment_of(conversation)
        return {**body, "text": {"body": text, **({"comment": comment} if comment else {})}}

    def fetch(self, conversation: Conversation, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
        return fetch_from_social_b(conversation.chat_app, media, check)

    def file_content(self, conversation: Conversation, file: File, text: str) -> JsonObject:
        if conversation.address.startswith(COMMENTS):
            raise ValidationFailed(
                "file: comments have none", "below a post the platform takes words alone", field="file"
            )
        if text:
            raise ValidationFailed(
                "text: no words go below a file", "send the text as a message of its own", field="text"
            )
        kind = file_kind(file.mime)
        if kind is None or (kind == "image" and file.size > MAX_IMAGE_BYTES):
            detail = "the platform takes JPEG and PNG of at most 8 MB, sounds, videos and PDF"
            raise ValidationFailed("file: is none that the platform takes", detail, field="file")
        return {"type": kind, kind: {}}


ERASED = "erased:"
"""Prefix of a conversation's address after the erasure of its person's data."""
CAPTION_LENGTH = 1024
COMMENTS = "comment:"
"""Prefix of the address of a conversation in the comments below a post."""


def comment_of(conversation: Conversation) -> str:
    """Return the last comment of who writes, which an answer belongs to; "" where messages are exchanged."""
    if not conversation.address.startswith(COMMENTS):
        return ""
    rows = ConversationMessage.objects.filter(conversation=conversation, direction=ConversationMessage.Direction.IN)
    last = rows.order_by("-happened_at", "-pk").values_list("external_id", flat=True).first() or ""
    return last.rpartition(":")[2]


class MailChannel(ConversationChannel):
    """Replies to mail. An answer goes by the sender that the person has answered."""

    key = Channel.MAIL
    module = "genie"
    text_length = 20_000
    reads = (
        *(f"{sender}__{name}" for sender in ("smtp", "mail_app") for name in ("is_active", "verified", "stopped_at")),
        "smtp_id",
        "mail_app_id",
        "contact__email",
    )

    def refusal(self, fields: Known) -> str:
        sender = _mail_sender(fields)
        if sender is None or not fields[f"{sender}__is_active"]:
            return "The sender that this person has answered is gone or switched off."
        # The address may have been erased or emptied since.
        if fields["contact__is_deleted"] or not is_address(fields["contact__email"]):
            return CONTACT_GONE
        return ""

    def delay(self, fields: Known) -> str:
        return _delay(fields, _mail_sender(fields) or "smtp", "sender")

    def content(self, conversation: Conversation, text: str) -> JsonObject:
        """Return the text in the thread of the last mail: its subject, and the earlier Message-IDs."""
        body = super().content(conversation, text)
        rows = ConversationMessage.objects.filter(conversation=conversation).order_by("-happened_at", "-pk")
        last = rows.filter(inbound__isnull=False).values_list(*THREAD).first()
        # A member has begun the conversation, and nothing has come yet.
        last = last or rows.filter(send_job__isnull=False).values_list(*BEGUN).first() or ("", "", "", "", "")
        subject, answered, before, earlier, thread = ((value or "") for value in last)
        # RFC 5322, 3.6.4: the former references, our message, and the one that is answered.
        ids = f"{earlier} {before} {f'<{answered}>' if answered else ''}".split()
        return {
            **body,
            "type": "mail",
            "subject": _reply_subject(subject),
            "references": " ".join(ids),
            "thread": thread,
        }

    def columns(self, conversation: Conversation, content: Values) -> JsonObject:
        sender = conversation.smtp or conversation.mail_app
        if sender is None:
            raise RuntimeError("a mail conversation without sender was asked to answer")
        if conversation.contact is None:
            raise RuntimeError("a mail conversation without contact was asked to answer")
        return {
            "channel": sender.app_key,
            "smtp": conversation.smtp,
            "mail_app": None if conversation.smtp_id else conversation.mail_app,
            "subject": content["subject"],
            "reference_ids": content["references"],
            "provider_thread_id": content["thread"],
            "recipient": conversation.contact.email or "",
        }


THREAD = (
    "inbound__subject",
    "inbound__message_id",
    "inbound__send_job__message_id",
    "inbound__send_job__reference_ids",
    "inbound__send_job__provider_thread_id",
)
BEGUN = (
    "send_job__subject",
    "inbound__message_id",
    "send_job__message_id",
    "send_job__reference_ids",
    "send_job__provider_thread_id",
)


def _reply_subject(subject: str) -> str:
    return (subject if subject.lower().startswith("re:") else f"Re: {subject}".strip())[:998]


def _mail_sender(fields: Known) -> str | None:
    if fields["smtp_id"]:
        return "smtp"
    return "mail_app" if fields["mail_app_id"] else None


def _delay(fields: Known, sender: str, label: str) -> str:
    if fields[f"{sender}__stopped_at"] is not None:
        return f"The {label} was stopped: an answer waits until somebody resumes it."
    if not fields[f"{sender}__verified"]:
        return f"The {label} is not verified: an answer waits until a test of it passes."
    return ""


VISITORS_KEPT = timedelta(days=30)
"""Time after their last message for which a website's visitor is known."""


class WidgetChannel(ConversationChannel):
    """A chat on a website. Nothing is sent: the visitor's browser polls for messages, while it is known."""

    key = Channel.WIDGET
    proves_writer = False
    # As long as the visitor's cookie is known; later nobody would ever read the answer.
    session = VISITORS_KEPT
    over = "The visitor has not written for 30 days, and their browser asks no more: write them an email."

    def refusal(self, fields: Known) -> str:
        return "The contact was deleted." if fields["contact__is_deleted"] else ""

    def columns(self, conversation: Conversation, content: Values) -> None:
        return None


ALL = (ChatAppChannel(), MailChannel(), WidgetChannel(), MessengerChannel(), SocialBChannel())
CHANNELS: dict[str, ConversationChannel] = {one.key: one for one in ALL}
"""Conversation.channel -> how it works."""
READS = tuple(
    dict.fromkeys(
        (
            "address",
            "contact_id",
            "contact_confirmed",
            "contact__is_deleted",
            "last_inbound_at",
            *(name for one in CHANNELS.values() for name in one.reads),
        )
    )
)
"""Fields of a conversation that the channels read."""
MODULES = tuple(dict.fromkeys(one.module for one in CHANNELS.values()))
"""The permission modules that show conversations."""


def channel_of(conversation: Conversation) -> ConversationChannel:
    """Return how the conversation's channel works."""
    return CHANNELS[conversation.channel]


def answer_conditions(key: str, fields: Known, now: datetime) -> JsonObject:
    """Return the conditions for an answer: whether free text is allowed, the reason if not, and a delay."""
    channel, last = CHANNELS[key], fields["last_inbound_at"]
    refusal = channel.refusal(fields) or ("" if channel.is_open(last, now) else channel.over)
    until = channel.closes_at(last, now)
    waits = channel.delay(fields)
    conditions = {"canAnswer": not refusal, "whyNot": refusal, "waits": waits, "opensUntil": until}
    return {**conditions, "takesFiles": channel.takes_files and not fields["address"].startswith(COMMENTS)}


def seen_by(actor: Actor, method: str) -> list[str]:
    """Return the channels whose conversations the actor may use the method on."""
    within = None
    if actor.auth_path is AuthPath.SESSION and not actor.visiting:
        within = entitlement(actor.company_id).modules
    return [
        key
        for key, channel in CHANNELS.items()
        if actor.may(channel.module, method) and (within is None or channel.module in within)
    ]


def known_of(conversation: Conversation) -> JsonObject:
    """Return the fields of a conversation that its channel reads."""
    fields: JsonObject = Conversation.objects.filter(pk=conversation.pk).values(*READS).get()
    return fields
