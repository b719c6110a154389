"""Shared parts of the pages of conversations: labels of states and channels, and the data shown of each."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from urllib.parse import urlsplit

from core.text.translation import gettext_lazy
from core.types import JsonObject
from core.web.navigation.places import INBOX, MenuItem
from core.web.pages import Page
from outreach.chat.conversations.types import ConversationData, ConversationMessageData

STATES = {
    "bot": (gettext_lazy("A chatbot answers"), "info"),
    "queued": (gettext_lazy("Waiting"), "warn"),
    "human": (gettext_lazy("A member answers"), "ok"),
    "closed": (gettext_lazy("Closed"), ""),
}
"""State -> its label, and the tone of its badge."""
CHANNELS = {
    "mail": (gettext_lazy("Email"), "mail"),
    "chatapp": (gettext_lazy("Chat"), "messages-square"),
    "widget": (gettext_lazy("Website"), "globe"),
    "messenger": (gettext_lazy("Messenger"), "send"),
    "social-b": (gettext_lazy("Social account"), "at-sign"),
}
"""Channel -> its label, and its icon."""
PROGRESS = {
    "queued": (gettext_lazy("Queued"), "clock"),
    "sent": (gettext_lazy("Sent"), "check"),
    "delivered": (gettext_lazy("Delivered"), "check-check"),
    "read": (gettext_lazy("Read"), "eye"),
    "failed": (gettext_lazy("Not sent"), "circle-x"),
    "unknown": (gettext_lazy("Delivery unknown"), "circle-question-mark"),
}
"""Progress of an answer -> its label, and its icon."""
FILES = {
    "waits": gettext_lazy("Loading the file"),
    "large": gettext_lazy("The file is too large"),
    "chatbot": gettext_lazy("The file is too large for the chatbot"),
    "type": gettext_lazy("This file type is not supported"),
    "gone": gettext_lazy("The file is no longer available"),
    "storage": gettext_lazy("The storage is full"),
    "vendor": gettext_lazy("The file could not be loaded"),
    "failed": gettext_lazy("The file could not be saved"),
}
"""Reason for the missing file of a message -> its text."""
SHOWN_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")
OPEN = ("bot", "queued", "human")
VIEWS = (
    ("", gettext_lazy("Open")),
    ("mine", gettext_lazy("Mine")),
    ("unassigned", gettext_lazy("Unassigned")),
    ("bot", gettext_lazy("Chatbot")),
    ("unread", gettext_lazy("Unread")),
    ("snoozed", gettext_lazy("Snoozed")),
    ("closed", gettext_lazy("Closed")),
)
"""Filter of conversations -> the label of its tab."""
RESTS = {
    "hour": gettext_lazy("For an hour"),
    "evening": gettext_lazy("Until this evening"),
    "tomorrow": gettext_lazy("Until tomorrow morning"),
    "monday": gettext_lazy("Until Monday morning"),
}
MORNING, EVENING = time(9), time(18)
SHOWN = 50
MODULES = ("chatapp", "genie")


class ShownConversation(ConversationData):
    """A conversation with labels of its state and its channel, and the person's name."""

    words: str
    mood: str
    by: str
    sign: str
    who: str
    isUnverified: bool
    """A visitor named the contact's address, and nobody has confirmed it."""


def conversation_row(conversation: ConversationData) -> ShownConversation:
    """Return a conversation with labels of its state and its channel, and the person's name."""
    label, tone = STATES.get(conversation["state"], (conversation["state"], ""))
    channel, icon = CHANNELS.get(conversation["channel"], (conversation["channel"], "message-square"))
    contact = conversation["contact"] or {}
    who = contact.get("name") or conversation["name"] or conversation["address"]
    is_unverified = conversation["contact"] is not None and not conversation["contactConfirmed"]
    return {
        **conversation,
        "words": label,
        "mood": tone,
        "by": channel,
        "sign": icon,
        "who": who,
        "isUnverified": is_unverified,
    }


def message_view(message: ConversationMessageData) -> JsonObject:
    """Return a message with the label of its progress, and the path of its file below this address."""
    words, icon = PROGRESS.get(message["state"], ("", ""))
    file, place = message["file"], urlsplit(message["fileUrl"]).path
    shows = file is not None and file["mime"] in SHOWN_TYPES
    file_problem = FILES.get(message["fileState"], "")
    return {
        **message,
        "words": words,
        "sign": icon,
        "filePlace": place,
        "isPicture": shows and place,
        "lacks": file_problem,
    }


def rests_until(choice: str, now: datetime) -> datetime | None:
    """Return when a conversation wakes that rests by one of RESTS, on the clock of `now`."""
    day = now.date()
    times = {
        "hour": now + timedelta(hours=1),
        "evening": datetime.combine(day + timedelta(days=int(now.time() >= EVENING)), EVENING, now.tzinfo),
        "tomorrow": datetime.combine(day + timedelta(days=1), MORNING, now.tzinfo),
        "monday": datetime.combine(day + timedelta(days=7 - day.weekday()), MORNING, now.tzinfo),
    }
    return times.get(choice)


class InboxPage(Page):
    """Shared parts of the pages of conversations."""

    module = MODULES[0]
    alternate_modules = MODULES[1:]
    menu = MenuItem(
        gettext_lazy("Conversations"), INBOX, 10, "inbox", keywords=gettext_lazy("inbox chats replies messages")
    )

    def may_on_any_channel(self, method: str) -> bool:
        """Return whether the reader may use the method on conversations of some channel."""
        return any(self.may(module, method) for module in MODULES)
