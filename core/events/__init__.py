"""Domain events: rows written in the transaction of the change, with one delivery per consumer, handled exactly once.

`emit` writes an event; core.jobs.register(EventConsumer(...)) declares a consumer; core.events.feed reads.
"""

from core.events.consumers import EventConsumer, each
from core.events.delivery import deliver
from core.events.services import QUEUE, asked_to_queue, cause, caused_by, emit, starting, wanted_by

__all__ = [
    "QUEUE",
    "EventConsumer",
    "asked_to_queue",
    "cause",
    "caused_by",
    "deliver",
    "each",
    "emit",
    "starting",
    "wanted_by",
]
