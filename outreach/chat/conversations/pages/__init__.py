"""The pages of conversations, of canned answers and of answer times."""

from __future__ import annotations

from outreach.chat.conversations.pages.inbox import ConversationDetail, ConversationPeople, Inbox
from outreach.chat.conversations.pages.records import (
    AnswerTimes,
    CannedAnswers,
    EditCanned,
    EditTimes,
    NewCanned,
    NewTimes,
)

PAGES = [
    Inbox,
    ConversationDetail,
    ConversationPeople,
    CannedAnswers,
    NewCanned,
    EditCanned,
    AnswerTimes,
    NewTimes,
    EditTimes,
]
