"""A sender's turn in a sending process, and how many connections it may have in all processes together."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from django.db import connection

from core.ids import new_id
from outreach.delivery.deciding.context import SendContext
from outreach.delivery.models import SendJob
from outreach.delivery.senders import AnySession
from outreach.delivery.sending.claims import BATCH
from outreach.delivery.sending.parts import ChatParts, MailParts
from outreach.senders.models import Sender

FIRST_BATCH = 100
"""Messages of a turn's first claim. Each further one is as large as what the turn has time for at its speed, so that
little is given back when its time is up."""
LOW = 25
"""With so many messages left the next ones are claimed, while the connections work on."""
_SHORT = 0.05
"""Seconds of a turn in which its speed cannot be told yet."""
MESSAGES_A_CONNECTION = 5
"""How many messages have to wait for another connection to be worth it."""


@dataclass(eq=False)
class Turn:
    """A sender that is served: its claimed messages, and the connections that deliver them."""

    sender: Sender
    open: Callable[[], AnySession]
    parts: MailParts | ChatParts
    context: SendContext
    """What holds for the company's messages, read once for the turn."""
    ends: float
    """When others get their turn (monotonic)."""
    slots: list[int] = field(default_factory=list)
    """The numbers of its connections, each locked by this process."""
    lease: str = field(default_factory=new_id)
    jobs: deque[SendJob] = field(default_factory=deque)
    began: float = field(default_factory=monotonic)
    begun: int = 0
    """How many messages its connections have taken."""
    has_more: bool = True
    """Whether the last claim looked at as many as it might, so that it is worth to claim again in this turn."""
    connections: int = 0
    sent: int = 0
    over: bool = False
    """Nothing more is claimed, and what is claimed does not go."""
    failure: Exception | None = None
    """What ended it, if it was the sender's fault."""

    @property
    def company(self) -> str:
        return str(self.sender.company_id)  # type: ignore[attr-defined]

    @property
    def is_on(self) -> bool:
        """Whether its messages go."""
        return not self.over and monotonic() < self.ends

    @property
    def wanted(self) -> int:
        """How many connections its messages are worth now."""
        return min(self.sender.max_connections, -(-len(self.jobs) // MESSAGES_A_CONNECTION))

    @property
    def capacity(self) -> int:
        """How many further messages it has time for, at the speed so far; at least as many as keep it busy."""
        if not self.begun:
            return FIRST_BATCH
        now = monotonic()
        coming = self.begun / max(now - self.began, _SHORT) * max(0.0, self.ends - now)
        return max(2 * LOW, min(BATCH, int(coming) - len(self.jobs)))

    def next(self) -> SendJob | None:
        """Take the next message; None for none. For any thread."""
        try:
            job = self.jobs.popleft() if self.is_on else None
        except IndexError:
            return None
        self.begun += job is not None
        return job

    def end(self, failure: Exception | None = None) -> None:
        """Let nothing more go."""
        self.over = True
        self.failure = self.failure or failure


def take_slot(sender: Sender, held: list[int]) -> bool:
    """Take one of the sender's connections for this process, and note it among those held. Returns whether one was
    free.

    It is an advisory lock of the session, so that a process that dies gives back what it has.
    """
    for number in range(sender.max_connections):
        if number not in held and _ask("pg_try_advisory_lock", sender, number):
            held.append(number)
            return True
    return False


def give_slot_back(sender: Sender, held: list[int]) -> None:
    """Give one of the sender's connections back."""
    _ask("pg_advisory_unlock", sender, held.pop())


def _ask(function: str, sender: Sender, number: int) -> bool:
    key = int.from_bytes(hashlib.sha256(sender.pk.encode()).digest()[:7]) << 7 | number
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [key])
        return bool(cursor.fetchone()[0])
