"""How many messages a sender's turn claims."""

from __future__ import annotations

from time import monotonic
from unittest.mock import Mock

from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.sending.claims import BATCH
from outreach.messaging.delivery.sending.turns import FIRST_BATCH, LOW, SenderSession


def turn(*, seconds_gone: float, seconds_left: float, begun: int, waiting: int) -> SenderSession:
    now = monotonic()
    made = SenderSession(Mock(), Mock(), Mock(), Mock(), now + seconds_left, began=now - seconds_gone)
    made.begun = begun
    made.jobs.extend(SendJob() for _ in range(waiting))
    return made


def test_a_claim_is_as_large_as_the_turn_has_time_for() -> None:
    assert turn(seconds_gone=0, seconds_left=5, begun=0, waiting=0).capacity == FIRST_BATCH
    assert turn(seconds_gone=1, seconds_left=4, begun=75, waiting=25).capacity == BATCH
    assert 120 <= turn(seconds_gone=3, seconds_left=1, begun=500, waiting=25).capacity <= 141
    slow = turn(seconds_gone=4, seconds_left=1, begun=75, waiting=25)
    assert slow.capacity == 2 * LOW, "little is given back when its time is up"
