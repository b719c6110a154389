"""The registry of kinds of records that the global search finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.expressions import Combinable

from core.access import Actor
from core.lists import ListField


@dataclass(frozen=True)
class Kind:
    """A kind of records. Fields with a prefilter are found by their index, others among the newest records."""

    name: str
    """The resource as the API's paths call it."""
    module: str
    """The permission module whose GET shows it."""
    rows: Callable[[Actor], QuerySet[Any]]
    """Returns the records that the actor may read."""
    fields: Sequence[ListField]
    """The fields that are searched."""
    title: str | Combinable
    """The path or expression of its name."""
    text: str | Combinable
    """Path or expression of a text that distinguishes it from others of the same name."""
    place: int
    """Position of its records among those of other kinds."""


SEARCH_KINDS: dict[str, Kind] = {}
"""Name -> kind."""


def register_kind(kind: Kind) -> None:
    """Register a kind of records."""
    SEARCH_KINDS[kind.name] = kind
