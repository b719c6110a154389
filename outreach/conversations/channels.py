"""The channels of conversations: how one answers there, and where a message comes from.

A further one is a class, and its line in CHANNELS, which its domain adds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.utils import timezone

from crm.models import Contact
from outreach.chat_apps.models import ChatTemplate
from outreach.conversations.models import Conversation
from outreach.delivery.models import SendJob

if TYPE_CHECKING:
    from outreach.conversations.receiving import Inbound


@dataclass(frozen=True)
class Words:
    """What is to be said: the content as the channel's vendor takes it, and as text."""

    content: Mapping[str, Any]
    text: str
    author: str
    member_id: str | None = None
    template: ChatTemplate | None = None


class ConversationChannel(ABC):
    """A channel: what may be said there, and how it gets to the person."""

    key: ClassVar[str]
    window: ClassVar[timedelta]
    """For how long after the person's last message free words may be said."""
    closed: ClassVar[str]
    """Why they may not, after that."""

    def is_open(self, conversation: Conversation) -> bool:
        """Tell whether free words may be said now."""
        last = conversation.last_inbound_at
        return last is not None and last + self.window > timezone.now()

    @abstractmethod
    def check_reachable(self, conversation: Conversation, *, template: bool) -> None:
        """Raise NoMessagesSent_400 for whom nothing may go to."""

    @abstractmethod
    def plan(self, conversation: Conversation, words: Words) -> SendJob | None:
        """Plan the message in the ledger, in the caller's transaction; None where the person fetches what is said."""


class Source(ABC):
    """Where a message comes from: the place of its conversation, and who it is that writes there."""

    member_id: str | None
    """Who stands as the author of records that nobody makes by hand."""
    bot: str | None = None
    """The chatbot that begins: None whichever fits, "" none."""
    heeds_stop: bool = False
    """Whether STOP ends more than the conversation."""

    @abstractmethod
    def place(self, address: str) -> dict[str, Any]:
        """Return the columns by which the conversation of an address is found."""

    @abstractmethod
    def still_theirs(self, conversation: Conversation) -> bool:
        """Tell whether the conversation's contact is still who writes from its address."""

    @abstractmethod
    def contact(self, inbound: Inbound, member_id: str) -> Contact:
        """Return the contact who writes; make one where there is none."""

    def note_choice(self, inbound: Inbound, message_id: str) -> None:
        """Note that the person wants to hear no more, or again. The default notes nothing."""
        return


CHANNELS: dict[str, ConversationChannel] = {}
"""Key -> channel."""


def channel_of(conversation: Conversation) -> ConversationChannel:
    """Return the channel of a conversation."""
    return CHANNELS[conversation.channel]
