"""The states of a conversation, and every move between them: bot → queued → human → bot, and closed.

A chatbot gives away a conversation and never takes one: only a member's release, or a person's new message after it was
closed, brings one to a chatbot. So a handover cannot go round in a circle. Whatever a chatbot leaves is queued, where
members see it: nobody is left without an answer unseen.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import NamedError
from outreach.chat.conversations.models import Conversation

State = Conversation.State
BOT = State.BOT
QUEUED = State.QUEUED
HUMAN = State.HUMAN
CLOSED = State.CLOSED

MOVES: Mapping[tuple[str, str], str] = {
    (BOT, "hand_over"): QUEUED,
    (BOT, "take"): HUMAN,
    (QUEUED, "take"): HUMAN,
    (HUMAN, "take"): HUMAN,
    (CLOSED, "take"): HUMAN,
    (QUEUED, "release"): BOT,
    (HUMAN, "release"): BOT,
    (HUMAN, "queue"): QUEUED,
    (BOT, "queue"): QUEUED,
    (CLOSED, "queue"): QUEUED,
    (CLOSED, "greet"): BOT,
    (BOT, "close"): CLOSED,
    (QUEUED, "close"): CLOSED,
    (HUMAN, "close"): CLOSED,
}
"""(state, move) -> the next state.

With greet a person writes again, and a chatbot answers. With take a member answers, and with release a chatbot
continues. With queue the conversation waits for a member.
"""


def next_state(state: str, move: str) -> str:
    """Return the state after a move. Raises InvalidRequest_400 for a move that the state does not have."""
    try:
        # A table and no ifs, so that a test can go through all pairs.
        return MOVES[(state, move)]
    except KeyError:
        there = ", ".join(name for source, name in MOVES if source == state)
        raise NamedError("InvalidRequest_400", f"the conversation is {state}; it takes {there}", field="id") from None
