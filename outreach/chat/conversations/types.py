"""Types of the API's answers about conversations, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class ConversationLeadData(TypedDict):
    """The lead of a conversation."""

    _id: str
    status: str
    stageName: str | None


class ConversationData(TypedDict):
    """A conversation."""

    _id: str
    channel: str
    state: str
    address: str
    name: str
    chatApp: Values | None
    contact: Values | None
    contactConfirmed: bool
    lead: ConversationLeadData | None
    team: Values | None
    assignee: Values | None
    chatbot: Values | None
    subject: str
    unread: int
    lastText: str
    lastInboundAt: str | None
    lastMessageAt: str | None
    opensUntil: str | None
    canAnswer: bool
    whyNot: str
    takesFiles: bool
    waits: str
    snoozedUntil: str | None
    waitingSince: str | None
    answerDueAt: str | None
    overdueAt: str | None
    queuedAt: str | None
    answeredAt: str | None
    closedAt: str | None
    createdAt: str
    updatedAt: str


class ConversationMessageData(TypedDict):
    """A message of a conversation, or a note."""

    _id: str
    direction: str
    author: str
    member: Values | None
    kind: str
    text: str
    media: Values | None
    file: Values | None
    fileUrl: str
    fileState: str
    sendJob: str | None
    state: str
    status: str | None
    deliveryStatus: str | None
    sentence: str
    happenedAt: str
    createdAt: str
