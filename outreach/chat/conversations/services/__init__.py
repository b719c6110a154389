"""Members' actions on conversations. Each locks the conversation's row, so simultaneous ones are serialised."""

from __future__ import annotations

from outreach.chat.conversations.services.assignment import TAKEN, assign, release, take_over
from outreach.chat.conversations.services.handling import close, mark_read, reopen, snooze
from outreach.chat.conversations.services.messages import add_note, begin, send_answer
from outreach.chat.conversations.services.people import set_contact, set_lead
from outreach.chat.conversations.services.rows import MODULE, NOT_FOUND, not_found

__all__ = [
    "MODULE",
    "NOT_FOUND",
    "TAKEN",
    "add_note",
    "send_answer",
    "assign",
    "begin",
    "close",
    "mark_read",
    "not_found",
    "release",
    "reopen",
    "set_contact",
    "set_lead",
    "snooze",
    "take_over",
]
