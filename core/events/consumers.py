"""Consumers of events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from core.jobs.registry import Work

if TYPE_CHECKING:
    from core.events.models import Event

Handler = Callable[[Sequence["Event"]], None]


@dataclass(frozen=True)
class EventConsumer(Work):
    """A named handler of some kinds of events.

    `run(events)` gets events of one company in their order, inside that company and a transaction, which is rolled back
    if it raises. It may get them again, fewer at a time. `one_by_one` wraps a function that handles one event.
    """

    run: Handler
    _: KW_ONLY
    kinds: Collection[str]
    automation: bool = False
    """It gets only events that may start workflows."""
    where: str = ""
    """An SQL condition on %(company)s and %(kind)s for the company's events of a kind; empty: it gets all of them."""

    place: int = 1
    """Order of handling: consumers handle a company's events of a lower number first, so that locks have one order."""

    part_of: ClassVar[str] = "events"


def one_by_one(handle: Callable[[Event], None]) -> Handler:
    """Wrap a handler of one event as a handler of many."""

    def handle_many(events: Sequence[Event]) -> None:
        for event in events:
            handle(event)

    return handle_many
