"""Domain events: rows written in the transaction of the change, with one delivery per consumer, handled exactly once.

`emit` writes an event; core.jobs.register(EventConsumer(...)) declares a consumer; core.events.feed reads.
"""

from core.events.consumers import EventConsumer, each
from core.events.delivery import deliver
from core.events.services import caused_by, emit, wanted_by

__all__ = ["EventConsumer", "caused_by", "deliver", "each", "emit", "wanted_by"]
