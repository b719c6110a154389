"""Domain events: rows written in the transaction of the change, one delivery per consumer, handled exactly once.

An event is written by `emit`; a consumer is declared by core.jobs.register(EventConsumer(...)).
"""

from core.events.consumers import EventConsumer, each
from core.events.delivery import deliver
from core.events.services import emit

__all__ = ["EventConsumer", "deliver", "each", "emit"]
