"""Types of the API's answers about messages, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class MessageData(TypedDict):
    """A message."""

    _id: str
    run: Values | None
    campaign: Values | None
    workflow: str | None
    workflowRun: str
    variant: int | None
    contact: Values | None
    smtp: Values | None
    mailApp: Values | None
    chatApp: Values | None
    conversation: str | None
    channel: str
    step: int
    occurrence: int
    status: str
    reason: str
    sentence: str
    recipient: str
    subject: str
    text: str
    attachments: list[Values]
    contentHash: str
    evidence: list[Values]
    unproved: bool
    messageId: str
    attempts: int
    error: str
    reply: str
    deliveryStatus: str
    openCount: int
    clickCount: int
    dueAt: str
    nextStepAt: str | None
    stopOn: list[str]
    approvedAt: str | None
    approvedBy: Values | None
    approvalEndsAt: str | None
    hint: str
    sendingAt: str | None
    sentAt: str | None
    createdBy: Values | None
    updatedBy: Values | None
    createdAt: str
    updatedAt: str


class ListedMessageData(MessageData):
    """A message with the decision as it would be taken now."""

    decision: Values | None


class MessageDetailData(ListedMessageData):
    """A message with its HTML and its life so far."""

    html: str
    opensAndClicks: list[Values]
    thread: list[Values]
    transitions: list[Values]
