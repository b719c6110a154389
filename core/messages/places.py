"""The operations that answer with a message, and the area of the product that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.hooks import Hook


@dataclass(frozen=True)
class Place:
    """An operation that answers with a message: its area, its method and path, and its summary."""

    area: str
    operation: str
    summary: str


@dataclass(frozen=True)
class Places:
    """The area under which a message is listed, and the operations that answer with it."""

    area: str
    places: tuple[Place, ...]


places_requested: Hook[[], Mapping[str, Places]] = Hook(
    __name__,
    "places_requested",
    "When the back office lists message texts. Returns the area and the operations of each message by name.",
)


def places_by_name() -> Mapping[str, Places]:
    """Return the places of each message by name; none where no layer above tells them."""
    return places_requested.first() or {}
