"""The pages of conversations, of canned answers and of answer times."""

from __future__ import annotations

from outreach.conversations.pages.inbox import ConversationDetail, ConversationPeople, Inbox
from outreach.conversations.pages.records import AnswerTimes, CannedAnswers, EditCanned, EditTimes, NewCanned, NewTimes

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
