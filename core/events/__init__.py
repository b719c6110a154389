"""Domain events: rows written in the transaction of the change, with one delivery per consumer, handled exactly once.

`emit` writes an event; core.jobs.register(EventConsumer(...)) declares a consumer; core.events.feed reads.
"""

from core.events.consumers import EventConsumer, one_by_one
from core.events.delivery import deliver
from core.events.services import (
    QUEUE,
    consumer_condition,
    current_cause,
    emit,
    event_cause,
    requested_queueing,
    start_mode,
)

__all__ = [
    "QUEUE",
    "EventConsumer",
    "requested_queueing",
    "current_cause",
    "event_cause",
    "deliver",
    "one_by_one",
    "emit",
    "start_mode",
    "consumer_condition",
]
