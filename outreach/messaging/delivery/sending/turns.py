"""A sender's turn in a sending process, and how many connections it may have in all processes together."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from django.db import connection

from core.ids import new_id
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import AnySession
from outreach.messaging.delivery.sending.claims import BATCH
from outreach.messaging.delivery.sending.parts import ChatParts, MailParts

FIRST_BATCH = 100
"""Messages of a turn's first claim. The size of each further one follows from the turn's remaining time and its
speed, so that few are released when its time is up."""
LOW = 25
"""With so many messages left the next ones are claimed, while the connections work on."""
_SHORT = 0.05
"""Seconds of a turn in which its speed cannot be measured yet."""
MESSAGES_A_CONNECTION = 5
"""Minimum number of waiting messages for another connection."""


@dataclass(eq=False)
class SenderSession:
    """A sender that is served: its claimed messages, and the connections that deliver them."""

    sender: Sender
    open: Callable[[], AnySession]
    parts: MailParts | ChatParts
    context: SendContext
    """Data that applies to the company's messages, read once for the turn."""
    ends: float
    """End of the turn (monotonic)."""
    slots: list[int] = field(default_factory=list)
    """The numbers of its connections, each locked by this process."""
    lease: str = field(default_factory=new_id)
    jobs: deque[SendJob] = field(default_factory=deque)
    began: float = field(default_factory=monotonic)
    begun: int = 0
    """Number of messages that its connections have taken."""
    has_more: bool = True
    """The last claim was full, so that another claim in this turn is useful."""
    connections: int = 0
    sent: int = 0
    over: bool = False
    """Nothing more is claimed, and claimed messages are not sent."""
    failure: Exception | None = None
    """The error that ended it, if the sender caused it."""

    @property
    def company(self) -> str:
        return str(self.sender.company_id)

    @property
    def is_on(self) -> bool:
        """Return whether its messages are sent."""
        return not self.over and monotonic() < self.ends

    @property
    def connections_needed(self) -> int:
        """Return the number of connections that its messages need now."""
        # Logging in takes as long as several messages, so a connection has to have enough of them to be worth
        # it.
        return min(self.sender.max_connections, -(-len(self.jobs) // MESSAGES_A_CONNECTION))

    @property
    def capacity(self) -> int:
        """Number of further messages that fit into its time at the speed so far; at least enough to keep it busy."""
        if not self.begun:
            return FIRST_BATCH
        now = monotonic()
        # The first milliseconds say nothing: a division by them would claim far too many.
        coming = self.begun / max(now - self.began, _SHORT) * max(0.0, self.ends - now)
        # More than LOW, or each message would ask for a claim of its own.
        return max(2 * LOW, min(BATCH, int(coming) - len(self.jobs)))

    def next(self) -> SendJob | None:
        """Take the next message; None for none. For any thread."""
        try:
            # Without a lock: deque is safe for threads, and an empty one raises where a check before it could
            # be outdated.
            job = self.jobs.popleft() if self.is_on else None
        except IndexError:
            return None
        # Two threads may lose a count. It only estimates the speed.
        self.begun += job is not None
        return job

    def end(self, failure: Exception | None = None) -> None:
        """Stop sending further messages."""
        self.over = True
        # The first failure is the cause; others follow from the connection that it closed.
        self.failure = self.failure or failure


def take_slot(sender: Sender, held: list[int]) -> bool:
    """Take one of the sender's connections for this process, and add it to those held. Return whether one was free.

    It is an advisory lock of the session, so that a process that dies releases its locks.
    """
    # A session holds a lock as often as it took it, so numbers of its own are left out.
    for number in range(sender.max_connections):
        if number not in held and _call_lock_function("pg_try_advisory_lock", sender, number):
            held.append(number)
            return True
    return False


def release_slot(sender: Sender, held: list[int]) -> None:
    """Give one of the sender's connections back."""
    _call_lock_function("pg_advisory_unlock", sender, held.pop())


def _call_lock_function(function: str, sender: Sender, number: int) -> bool:
    # Advisory locks are numbers: 56 bits of the sender, and 7 for the connection, fit into a positive bigint.
    # Two senders of the same hash would share their connections, which costs speed alone.
    key = int.from_bytes(hashlib.sha256(sender.pk.encode()).digest()[:7]) << 7 | number
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [key])
        return bool(cursor.fetchone()[0])
